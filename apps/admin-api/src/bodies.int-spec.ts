import { ALL_OPEN, ceilingOf } from '@gw/auth-scopes';
import { BODY, LOGS_BODY, PUBLIC_BODY, SPANS_BODY } from './platform/bodies';
import { SERVICE_TOKEN, TestAdminApi } from './spec-support/admin-api';
import { isProtocolRoute } from './spec-support/protocol-routes';
import type { Failure } from './spec-support/api-keys';
import { operationsOf, type Operation } from './spec-support/request-schemas';

/**
 * The class of class-validator that validates each object and compares its members with those of
 * its class.
 */
const { ValidationExecutor } = jest.requireActual<{
  ValidationExecutor: { prototype: { execute: (object: object, ...more: unknown[]) => void } };
}>('class-validator/cjs/validation/ValidationExecutor');

const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';
const admin = new TestAdminApi();
const tenant = admin.sharedTenant();

/** Returns `head`, then as many items as fit into `bytes` or `count` allows, then `tail`. */
function filled(
  bytes: number,
  [head, tail]: readonly [string, string],
  item: (at: number) => string,
  count = Infinity,
): string {
  const items: string[] = [];
  let left = bytes - head.length - tail.length;
  for (let at = 0; at < count; at += 1) {
    const next = item(at);
    left -= next.length + 1;
    if (left < 0) break;
    items.push(next);
  }
  return `${head}${items.join(',')}${tail}`;
}

/**
 * Bodies that take the longest to parse for their size. `near` is the name of a member, which the
 * second kind misspells.
 */
const DENSEST: Readonly<Record<string, (bytes: number, near: string, count?: number) => string>> = {
  members: (bytes, _near, count) => filled(bytes, ['{', '}'], (at) => `"${String(at)}":1`, count),
  'members that are almost spelt correctly': (bytes, near, count) =>
    filled(bytes, ['{', '}'], (at) => `"${near.slice(1)}${at.toString(36)}":1`, count),
  'empty objects': (bytes) => filled(bytes, ['[', ']'], () => '{}'),
  numbers: (bytes) => filled(bytes, ['{"a":[', ']}'], () => '1'),
  levels: (bytes) => '['.repeat(bytes),
};

interface Route {
  readonly method: string;
  readonly url: string;
}

/** Returns every route that may have a body. `/v2` has the same handlers. */
function routesWithBodies(): Route[] {
  const { routeTable } = admin.api.app.getHttpAdapter().getInstance();
  return (routeTable?.all() ?? [])
    .filter(([method, pattern]) => !['GET', 'HEAD'].includes(method) && !pattern.startsWith('/v2/'))
    .filter(([, pattern]) => !isProtocolRoute(pattern))
    .map(([method, pattern]) => ({ method, url: urlOf(pattern) }));
}

const urlOf = (path: string): string =>
  path
    .replace(/:workspaceId|\{workspaceId\}/, tenant.workspaceId)
    .replaceAll(/:[A-Za-z]+|\{[^}]+\}/g, UNKNOWN_ID);

const boundsOf = (url: string, isPublic: boolean) =>
  isPublic ? PUBLIC_BODY : url === '/v1/logs' ? LOGS_BODY : url === '/v1/otel/v1/traces' ? SPANS_BODY : BODY;

