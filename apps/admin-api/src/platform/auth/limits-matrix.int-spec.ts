import { SECURITY_CATEGORIES, SECURITY_SETTINGS } from '@gw/auth-scopes';
import { documentKey, type ProviderDocument } from '@gw/contracts';
import { OrganisationEntity } from '@gw/entities';
import { DocumentsService } from '../../publishing/documents.service';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure, Key } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';
import { handlersOf } from '../../spec-support/operations';

/** Body members that set a restriction. */
const RESTRICTING = [
  'usage_limits',
  'rate_limits',
  'expires_at',
  'reset_usage',
  'credit_limit',
  'conditions',
];
RESTRICTING.push('security_settings', 'data_plane_security_settings', 'export_settings');
RESTRICTING.push('input_guardrails', 'output_guardrails', 'defaults');

/** Updates with such members that workspace roles and workspace keys can never call. */
const OF_THE_ORGANISATION = [
  'defaultGuardrails_update',
  'integrations_updateWorkspaces',
  'organisations_update',
  'organisations_updateSettings',
  'trusts_update',
];

interface Credential {
  readonly key?: string;
  readonly token?: string;
}

interface Row {
  /** Creates the restricted resource as the organisation's admin, and returns its path. */
  readonly make: () => Promise<string>;
  /** Changes that would lift a restriction. A lower role sends each of them separately. */
  readonly lifts: readonly object[];
}

const LIMITS = {
  usage_limits: { type: 'cost', credit_limit: 5 },
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }],
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
};
const LIFTS = [
  { usage_limits: null },
  { usage_limits: { type: 'cost', credit_limit: 500 } },
  { rate_limits: null },
  { rate_limits: [{ type: 'requests', unit: 'rpm', value: 300 }] },
  { expires_at: null },
  { reset_usage: true },
];
const SETTINGS = Object.fromEntries(SECURITY_SETTINGS.map(({ name }) => [name, true]));

