import { ApiKeyEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure, Key } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';
import { handlersOf } from '../../spec-support/operations';

const LIMITS = { usage_limits: { type: 'cost', credit_limit: 5 } };
const POLICY = {
  ...{ name: 'cap', conditions: [{ key: 'metadata.a', value: ['b'] }], group_by: [{ key: 'api_key' }] },
};

/** Why a route that deletes or archives needs no check of the rank of limits. */
const ENDS_NO_LIMITS: Readonly<Record<string, string>> = {
  users_remove: 'carries no limits; checked against the rank of the user',
  invites_cancel: 'carries no limits',
  workspaces_remove: 'needs scopes of the organisation; everything in the workspace ends with it',
  workspaceMembers_remove: 'carries no limits; checked against the rank of the member',
  apiKeys_remove:
    'always allowed, since a secret may have leaked; its limits still apply to further keys: see below',
  integrations_update: 'archiving follows the rule for deletion: see below',
  integrations_removeModels: 'models carry no limits',
  configs_remove: 'refused while it is a default',
  configs_update: 'archiving follows the rule for deletion',
  guardrails_remove: 'refused while a default or a config uses it',
  logExports_remove: 'carries no limits',
  labels_remove: 'carries no limits',
  mcpIntegrations_remove: 'carries no limits',
  mcpServers_remove: 'carries no limits',
  mcpToolsets_remove: 'carries no limits',
  mcpServerAccess_removeConnection: 'carries no limits',
  agentIntegrations_remove: 'carries no limits',
  agentServers_remove: 'carries no limits',
  collections_remove: 'carries no limits',
  partials_remove: 'carries no limits',
  partials_removeShare: 'carries no limits',
  partials_update: 'carries no limits',
  prompts_remove: 'carries no limits',
  prompts_removeShare: 'carries no limits',
  prompts_update: 'carries no limits',
  secretReferences_remove: 'needs scopes of the organisation; carries no limits',
  deployments_remove: 'needs scopes of the organisation; carries no limits',
  deployments_update: 'needs scopes of the organisation; carries no limits',
  plugins_update: 'needs scopes of the organisation; carries no limits',
  alertWebhooks_remove: 'carries no limits',
  ssoConnections_remove: 'needs scopes of the organisation; carries no limits',
  ssoConnections_update: 'needs scopes of the organisation; carries no limits',
  ssoLinks_remove: 'carries no limits; checked against the rank of the user',
  trusts_remove: 'needs scopes of the organisation; carries no limits',
  trusts_update: 'needs scopes of the organisation; carries no limits',
  ownGrants_end: 'ends what the user lets a client do; carries no limits',
  grants_end: 'needs scopes of the organisation; carries no limits',
  oauthClients_remove: 'needs scopes of the organisation; carries no limits',
  oauthClients_update: 'needs scopes of the organisation; carries no limits',
  domains_remove: 'needs scopes of the organisation; carries no limits',
  scimMappings_remove: 'needs scopes of the organisation; carries no limits',
  scimTokens_remove: 'needs scopes of the organisation; carries no limits',
};

/** Why a route that creates something with limits needs no check of existing limits. */
const MAKES_NO_WAY_ROUND: Readonly<Record<string, string>> = {
  workspaces_create: 'needs scopes of the organisation',
  trusts_create: 'needs scopes of the organisation; its conditions are those of tokens',
  virtualKeys_create: 'creates its own credential, which no existing limit covers',
  usageLimitPolicies_create: 'a further policy can only restrict more',
  rateLimitPolicies_create: 'a further policy can only restrict more',
};
const LIMITED = ['usage_limits', 'rate_limits', 'expires_at', 'credit_limit', 'conditions', 'defaults'];

interface Credential {
  readonly key?: string;
  readonly token?: string;
}