describe('request bodies of the control plane', () => {
  let token = '';
  let credentials: readonly Readonly<Record<string, string>>[] = [];
  beforeAll(async () => {
    token = await admin.login((await admin.user(tenant.organisationId, 'owner')).email);
    credentials = [
      { 'x-gw-api-key': tenant.adminKey },
      { 'x-gw-api-key': tenant.key },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${SERVICE_TOKEN}` },
    ];
  });

  const operations = (): Operation[] => operationsOf(admin.api.document);
  /** Returns the number of members of each object that `work` validates, before validation. */
  async function checkedBy(work: () => Promise<void>): Promise<number[]> {
    const widths: number[] = [];
    const { execute: before } = ValidationExecutor.prototype;
    const execute = jest.spyOn(ValidationExecutor.prototype, 'execute');
    execute.mockImplementation(function (this: object, ...given) {
      widths.push(Object.keys(given[0]).length);
      before.apply(this, given);
    });
    await work();
    execute.mockRestore();
    return widths;
  }

  async function send({ method, url }: Route, headers: Readonly<Record<string, string>>, payload: string) {
    const response = await admin.api.app.inject({
      method: method as 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    });
    const { error } = response.json<Partial<Failure>>();
    return {
      status: response.statusCode,
      type: error?.type,
      message: error?.message ?? '',
      details: error?.details ?? [],
    };
  }

  /** Sends the request without a credential, then with each one until the route accepts it. */
  async function sendAllowed(route: Route, payload: string) {
    let response = await send(route, {}, payload);
    for (const headers of credentials) {
      if (response.status !== 401 && response.status !== 403) break;
      response = await send(route, headers, payload);
    }
    return response;
  }

  it.each(Object.keys(DENSEST))(
    'refuses a body with the most %s before parsing it on every live route, and before reading it without a credential',
    async (kind) => {
      const wrong: string[] = [];
      const routes = routesWithBodies();
      const made = new Map<number, string>();
      const bodyOf = (bytes: number): string => {
        const body = made.get(bytes) ?? DENSEST[kind]?.(bytes, 'description') ?? '';
        made.set(bytes, body);
        return body;
      };
      const expected = kind === 'levels' ? 'body_invalid' : 'body_too_large';
      const checked = await checkedBy(async () => {
        for (const route of routes) {
          const open = await send(route, {}, bodyOf(PUBLIC_BODY.bytes));
          const isPublic = open.status !== 401;
          const refused = isPublic
            ? open
            : await sendAllowed(route, bodyOf(boundsOf(route.url, false).bytes));
          if (refused.type !== expected || !/ members| values|nested deeper/.test(refused.message))
            wrong.push(`${route.method} ${route.url}: ${String(refused.status)} ${refused.message}`);
          if (isPublic && (await send(route, {}, bodyOf(BODY.bytes))).status !== 413)
            wrong.push(`${route.method} ${route.url} accepts a large body from everyone`);
        }
      });
      expect(wrong).toEqual([]);
      expect(routes.length).toBeGreaterThan(100);
      expect(checked).toEqual([]);
    },
  );

  it('reads no body from a key that lacks the scope, or from a member who cannot hold the scope under any security setting', async () => {
    const wrong: string[] = [];
    const ofMember = ceilingOf('member', 'member', ALL_OPEN);
    const { organisationId, workspaceId } = tenant;
    const key = await admin.apiKey('workspace-service', { organisationId, workspaceId }, ['logs.view']);
    const { email } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
    const member = await admin.login(email);
    const refused = { key: 0, member: 0 };
    for (const { method, path, access, scopes } of operations()) {
      if (access !== 'scopes' || method === 'GET') continue;
      const route = { method, url: urlOf(path) };
      const refuse = async (
        caller: keyof typeof refused,
        headers: Readonly<Record<string, string>>,
      ): Promise<void> => {
        const { status, type } = await send(route, headers, '{"no JSON');
        refused[caller] += 1;
        if (status !== 403) wrong.push(`${method} ${path} of a ${caller}: ${String(status)} ${String(type)}`);
      };
      if (!scopes.includes('logs.view')) await refuse('key', { 'x-gw-api-key': key });
      if (!scopes.some((scope) => ofMember.has(scope)))
        await refuse('member', { authorization: `Bearer ${member}` });
    }
    expect(wrong).toEqual([]);
    expect(refused.key).toBeGreaterThan(100);
    expect(refused.member).toBeGreaterThan(50);
  });

  it('validates only known members of a body with the maximum of members, and names at most ten unknown ones', async () => {
    const wrong: string[] = [];
    let checked = 0;
    let mostNamed = 0;
    for (const { method, path, access, members } of operations()) {
      const near = members.toSorted((a, b) => b.length - a.length)[0];
      if (near === undefined) continue;
      for (const kind of ['members', 'members that are almost spelt correctly']) {
        const route = { method, url: urlOf(path) };
        const bounds = boundsOf(route.url, access === 'public');
        const body = DENSEST[kind]?.(bounds.bytes, near, Math.min(bounds.members, 20_000)) ?? '';
        let named = 0;
        const widths = await checkedBy(async () => {
          const { details } = await sendAllowed(route, body);
          named = details.filter(({ message }) => message.includes('is no member')).length;
        });
        checked += widths.length;
        mostNamed = Math.max(mostNamed, named);
        if (widths.length > 10 || Math.max(0, ...widths) > members.length || named > 10)
          wrong.push(`${method} ${path}: ${JSON.stringify({ kind, widths, named })}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(100);
    expect(mostNamed).toBe(10);
  });

  it('documents a maximum for every list in a body or query', () => {
    const unbound = operations().flatMap(({ method, path, lists }) =>
      lists.filter(({ max }) => max === undefined).map(({ at }) => `${method} ${path}: ${at.join('.')}`),
    );
    expect(unbound).toEqual([]);
  });

  it('refuses a list that is too long before validating its items', async () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const { method, path, lists } of operations()) {
      for (const { at, max = 0, source, isChoice } of lists) {
        if (source !== 'body' || isChoice || max > 5_000) continue;
        compared += 1;
        const body = at.reduceRight<unknown>(
          (inner, name) => (name === '0' ? [inner] : { [name]: inner }),
          Array.from({ length: max + 1 }, () => ({})),
        );
        let details: readonly { readonly path: string }[] = [];
        const checked = await checkedBy(async () => {
          ({ details } = await sendAllowed({ method, url: urlOf(path) }, JSON.stringify(body)));
        });
        if (details.length !== 1 || details[0]?.path !== at.join('.') || checked.length > 0)
          wrong.push(
            `${method} ${path} ${at.join('.')}: ${String(checked.length)} ${JSON.stringify(details.slice(0, 2))}`,
          );
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(30);
  });
});