describe('matrix of restrictions, callers and changes', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  let callers: ReadonlyMap<string, Credential>;

  beforeAll(async () => {
    ours = await admin.tenant();
    const { organisationId, workspaceId } = ours;
    const workspaceOverrides = Object.fromEntries(SECURITY_CATEGORIES.map((category) => [category, true]));
    await admin.dataSource.manager.update(OrganisationEntity, { id: organisationId }, { workspaceOverrides });
    const session = async (role: 'admin' | 'manager'): Promise<{ readonly token: string }> => {
      const { email } = await admin.user(organisationId, 'member', { [workspaceId]: role });
      return { token: await admin.login(email) };
    };
    callers = new Map<string, Credential>([
      ['manager', await session('manager')],
      ['workspace admin', await session('admin')],
      ['workspace key', { key: ours.key }],
    ]);
  });

  async function made<T>(path: string, body: object, by: object = { key: ours.adminKey }): Promise<T> {
    const response = await admin.post<T>(path, { ...by, body });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body;
  }

  const integrationId = async (): Promise<string> => (await createIntegration(admin, ours.key)).slug;
  const workspace = async (restrictions: object): Promise<string> => {
    const path = `/v1/workspaces/${ours.workspaceId}`;
    const response = await admin.put(path, { key: ours.adminKey, body: restrictions });
    expect([response.status, response.text]).toEqual([200, '{}']);
    return path;
  };
  const guardrail = async (): Promise<string> => {
    const { slug } = await made<{ slug: string }>('/v1/guardrails', {
      ...{ name: 'g', workspace_id: ours.workspaceId, actions: {} },
      checks: [{ id: 'default.containsCode', parameters: { format: 'SQL' } }],
    });
    return slug;
  };
  const policy = { workspace_id: '', name: 'cap', conditions: [{ key: 'metadata.a', value: ['b'] }] };

  const ROWS: Readonly<Record<string, Row>> = {
    providers_update: {
      make: async () => {
        const at = { workspace_id: ours.workspaceId, integration_id: await integrationId() };
        const { slug } = await made<{ slug: string }>('/v1/providers', { name: 'p', ...at, ...LIMITS });
        return `/v1/providers/${slug}?workspace_id=${ours.workspaceId}`;
      },
      lifts: LIFTS,
    },
    virtualKeys_update: {
      make: async () => {
        const body = { name: 'v', provider: 'openai', key: 'sk-0123456789abcdef', ...LIMITS };
        const { data } = await made<{ data: { slug: string } }>('/v1/virtual-keys', {
          ...body,
          workspace_id: ours.workspaceId,
        });
        return `/v1/virtual-keys/${data.slug}?workspace_id=${ours.workspaceId}`;
      },
      lifts: LIFTS,
    },
    apiKeys_update: {
      make: async () => {
        const body = { name: 'k', scopes: ['completions.write'], workspace_id: ours.workspaceId, ...LIMITS };
        return `/v1/api-keys/${(await made<Key>('/v1/api-keys/workspace/service', body)).id}`;
      },
      lifts: LIFTS,
    },
    usageLimitPolicies_update: {
      make: async () => {
        const at = { ...policy, workspace_id: ours.workspaceId, group_by: [{ key: 'api_key' }] };
        const body = { ...at, type: 'cost', credit_limit: 5 };
        return `/v1/policies/usage-limits/${(await made<Key>('/v1/policies/usage-limits', body)).id}`;
      },
      lifts: [{ credit_limit: 500 }, { name: 'renamed' }],
    },
    rateLimitPolicies_update: {
      make: async () => {
        const at = { ...policy, workspace_id: ours.workspaceId, group_by: [{ key: 'api_key' }] };
        const body = { ...at, type: 'requests', unit: 'rpm', value: 5 };
        return `/v1/policies/rate-limits/${(await made<Key>('/v1/policies/rate-limits', body)).id}`;
      },
      lifts: [{ value: 500 }, { name: 'renamed' }],
    },
    workspaces_update: {
      make: async () =>
        workspace({
          usage_limits: [LIMITS.usage_limits],
          rate_limits: LIMITS.rate_limits,
          defaults: { input_guardrails: [await guardrail()], output_guardrails: [await guardrail()] },
          data_plane_security_settings: { block_inline_config: true },
          security_settings: { ...SETTINGS, membersWriteConfigs: false, membersViewLogs: false },
          settings: { debug_log: 0, user_api_key_count: 2 },
        }),
      lifts: [
        { reset_usage: true },
        { usage_limits: null },
        { rate_limits: null },
        { defaults: null },
        { defaults: { input_guardrails: null } },
        { defaults: { output_guardrails: [] } },
        { data_plane_security_settings: { block_inline_config: false } },
        { data_plane_security_settings: { block_inline_config: null } },
        { security_settings: SETTINGS },
        { settings: { debug_log: 1 } },
        { settings: { user_api_key_count: null } },
      ],
    },
  };

  it('covers every documented update that accepts a restriction', () => {
    const found = new Set(
      handlersOf(admin)
        .filter(({ method }) => method === 'put' || method === 'patch')
        .filter(({ members }) => RESTRICTING.some((member) => members.has(member)))
        .map(({ name }) => name),
    );
    const rows = [...Object.keys(ROWS), ...OF_THE_ORGANISATION];
    expect([...found].filter((handler) => !rows.includes(handler))).toEqual([]);
    expect(Object.keys(ROWS).filter((handler) => !found.has(handler))).toEqual([]);
  });

  it.each(Object.keys(ROWS))(
    'refuses workspace callers to lift restrictions of the organisation: %s',
    async (handler) => {
      const { make, lifts } = ROWS[handler] as Row;
      const path = await make();
      const change = (by: object, body: object): Promise<GatewayResponse<Failure>> =>
        admin.put<Failure>(path, { ...by, body });
      const read = async (): Promise<string> => {
        const { body } = await admin.get(path, { key: ours.adminKey });
        return JSON.stringify({ ...body, last_updated_at: null });
      };
      const before = await read();
      for (const [name, by] of callers)
        for (const lift of lifts) {
          const { status, body } = await change(by, lift);
          expect([name, lift, status, body.error?.type]).toEqual([name, lift, 403, 'forbidden']);
        }
      expect(await read()).toBe(before);
      for (const lift of lifts) expect((await change({ key: ours.adminKey }, lift)).status).toBe(200);
    },
  );

  it('lets managers make changes that lift no restriction, and change limits that they set', async () => {
    const by = callers.get('manager') ?? {};
    const limited = await ROWS['providers_update']?.make();
    expect((await admin.put(limited ?? '', { ...by, body: { name: 'renamed', ...LIMITS } })).status).toBe(
      200,
    );
    const body = { name: 'own', integration_id: await integrationId(), ...LIMITS };
    const own = await made<{ slug: string }>(
      '/v1/providers',
      { ...body, workspace_id: ours.workspaceId },
      by,
    );
    for (const lift of LIFTS)
      expect((await admin.put(`/v1/providers/${own.slug}`, { ...by, body: lift })).status).toBe(200);
  });

  it('applies the limits of an integration in the workspace to each of its providers', async () => {
    const { slug } = await createIntegration(admin, ours.adminKey);
    const limits = { usage_limits: [LIMITS.usage_limits], rate_limits: LIMITS.rate_limits };
    const access = { id: ours.workspaceId, enabled: true, default_provider_slug: `first-${slug}`, ...limits };
    const path = `/v1/integrations/${slug}/workspaces`;
    const granted = await admin.put(path, { key: ours.adminKey, body: { workspaces: [access] } });
    expect([granted.status, granted.text]).toEqual([200, '{}']);
    const by = callers.get('manager') ?? {};
    const second = { name: 'second', slug: `second-${slug}`, integration_id: slug };
    await made('/v1/providers', { ...second, workspace_id: ours.workspaceId }, by);
    const keys = ['first', 'second'].map((name) => documentKey.provider(ours.workspaceId, `${name}-${slug}`));
    const { documents } = await admin.api.app.get(DocumentsService).read(keys);
    const [first, other] = keys.map((key) => (documents[key] as ProviderDocument).integrationLimits);
    expect(first).toMatchObject({ usageLimits: [{ creditLimit: 5 }], rateLimits: [{ value: 3 }] });
    expect(other).toEqual(first);
    for (const caller of callers.values()) {
      const lifted = { workspaces: [{ ...access, usage_limits: null, rate_limits: null }] };
      expect([403, 404]).toContain((await admin.put(path, { ...caller, body: lifted })).status);
    }
  });
});
