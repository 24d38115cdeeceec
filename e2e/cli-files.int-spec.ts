import { TestAdminApi, type Tenant } from '../apps/admin-api/src/spec-support/admin-api';
import { CardServer } from '../apps/admin-api/src/spec-support/card-server';
import { ApiClient } from '../apps/cli/src/api-client';
import { KINDS } from '../apps/cli/src/kinds';
import type { Members } from '../apps/cli/src/members';
import { exportState, reconcile, type Change, type State } from '../apps/cli/src/reconcile';
import { CARD_KEY } from './spec-support/cli-agent-states';
import { fullFileOf, HAND_WRITTEN } from './spec-support/cli-states';
import { NO_STATE, NOT_IN_FILES, WRITES } from './spec-support/cli-routes';
import { insertVerifiedDomain, keySet } from './spec-support/cli-sso-states';
import { insertTools, withTools } from './spec-support/mcp-tools';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

type Item = Record<string, unknown>;

const KEYS = keySet('one');
const ENVIRONMENT = new Proxy(
  {},
  { get: (_target, name) => (String(name).endsWith('_JWKS') ? KEYS : 'secret-0123456789') },
);

describe('tollgate files', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  let url = '';
  let agent: CardServer;
  beforeAll(async () => {
    agent = await CardServer.start();
    agent.keys = { keys: [CARD_KEY] };
    await admin.api.app.listen(0, '127.0.0.1');
    url = await admin.api.app.getUrl();
  });
  afterAll(() => agent.stop());

  const clientOf = ({ adminKey }: Tenant): ApiClient => new ApiClient(url, adminKey);
  const apply = (tenant: Tenant, state: State, dryRun = false): Promise<Change[]> =>
    reconcile(clientOf(tenant), state, {
      ...{ dryRun, prune: false, secrets: false, environment: ENVIRONMENT, onChange: () => undefined },
    });
  const linesOf = (changes: readonly Change[]): string[] =>
    changes.map(({ action, kind, name, fields }) => `${action} ${kind} ${name} (${fields.join(', ')})`);
  /** Replaces the slug of the default workspace, which differs between organisations. */
  const neutral = (state: State): unknown =>
    JSON.parse(JSON.stringify(state).replaceAll(/ws-[0-9a-f]{12}/g, 'the-default')) as unknown;
  const diff = async (tenant: Tenant, state: State): Promise<string[]> =>
    linesOf(await apply(tenant, state, true));

  it('reproduces every member on an empty organisation, changes nothing when applied again, and reports every changed member', async () => {
    const [first, second] = [await admin.tenant(), await admin.tenant()];
    const [tools, others] = [await insertTools(admin, first), await insertTools(admin, second)];
    for (const { organisationId } of [first, second]) await insertVerifiedDomain(admin, organisationId);
    const full = fullFileOf(first.organisationId);
    const file = withTools(
      { ...full, agent_integrations: [...(full['agent_integrations'] ?? []), readAgentOf(agent)] },
      tools,
    );
    await apply(first, file);
    expect(await diff(first, file)).toEqual([]);
    const exported = await exportState(clientOf(first));
    // Audiences contain the id of the organisation, and guardrails the ids of an MCP server and an
    // agent.
    const moved = JSON.stringify(exported).replaceAll(first.organisationId, second.organisationId);
    const renamed = withTools(JSON.parse(moved) as State, others, tools);
    await apply(second, renamed);
    expect(neutral(await exportState(clientOf(second)))).toEqual(neutral(renamed));
    expect(await diff(second, renamed)).toEqual([]);
    expect(membersWithoutValue(exported)).toEqual([]);
    expect(exported['guardrails']).toContainEqual(
      expect.objectContaining({
        mcp_servers: { [tools.server]: { run_on: ['beforeToolCall'], capability_ids: [tools.tool] } },
        agent_servers: { [tools.agent]: { run_on: ['afterToolCall'], skill_ids: [tools.skill] } },
      }),
    );

    const unseen: string[] = [];
    for (const { name, state, path } of alterations(exported)) {
      const seen = await diff(first, state).then(
        (lines) => lines.length > 0,
        (error: unknown) => String(error).includes('cannot be changed'),
      );
      if (!seen) unseen.push(`${name}: ${path}`);
    }
    // Without --prune no user is removed from a workspace.
    expect(unseen).toEqual(['users: 0.workspaces']);
  }, 300_000);

  it('keeps secrets of checks whose variables are not set, and removes those that the file leaves out', async () => {
    const tenant = await admin.tenant();
    const webhookURL = 'https://hooks.example.com/a';
    const state = (name: string, headers: Item): State => ({
      guardrails: [
        { slug: 'called', name, checks: [{ id: 'default.webhook', parameters: { webhookURL, headers } }] },
      ],
    });
    const [kept, left] = [{ env: 'KEPT' }, { env: 'LEFT' }];
    const unset = (file: State): Promise<Change[]> =>
      reconcile(clientOf(tenant), file, {
        ...{ dryRun: false, prune: false, secrets: false, environment: {}, onChange: () => undefined },
      });
    const shown = async (): Promise<unknown> => {
      const row = await clientOf(tenant).call<{ name: string; checks: { parameters: Item }[] }>(
        'GET',
        '/v1/guardrails/called',
      );
      return [row.name, row.checks[0]?.parameters['headers']];
    };
    await apply(tenant, state('One', { authorization: kept, 'x-left': left }));
    const mask = 'se*****789';
    await unset(state('Two', { authorization: kept, 'x-left': left }));
    expect(await shown()).toEqual(['Two', { authorization: mask, 'x-left': mask }]);
    await unset(state('Two', { authorization: kept }));
    expect(await shown()).toEqual(['Two', { authorization: mask }]);
    expect(linesOf(await unset(state('Two', { authorization: kept })))).toEqual([]);
  }, 300_000);

  it('changes nothing when a hand-written file is applied twice', async () => {
    const tenant = await admin.tenant();
    await apply(tenant, HAND_WRITTEN);
    expect(linesOf(await apply(tenant, HAND_WRITTEN))).toEqual([]);
  }, 300_000);

  it('refuses an unknown member before anything is written, and suggests the closest one', async () => {
    const tenant = await admin.tenant();
    const before = await exportState(clientOf(tenant));
    const state = (item: Item): State => ({
      workspaces: [{ slug: 'made', name: 'Made' }],
      usage_limit_policies: [{ workspace: 'made', name: 'Team', ...item }],
    });
    await expect(apply(tenant, state({ alert_treshold: 5 }))).rejects.toThrow(
      'usage_limit_policies made/Team: there is no member alert_treshold; did you mean alert_threshold?',
    );
    await expect(apply(tenant, state({ conditions: [{ key: 'api_key', exclude: 'x' }] }))).rejects.toThrow(
      'there is no member conditions.0.exclude; did you mean excludes?',
    );
    await expect(apply(tenant, { providers: [{ workspace: 'made', slug: 'p', zone: 1 }] })).rejects.toThrow(
      'providers made/p: there is no member zone; it may have workspace, slug,',
    );
    expect(await exportState(clientOf(tenant))).toEqual(before);
  });

  it('knows every member that the API accepts, at every depth', () => {
    const { paths, components = {} } = admin.api.document as unknown as {
      paths: Record<
        string,
        Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
      >;
      components?: { schemas?: Record<string, Schema> };
    };
    const resolved = (schema: Schema): Schema => {
      const [alternative] = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])];
      if (schema.$ref !== undefined) {
        return resolved(components.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
      }
      return alternative && !schema.properties ? resolved(alternative) : schema;
    };
    const unknown: string[] = [];
    const walk = (kind: string, members: Members, schema: Schema, at: string): void => {
      const { properties = {}, items } = resolved(schema);
      if (items) walk(kind, members, items, at);
      const byApiName = new Map(
        Object.entries(members).map(([name, member]) => [member.api ?? name, member]),
      );
      for (const [name, inner] of Object.entries(properties)) {
        if (name === 'workspace_id' && members['workspace']) continue;
        if (Object.hasOwn(NOT_IN_FILES, `${kind}: ${at}${name}`)) continue;
        const member = byApiName.get(name);
        if (!member) unknown.push(`${kind}: ${at}${name}`);
        else if (member.members && member.isMap !== true) walk(kind, member.members, inner, `${at}${name}.`);
        else if (hasProperties(resolved(inner)) && !Object.hasOwn(NOT_IN_FILES, `${kind}: ${at}${name}.*`)) {
          unknown.push(`${kind}: ${at}${name}.*`);
        }
      }
    };
    const hasProperties = ({ properties, items }: Schema): boolean =>
      properties !== undefined || (items !== undefined && hasProperties(resolved(items)));

    for (const [path, item] of Object.entries(paths).filter(([path]) => path.startsWith('/v1/'))) {
      for (const [method, { requestBody }] of Object.entries(item)) {
        if (!requestBody || (method !== 'post' && method !== 'put')) continue;
        const route = `${method.toUpperCase()} ${path}`;
        const kinds = WRITES[route];
        if (!kinds) {
          if (!NO_STATE.some(({ routes }) => routes.test(route))) unknown.push(route);
          continue;
        }
        const { schema = {} } = requestBody.content['application/json'] ?? {};
        const members = Object.assign(
          {},
          ...KINDS.filter(({ name }) => kinds.includes(name)).map((kind) => kind.members),
        ) as Members;
        walk(kinds[0] ?? '', withFlat(kinds, members), schema, '');
      }
    }
    expect(unknown).toEqual([]);
  });
});