describe('limits set by a higher role', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  let callers: ReadonlyMap<string, Credential>;
  let manager: Credential;

  const session = async (role: 'admin' | 'manager' | 'member'): Promise<Credential & { id: string }> => {
    const user = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: role });
    return { id: user.id, token: await admin.login(user.email) };
  };

  beforeAll(async () => {
    ours = await admin.tenant();
    manager = await session('manager');
    callers = new Map<string, Credential>([
      ['manager', manager],
      ['workspace admin', await session('admin')],
      ['workspace key', { key: ours.key }],
    ]);
  });

  async function made<T>(path: string, body: object, by: Credential = { key: ours.adminKey }): Promise<T> {
    const at = by.key === ours.adminKey ? { workspace_id: ours.workspaceId } : {};
    const response = await admin.post<T>(path, { ...by, body: { ...body, ...at } });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body;
  }
  const put = (
    path: string,
    body: object,
    by: Credential = { key: ours.adminKey },
  ): Promise<GatewayResponse<Failure>> => admin.put<Failure>(path, { ...by, body });
  const refused = ({ status, body }: GatewayResponse<Failure>): unknown => [status, body.error?.type];
  const FORBIDDEN = [403, 'forbidden'];
  const OK = [200, undefined];

  const integration = async (by = ours.key): Promise<string> =>
    (await createIntegration(admin, by, { create_default_provider: false })).slug;
  const provider = async (more: object = LIMITS): Promise<{ path: string; integration: string }> => {
    const of = await integration();
    const { slug } = await made<Key & { slug: string }>('/v1/providers', {
      ...{ name: 'p', integration_id: of, ...more },
    });
    return { path: `/v1/providers/${slug}?workspace_id=${ours.workspaceId}`, integration: of };
  };
  const policy = async (kind: string, limit: object): Promise<string> =>
    `/v1/policies/${kind}/${(await made<Key>(`/v1/policies/${kind}`, { ...POLICY, ...limit })).id}`;

  /**
   * Creates a resource with limits as the organisation's admin, and returns the path of its DELETE.
   */
  const ENDS: Readonly<Record<string, () => Promise<string>>> = {
    providers_remove: async () => `${(await provider()).path}&force=true`,
    virtualKeys_remove: async () => {
      const body = { name: 'v', provider: 'openai', key: 'sk-0123456789abcdef', ...LIMITS };
      const { data } = await made<{ data: { slug: string } }>('/v1/virtual-keys', body);
      return `/v1/virtual-keys/${data.slug}?workspace_id=${ours.workspaceId}&force=true`;
    },
    integrations_remove: async () => `/v1/integrations/${(await provider()).integration}`,
    usageLimitPolicies_remove: () => policy('usage-limits', { type: 'cost', credit_limit: 5 }),
    rateLimitPolicies_remove: () => policy('rate-limits', { type: 'requests', unit: 'rpm', value: 5 }),
  };
  const MAKES = ['providers_create', 'apiKeys_create'];

  it('covers every documented route that deletes, archives or creates something with limits', () => {
    const handlers = handlersOf(admin);
    const ends = handlers.filter(
      ({ method, members }) => method === 'delete' || (method === 'put' && members.has('status')),
    );
    const makes = handlers.filter(
      ({ method, members }) => method === 'post' && LIMITED.some((member) => members.has(member)),
    );
    const names = (list: typeof handlers): string[] => list.map(({ name }) => name).sort();
    expect(names(ends)).toEqual([...Object.keys(ENDS), ...Object.keys(ENDS_NO_LIMITS)].sort());
    expect(names(makes)).toEqual([...MAKES, ...Object.keys(MAKES_NO_WAY_ROUND)].sort());
  });

  it.each(Object.keys(ENDS))(
    'lets only the role that set the limits or a higher one delete the limited resource: %s',
    async (handler) => {
      const path = (await ENDS[handler]?.()) ?? '';
      for (const [name, by] of callers)
        expect([name, refused(await admin.delete<Failure>(path, by))]).toEqual([name, FORBIDDEN]);
      expect((await admin.get(path.replace(/.force=true/u, ''), { key: ours.adminKey })).status).toBe(200);
      expect(refused(await admin.delete<Failure>(path, { key: ours.adminKey }))).toEqual(OK);
    },
  );

  it('refuses to archive the integration of a limited provider with PUT', async () => {
    const path = `/v1/integrations/${(await provider()).integration}`;
    for (const by of callers.values())
      expect(refused(await put(path, { status: 'archived' }, by))).toEqual(FORBIDDEN);
    expect(refused(await put(path, { status: 'archived' }))).toEqual(OK);
  });

  it('refuses a second provider of the same integration, whatever its slug', async () => {
    const limited = await provider();
    const second = { name: 'second', integration_id: limited.integration };
    for (const [name, by] of callers)
      for (const body of [second, { ...second, ...LIMITS }])
        expect([name, refused(await admin.post<Failure>('/v1/providers', { ...by, body }))]).toEqual([
          name,
          FORBIDDEN,
        ]);
    await made('/v1/providers', { ...second, slug: `again-${limited.integration}` });
    // Managers can create a provider once a role that may lift the limits has lifted them.
    expect((await put(limited.path, { usage_limits: null })).status).toBe(200);
    await made('/v1/providers', second, manager);
  });

  it('lets managers delete providers without limits or with limits that a manager set', async () => {
    const { integration: of, path } = await provider({});
    const { slug } = await made<{ slug: string }>(
      '/v1/providers',
      { name: 'own', integration_id: of, ...LIMITS },
      manager,
    );
    await made('/v1/providers', { name: 'another', integration_id: of }, { key: ours.key });
    for (const at of [path, `/v1/providers/${slug}`])
      expect(refused(await admin.delete<Failure>(at, manager))).toEqual(OK);
  });

  const userKey = (by: Credential, more: object = {}): Promise<GatewayResponse<Key & Failure>> =>
    admin.post<Key & Failure>('/v1/api-keys/workspace/user', {
      ...by,
      body: { name: 'k', scopes: ['completions.write'], ...more },
    });

  it.each([[LIMITS], [{ rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }] }]])(
    "refuses a user another key while a manager's limits bind one, also after that key is deleted",
    async (limits) => {
      const member = await session('member');
      const { status, body } = await userKey(manager, { user_id: member.id, ...limits });
      expect(status).toBe(200);
      expect(refused(await userKey(member))).toEqual(FORBIDDEN);
      expect(refused(await admin.delete<Failure>(`/v1/api-keys/${body.id}`, member))).toEqual(OK);
      expect(refused(await userKey(member))).toEqual(FORBIDDEN);
      expect(refused(await userKey(manager, { user_id: member.id }))).toEqual(OK);
    },
  );

  it('lets the user create another key when the role that limited a key deletes it', async () => {
    const member = await session('member');
    const { body } = await userKey(manager, { user_id: member.id, ...LIMITS });
    expect(refused(await admin.delete<Failure>(`/v1/api-keys/${body.id}`, manager))).toEqual(OK);
    expect(refused(await userKey(member))).toEqual(OK);
    const { limitsRank } = await admin.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id: body.id });
    expect(limitsRank).toBe(0);
  });

  it('refuses a limited key that tries to create a key without limits', async () => {
    const scopes = ['completions.write', 'workspace_service_api_keys.create'];
    const limited = await made<Key>('/v1/api-keys/workspace/service', { name: 'k', scopes, ...LIMITS });
    const body = { name: 'free', scopes: ['completions.write'] };
    const free = await admin.post<Failure>('/v1/api-keys/workspace/service', { key: limited.key, body });
    expect(refused(free)).toEqual(FORBIDDEN);
  });

  const CHECKS = [{ id: 'default.containsCode', parameters: { format: 'SQL' } }];
  const guardrail = async (): Promise<string> =>
    (await made<{ slug: string }>('/v1/guardrails', { name: 'g', actions: {}, checks: CHECKS })).slug;
  const config = async (content: object): Promise<string> =>
    (await made<{ slug: string }>('/v1/configs', { name: 'c', config: content })).slug;
  const bind = async (defaults: object): Promise<void> => {
    expect((await put(`/v1/workspaces/${ours.workspaceId}`, { defaults })).status).toBe(200);
  };

  it.each(['input_guardrails', 'output_guardrails'])(
    'refuses changes by workspace callers of guardrails that the organisation made a default (%s)',
    async (list) => {
      const slug = await guardrail();
      const path = `/v1/guardrails/${slug}`;
      expect((await put(path, { actions: { deny: true } }, manager)).status).toBe(200);
      await bind({ [list]: [slug] });
      for (const by of callers.values()) {
        for (const body of [{ checks: CHECKS }, { actions: { deny: false } }]) {
          const response = await put(path, body, by);
          expect([...(refused(response) as unknown[]), response.body.error.param]).toEqual([
            ...FORBIDDEN,
            `defaults.${list}`,
          ]);
        }
        expect((await admin.delete(path, by)).status).toBe(409);
      }
      expect((await put(path, { name: 'renamed' }, manager)).status).toBe(200);
      expect((await put(path, { checks: CHECKS })).status).toBe(200);
      await bind({ [list]: null });
      expect((await put(path, { checks: CHECKS }, manager)).status).toBe(200);
    },
  );

  it('refuses changes by workspace callers of default configs of user keys and of keys that cannot override theirs', async () => {
    const judge = await guardrail();
    const content = { input_guardrails: [judge] };
    const ofUsers = await config(content);
    const ofKey = await config(content);
    await bind({ user_api_key_config: ofUsers });
    await made('/v1/api-keys/workspace/service', {
      ...{ name: 'k', scopes: ['completions.write'] },
      defaults: { config_id: ofKey, allow_config_override: false },
    });
    const paths = [`/v1/configs/${ofUsers}`, `/v1/configs/${ofKey}`];
    for (const by of callers.values()) {
      for (const path of paths) {
        expect(refused(await put(path, { config: { retry: { attempts: 1 } } }, by))).toEqual(FORBIDDEN);
        expect((await put(path, { status: 'archived' }, by)).status).toBe(409);
      }
      expect(refused(await put(`/v1/guardrails/${judge}`, { checks: CHECKS }, by))).toEqual(FORBIDDEN);
    }
    for (const path of paths) {
      expect((await put(path, { name: 'renamed' }, manager)).status).toBe(200);
      expect((await put(path, { config: content })).status).toBe(200);
    }
  });
});
