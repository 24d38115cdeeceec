import { misspeltName } from '@gw/kernel';
import { TestAdminApi } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';
import { unknownFixture, withIds } from './spec-support/tenancy-fixtures';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly 'x-gw-access': string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

/**
 * Paths whose bodies have no single class: one object or a list, data from a provider or tracer, or
 * a form.
 */
const OTHER_BODIES = ['/v1/logs', '/v1/feedback', '/v1/traces', '/v1/otel'];

/** Maximum number of unknown members that one error names. */
const NAMED_MAX = 10;

const admin = new TestAdminApi();
const tenant = admin.sharedTenant();

const document = (): {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
} => admin.api.document as never;

function membersOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const named =
    schema.$ref === undefined ? schema : document().components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  return [...Object.keys(named?.properties ?? {}), ...(named?.allOf ?? []).flatMap(membersOf)];
}

const bodyOf = (operation: Operation | undefined): string[] =>
  membersOf(operation?.requestBody?.content['application/json']?.schema);

const operations = (): [string, string, Operation][] =>
  Object.entries(document().paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        method,
        path,
        operation,
      ]),
    );

/** Returns the name without its second letter; for a short name, adds or removes the plural s. */
function misspelt(name: string): string {
  if (name.length > 5) return `${name[0] ?? ''}${name.slice(2)}`;
  return name.endsWith('s') ? name.slice(0, -1) : `${name}s`;
}

describe('misspelt members of bodies', () => {
  it('are refused with the name that was meant, for every member of every documented body', async () => {
    const silent: string[] = [];
    let compared = 0;
    for (const [method, path, operation] of operations()) {
      const members = bodyOf(operation).slice(0, 30);
      if (members.length === 0 || operation['x-gw-access'] !== 'scopes' || OTHER_BODIES.includes(path))
        continue;
      const wrong = members.map(misspelt).filter((name) => !members.includes(name));
      const url = withIds(path, unknownFixture(), false).replace('{workspaceId}', tenant.workspaceId);
      compared += wrong.length;
      while (wrong.length > 0) {
        const some = wrong.splice(0, NAMED_MAX);
        const body = Object.fromEntries(some.map((name) => [name, null]));
        let response = await admin.call<Failure>(method.toUpperCase(), url, { key: tenant.key, body });
        if (response.status === 403) {
          response = await admin.call<Failure>(method.toUpperCase(), url, { key: tenant.adminKey, body });
        }
        const named = new Set((response.body.error?.details ?? []).map((detail) => detail.path));
        silent.push(
          ...some
            .filter((name) => !named.has(name))
            .map((name) => `${method} ${path} ${String(response.status)} ${name}`),
        );
      }
    }
    expect(silent).toEqual([]);
    expect(compared).toBeGreaterThan(300);
  });

  it.each([
    ['/v1/integrations', { workspaces: [], secret_mapping: [] }, 'secret_mappings'],
    ['/v1/providers', { name: 'x', usage_limit: { credit_limit: 1 } }, 'usage_limits'],
    ['/v1/api-keys/workspace/service', { name: 'x', scopes: ['logs.list'], rate_limit: [] }, 'rate_limits'],
    [
      '/v1/api-keys/workspace/service',
      { name: 'x', scopes: ['logs.list'], defaults: { config_idd: 'x' } },
      'config_id',
    ],
  ])('of %s are refused before anything is created: %j', async (path, body, meant) => {
    const { adminKey, key } = tenant;
    for (const by of [key, adminKey]) {
      const response = await admin.post<Failure>(path, { key: by, body });
      if (response.status === 403) continue;
      expect(response.status).toBe(400);
      expect(JSON.stringify(response.body)).toContain(`did you mean ${meant}?`);
    }
  });

  it('do not occur in GET responses, so that a response can be sent back', () => {
    const near: string[] = [];
    for (const [method, path, operation] of operations()) {
      if (method !== 'put') continue;
      const known = bodyOf(operation);
      const read = document().paths[path]?.['get']?.responses['200']?.content?.['application/json']?.schema;
      for (const name of membersOf(read)) {
        const meant = known.includes(name) ? null : misspeltName(name, known);
        if (meant !== null) near.push(`${path}: ${name} is near ${meant}`);
      }
    }
    expect(near).toEqual([]);
  });

  it('are compared with bounded work, and other unknown members are dropped', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`unknown_member_${String(at)}`, 1]),
    );
    const body = { name: 'Many', ...many, anything: { else: true } };
    const { status } = await admin.post('/v1/labels', { key: tenant.key, body });
    expect(status).toBe(200);
  });
});