/**
 * Adds the members that the API has one level higher than a file: members of a virtual key's
 * `model_config` are members of the request body itself.
 */
const withFlat = (kinds: readonly string[], members: Members): Members =>
  kinds.includes('virtual_keys') ? { ...members, ...members['model_config']?.members } : members;

interface Alteration {
  readonly name: string;
  readonly path: string;
  readonly state: State;
}

/**
 * Returns the state once for each member of each item, with that member changed or, where it has no
 * scalar value, removed.
 */
function alterations(state: State): Alteration[] {
  return KINDS.flatMap(({ name, identity, members }) =>
    (state[name] ?? []).flatMap((item, index) =>
      alteredMembers(members, item as Item, identity).map(({ path, item: altered }) => ({
        name,
        path: `${String(index)}.${path}`,
        state: { [name]: state[name]?.with(index, altered) ?? [] },
      })),
    ),
  );
}

function alteredMembers(
  members: Members,
  item: Item,
  kept: readonly string[],
): { readonly path: string; readonly item: Item }[] {
  return Object.entries(item).flatMap(([name, value]) => {
    if (kept.includes(name)) return [];
    const inner = members[name]?.members;
    if (inner && members[name]?.isMap !== true && !Array.isArray(value)) {
      return alteredMembers(inner, value as Item, []).map(({ path, item: altered }) => ({
        path: `${name}.${path}`,
        item: { ...item, [name]: altered },
      }));
    }
    const { [name]: _left, ...rest } = item;
    return [{ path: name, item: { ...rest, ...altered(name, value) } }];
  });
}

/**
 * Returns the member with another value: a scalar changes, and an empty list gets an item. Other
 * lists, maps and secrets are removed: the result is empty.
 */
function altered(name: string, value: unknown): Item {
  if (typeof value === 'boolean') return { [name]: !value };
  if (typeof value === 'number') return { [name]: value + 1 };
  if (typeof value === 'string')
    return { [name]: /^\d{4}-/.test(value) ? '2031-02-03T00:00:00Z' : `${value}x` };
  return Array.isArray(value) && value.length === 0 ? { [name]: ['x'] } : {};
}

/** Returns an agent whose card and trusted keys are read from its address. */
const readAgentOf = ({ origin }: CardServer): Item => ({
  ...{ slug: 'read', name: 'Read', url: origin },
  trusted_keys_url: `${origin}/keys`,
});

/** Returns the members that no item of the state has, so that this suite cannot check them. */
function membersWithoutValue(state: State): string[] {
  return KINDS.flatMap(({ name, members }) =>
    Object.entries(members)
      .filter(([, member]) => member.isComputed?.({}) !== true)
      .map(([member]) => member)
      .filter((member) => !(state[name] ?? []).some((item) => item[member] !== undefined))
      .map((member) => `${name}: ${member}`),
  );
}
