import { INTERNAL } from '@gw/contracts';
import { LogExportEntity, UsageLimitPolicyValueEntity, RepricingEntity } from '@gw/entities';
import { uuidv7, DAY_MS } from '@gw/kernel';
import { addCounts, ensureLogPartitions, insertVerdicts, dayOf } from '@gw/log-store';
import { PASSWORD, SERVICE_TOKEN, TestAdminApi } from './spec-support/admin-api';
import { checkIdentityResponses } from './spec-support/identity-responses';
import { checkMcpResponses } from './spec-support/mcp-responses';
import { checkAgentResponses } from './spec-support/agent-responses';
import { insertAgentIntegration, insertAgentServer } from './spec-support/agent-servers';
import { checkLogResponses } from './spec-support/log-responses';
import { checkMcpServerResponses } from './spec-support/mcp-server-responses';
import { insertMcpIntegration, insertMcpServer } from './spec-support/mcp-servers';
import { StubWorker } from './spec-support/stub-worker';

interface Made {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
  readonly refresh_token: string;
  readonly inviteLink: string;
  readonly reset_link: string;
  readonly data: { readonly slug: string };
}

/**
 * `call` throws for a response that differs from the document, so every step in this file checks a
 * response.
 */
describe('responses of the control plane', () => {
  let worker: StubWorker;
  const admin: TestAdminApi = new TestAdminApi(async () => {
    worker = await StubWorker.start(() => admin.dataSource);
    return { WORKER_URL: worker.stub.origin };
  });
  afterAll(() => worker.stub.stop());
  const ours = admin.sharedTenant();

  async function step(method: string, url: string, body?: object, by: object = {}): Promise<Made> {
    const call = { key: ours.adminKey, ...by, ...(body === undefined ? {} : { body }) };
    const response = await admin.call<Made>(method, url, call);
    expect([method, url, response.status, response.status === 200 ? '' : response.text]).toEqual([
      method,
      url,
      200,
      '',
    ]);
    return response.body;
  }

  it('all have a schema in the document', () => {
    expect(admin.responses.schemas.undocumented).toEqual([]);
  });

  it('of sessions, organisations, users and health match the document', async () => {
    for (const path of ['/health', '/health/live', '/health/ready']) await step('GET', path);
    const { id, email } = await admin.user(ours.organisationId, 'owner', { [ours.workspaceId]: 'admin' });
    const first = await step('POST', '/v1/auth/login', { email, password: PASSWORD });
    await step('POST', '/v1/auth/refresh', { refresh_token: first.refresh_token });
    const token = await admin.login(email);
    const session = { key: undefined, token };
    for (const path of ['self', 'permissions', 'mfa', 'grants'])
      await step('GET', `/v1/auth/${path}`, undefined, session);
    await step('GET', `/v1/auth/permissions?workspace_id=${ours.workspaceId}`, undefined, session);
    await step('GET', '/v1/console/bootstrap', undefined, session);
    await step('POST', '/v1/auth/playground-key', { workspace_id: ours.workspaceId }, session);
    await step('POST', '/v1/auth/logout', undefined, session);
    await step('GET', '/v1/admin/organisation');
    await step('PUT', '/v1/admin/organisation', { name: 'Acme' });
    await step('GET', '/v1/admin/organisation/settings');
    await step('PUT', '/v1/admin/organisation/settings', { settings: { debug_log: 1 } });
    await step('GET', '/v1/admin/users');
    for (const path of ['', '/permissions']) await step('GET', `/v1/admin/users/${id}${path}`);
    const added = await admin.user(ours.organisationId, 'member');
    await step('PUT', `/v1/users/${added.id}`, { role: 'admin' });
    await step('DELETE', `/v1/users/${added.id}`);
    const invited = { email: 'new@example.com', role: 'member', workspaces: [] };
    const invite = await step('POST', '/v1/users/invites', invited);
    await step('GET', '/v1/users/invites');
    await step('GET', `/v1/users/invites/${invite.id}`);
    const { inviteLink } = await step('POST', `/v1/users/invites/${invite.id}/resend`);
    const linkToken = inviteLink.split('/').at(-1);
    await step('POST', '/v1/invites/accept', { token: linkToken, password: PASSWORD });
    const other = await step('POST', '/v1/users/invites', { ...invited, email: 'other@example.com' });
    await step('DELETE', `/v1/users/invites/${other.id}`);
    await step(
      'GET',
      '/v1/api-keys/self/details?include_organisation=true&include_workspace=true',
      undefined,
      {
        key: ours.key,
      },
    );
    await step('GET', '/v1/audit-logs');
    await step('GET', '/v1/audit-logs/verify');
    const body = { id: 'host/0', version: '2.10.0' };
    expect((await admin.post(INTERNAL.gateways, { token: SERVICE_TOKEN, body })).status).toBe(200);
    await step('GET', '/v1/admin/gateways');
  });

  it('of passwords match the document', async () => {
    const NEW = 'quiet lamp under seven rivers';
    const owner = await admin.user(ours.organisationId, 'owner');
    const { id } = await admin.user(ours.organisationId, 'member');
    const by = { key: undefined, token: await admin.login(owner.email) };
    const change = { current_password: PASSWORD, new_password: NEW };
    await step('POST', '/v1/auth/password', change, by);
    const { reset_link: link } = await step('POST', `/v1/users/${id}/password-reset`, undefined, by);
    await step('GET', `/v1/users/${id}/sso-links`, undefined, by);
    await step('POST', `/v1/users/${id}/mfa-reset`, undefined, by);
    const token = link.split('/').at(-1);
    await step('POST', '/v1/auth/password/reset', { token, password: NEW }, { key: undefined });
  });

  it('of workspaces, their members and keys match the document', async () => {
    const limits = {
      usage_limits: [{ credit_limit: 5, periodic_reset: 'weekly', metadata: { a: 'b' } }],
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 5 }],
    };
    const { id } = await step('POST', '/v1/workspaces', { name: 'Full', icon: '🔍', ...limits });
    await step('PUT', `/v1/workspaces/${id}`, { settings: { debug_log: 0 } });
    const user = await admin.user(ours.organisationId, 'member');
    await step('POST', `/v1/workspaces/${id}/users`, { users: [{ id: user.id, role: 'member' }] });
    await step('GET', `/v1/workspaces/${id}/users`);
    await step('GET', `/v1/workspaces/${id}/users/${user.id}`);
    await step('PUT', `/v1/workspaces/${id}/users/${user.id}`, { role: 'manager' });
    await step('GET', '/v1/workspaces');
    await step('GET', `/v1/workspaces/${id}`);
    await step('DELETE', `/v1/workspaces/${id}/users/${user.id}`);
    const key = await step('POST', '/v1/api-keys/workspace/service', {
      name: 'full',
      workspace_id: id,
      scopes: ['logs.list'],
      usage_limits: limits.usage_limits[0],
      rate_limits: limits.rate_limits,
      rotation_policy: { rotation_period: 'monthly' },
      alert_emails: ['ops@example.com'],
      defaults: { metadata: { a: 'b' } },
    });
    await step('GET', '/v1/api-keys');
    await step('GET', `/v1/api-keys/${key.id}`);
    await step('PUT', `/v1/api-keys/${key.id}`, { description: 'full' });
    await step('POST', `/v1/api-keys/${key.id}/rotate`, {});
    await step('DELETE', `/v1/api-keys/${key.id}`);
    await step('DELETE', `/v1/workspaces/${id}`, { name: 'Full', force_delete: true });
  });

  it('of integrations, providers, virtual keys and configs match the document', async () => {
    const { workspaceId: workspace_id, key } = ours;
    await step('GET', '/v1/utils/static-resources/integration-providers');
    const credential = { key: 'sk-0123456789abcdef', tags: { team: 'search' } };
    const named = { name: 'OpenAI', slug: 'openai-full', ai_provider_id: 'openai', ...credential };
    const { id } = await step('POST', '/v1/integrations', {
      ...named,
      configurations: { openai_project: 'p' },
    });
    const global = { enabled: true, usage_limits: [{ credit_limit: 9 }], rate_limits: null };
    await step('PUT', `/v1/integrations/${id}/workspaces`, {
      global_workspace_access: global,
      workspaces: [{ id: workspace_id, enabled: true, usage_limits: [{ credit_limit: 5 }] }],
    });
    const model = {
      slug: 'own',
      is_custom: true,
      configurations: { custom_host: 'https://llm.example.org/v1' },
    };
    await step('PUT', `/v1/integrations/${id}/models`, {
      key: credential.key,
      models: [model, { slug: 'gpt-4o' }],
    });
    await step('GET', `/v1/integrations/${id}/models`);
    await step('GET', `/v1/integrations/${id}/workspaces`);
    await step('GET', '/v1/integrations');
    await step('GET', `/v1/integrations/${id}`);
    await step('PUT', `/v1/integrations/${id}`, { description: 'full' });
    await step('DELETE', `/v1/integrations/${id}/models?slugs=own`);
    const wanted = { name: 'Mine', integration_id: id, usage_limits: { credit_limit: 5 } };
    const provider = await step('POST', '/v1/providers', wanted, { key });
    for (const path of ['', '?include_used_by=true', '/models'])
      await step('GET', `/v1/providers${path}`, undefined, { key });
    await step('POST', '/v1/integrations/test', { ai_provider_id: 'sandbox' }, { key });
    await step('GET', `/v1/providers/${provider.slug}`, undefined, { key });
    await step('PUT', `/v1/providers/${provider.slug}`, { note: 'full' }, { key });
    await step('DELETE', `/v1/providers/${provider.slug}`, undefined, { key });
    const virtual = await step(
      'POST',
      '/v1/virtual-keys',
      { name: 'V', provider: 'openai', ...credential },
      { key },
    );
    await step('GET', '/v1/virtual-keys', undefined, { key });
    await step('GET', `/v1/virtual-keys/${virtual.data.slug}`, undefined, { key });
    await step('PUT', `/v1/virtual-keys/${virtual.data.slug}`, { note: 'full' }, { key });
    await step('DELETE', `/v1/virtual-keys/${virtual.data.slug}`, undefined, { key });
    await step('DELETE', `/v1/integrations/${id}`);
    const config = await step(
      'POST',
      '/v1/configs',
      { name: 'Full', config: { provider: '@openai' } },
      { key },
    );
    await step('GET', '/v1/configs', undefined, { key });
    await step('GET', `/v1/configs/${config.slug}`, undefined, { key });
    await step('GET', '/v1/config/name/Full', undefined, { key });
    await step('GET', `/v1/config/slug/${config.slug}`, undefined, { key });
    await step('PUT', `/v1/configs/${config.slug}`, { name: 'Fuller' }, { key });
    await step('GET', `/v1/configs/${config.slug}/versions`, undefined, { key });
    await step('GET', `/v1/configs/${config.slug}/versions/${config.version_id}`, undefined, { key });
    await step('POST', '/v1/configs/simulate', { config: config.slug, outcomes: [{ status: 503 }] }, { key });
    await step('DELETE', `/v1/configs/${config.slug}`, undefined, { key });
  });

  it('of labels, collections, partials and prompts match the document', async () => {
    const { key, organisationId } = ours;
    const by = { key };
    const label = await step('POST', '/v1/labels', { name: 'canary', color_code: '#fff' }, by);
    await step('GET', '/v1/labels', undefined, by);
    await step('GET', `/v1/labels/${label.id}`, undefined, by);
    await step('PUT', `/v1/labels/${label.id}`, { description: 'full' }, by);
    const folder = await step('POST', '/v1/collections', { name: 'Full' }, by);
    await step('POST', '/v1/collections', { name: 'Inner', parent_collection_id: folder.slug }, by);
    await step('GET', '/v1/collections', undefined, by);
    await step('GET', `/v1/collections/${folder.slug}`, undefined, by);
    await step('PUT', `/v1/collections/${folder.slug}`, { name: 'Fuller' }, by);
    const collection_id = folder.id;
    const sibling = await admin.workspace(organisationId);
    const audience = { access: 'workspaces', workspace_ids: [sibling] };
    const forkHere = { workspace_id: ours.workspaceId };
    const partial = await step('POST', '/v1/prompts/partials', { name: 'Style', string: 'a' }, by);
    const provider = { name: 'V', provider: 'openai', key: 'sk-0123456789abcdef' };
    const virtual_key = (await step('POST', '/v1/virtual-keys', provider, by)).data.slug;
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const prompt = await step(
      'POST',
      '/v1/prompts',
      {
        ...{ name: 'Full', collection_id, string: `{{>${partial.slug}}}{{#s}}{{v}}{{/s}}`, model: 'm' },
        ...{ parameters: { n: 1 }, virtual_key, tools, functions: [{}], tool_choice: 'auto' },
        ...{ version_description: 'first', template_metadata: { a: 1 } },
      },
      by,
    );
    for (const [path, made, change] of [
      ['/v1/prompts', prompt, { patch: true, string: 'b' }],
      ['/v1/prompts/partials', partial, { string: 'b' }],
    ] as const) {
      const one = `${path}/${made.slug}`;
      await step('PUT', one, change, by);
      await step('PUT', `${one}/makeDefault`, { version: 2 }, by);
      await step('POST', `${one}/share`, { ...audience, include_partials: true }, by);
      await step('PUT', `${one}/share`, audience, by);
      await step('GET', `${path}?show_prompt_share=true`, undefined, by);
      await step('GET', `${one}/versions`, undefined, by);
      await step('GET', one, undefined, by);
      await step('POST', `${one}/fork`, forkHere, by);
      await step('POST', `${one}/unshare`, {}, by);
      await step('DELETE', `${one}/unshare`, undefined, by);
      await step('DELETE', `${one}/share`, undefined, by);
    }
    await step('PUT', `/v1/prompts/${prompt.slug}/versions/${prompt.version_id}`, { label_id: label.id }, by);
    await step('GET', `/v1/prompts/${prompt.slug}/versions/${prompt.version_id}`, undefined, by);
    await step('GET', `/v1/prompts/${prompt.slug}@canary`, undefined, by);
    await step('GET', `/v1/prompts/${prompt.slug}/versions`, undefined, by);
    await step('DELETE', `/v1/prompts/${prompt.slug}`, undefined, by);
    await step('DELETE', `/v1/prompts/partials/${partial.slug}`, undefined, by);
    await step('DELETE', `/v1/collections/${folder.slug}`, undefined, by);
    await step('DELETE', `/v1/labels/${label.id}`, undefined, by);
  });

  it('of policies match the document', async () => {
    const by = { key: ours.key };
    const body = {
      name: 'Full',
      conditions: [{ key: 'metadata.team', value: ['a', 'b'], excludes: 'c' }],
      group_by: [{ key: 'api_key' }],
    };
    const bodies = {
      'usage-limits': { ...body, type: 'cost', credit_limit: 5, periodic_reset: 'weekly' },
      'rate-limits': { ...body, type: 'requests', unit: 'rpw', value: 5 },
    };
    for (const [kind, full] of Object.entries(bodies)) {
      const { id } = await step('POST', `/v1/policies/${kind}`, full, by);
      await step('GET', `/v1/policies/${kind}`, undefined, by);
      await step('GET', `/v1/policies/${kind}/${id}`, undefined, by);
      await step('PUT', `/v1/policies/${kind}/${id}`, { conditions: body.conditions }, by);
      if (kind === 'usage-limits') {
        const value = { id: uuidv7(), policyId: id, valueKey: 'api_key:a' };
        await admin.dataSource.manager.insert(UsageLimitPolicyValueEntity, value);
        await step('GET', `/v1/policies/${kind}/${id}/entities`, undefined, by);
        await step('PUT', `/v1/policies/${kind}/${id}/entities/${value.id}/reset`, {}, by);
      }
      await step('DELETE', `/v1/policies/${kind}/${id}`, undefined, by);
    }
  });

  it('of repricings match the document', async () => {
    const by = { key: ours.adminKey };
    const body = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z', provider: 'openai' };
    const { id } = await step('POST', '/v1/repricings', body, by);
    const group = { provider: 'openai', model: 'gpt-4o', changed: 1, unpriced: 2, before: 3, after: 4 };
    const report = { seen: 5, groups: [group] };
    await admin.dataSource.manager.update(RepricingEntity, { id }, { status: 'previewed', report });
    for (const path of ['', `/${id}`]) await step('GET', `/v1/repricings${path}`, undefined, by);
    await step('POST', `/v1/repricings/${id}/apply`, {}, by);
  });

  it('of alert webhooks match the document', async () => {
    const by = { key: ours.key };
    const body = { name: 'On call', url: 'https://hooks.example.com/a' };
    const { id } = await step('POST', '/v1/alert-webhooks', body, by);
    await step('GET', '/v1/alert-webhooks', undefined, by);
    await step('GET', `/v1/alert-webhooks/${id}`, undefined, by);
    await step('PUT', `/v1/alert-webhooks/${id}`, { enabled: false }, by);
    await step('DELETE', `/v1/alert-webhooks/${id}`, undefined, by);
  });

  it('of secret references match the document', async () => {
    const auth_config = { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' };
    const body = {
      name: 'Full',
      manager_type: 'cloud1_sm',
      auth_config,
      secret_path: 'a/b',
      tags: { a: 'b' },
    };
    const { id } = await step('POST', '/v1/secret-references', body);
    await step('GET', '/v1/secret-references');
    await step('GET', `/v1/secret-references/${id}`);
    await step('PUT', `/v1/secret-references/${id}`, { description: 'full' });
    await step('POST', `/v1/secret-references/${id}/test`);
    await step('POST', `/v1/secret-references/${id}/rotate`);
    await step('DELETE', `/v1/secret-references/${id}`);
  });

  it('of deployments, plugins, exclusions and properties match the document', async () => {
    const { id } = await step('POST', '/v1/deployments', {
      name: 'Full',
      tags: { a: 'b' },
      credentials: { username: 'u', password: 'p' },
      auth_settings: { workspaces_allowed: [ours.workspaceId] },
    });
    await step('GET', '/v1/deployments');
    await step('GET', `/v1/deployments/${id}`);
    await step('PUT', `/v1/deployments/${id}`, { rotate_auth: true });
    await step('PUT', `/v1/deployments/${id}`, {
      auth_settings: { gateway_base_url: 'https://gateway.invalid.example' },
    });
    await step('GET', `/v1/deployments/${id}/ping`);
    await step('DELETE', `/v1/deployments/${id}`);
    await step('GET', '/v1/admin/gateways');
    const account = { plugin_provider_id: 'full', credentials: { key: 'secret' } };
    const plugin = await step('POST', '/v1/plugins', account);
    await step('GET', '/v1/plugins');
    await step('PUT', `/v1/plugins/${plugin.id}`, { name: 'Fuller' });
    for (const direction of ['input', 'output']) {
      const url = `/v1/workspace-exclusions/${direction}-guardrails`;
      await step('PUT', url, { workspaces: [{ workspace_id: ours.workspaceId, excluded: true }] });
      await step('GET', url);
    }
    const schema = { type: 'object', additionalProperties: true, properties: {} };
    await step('PUT', '/v1/admin/organisation/properties', { api_key_metadata_schema: schema });
    await step('GET', '/v1/admin/organisation/properties');
  });

  it('of guardrails and their defaults match the document', async () => {
    const checks = [{ id: 'default.contains', parameters: { words: ['a'], operator: 'none' } }];
    const made = await step('POST', '/v1/guardrails', { name: 'Full', checks, actions: { deny: true } });
    const url = `/v1/guardrails/${made.slug}`;
    await step('GET', '/v1/guardrails');
    await step('PUT', url, { name: 'Fuller', checks });
    await step('GET', url);
    await step('GET', `${url}/versions`);
    await step('GET', `${url}/versions/${made.version_id}`);
    await step('POST', `${url}/invoke`, { text: 'a' }, { key: ours.key });
    await step('PUT', '/v1/admin/organisation/defaults', { input_guardrails: [made.slug] });
    await step('GET', '/v1/admin/organisation/defaults');
    await step('PUT', '/v1/admin/organisation/defaults', { input_guardrails: [] });
    await judged(ours, made);
    await step('GET', `${url}/verdicts`);
    await step('POST', `${url}/feedback`, { log_id: made.id, mark: 'false_positive' });
    await step('GET', `${url}/quality`);
    await step('DELETE', url);
    const tools = await step('POST', '/v1/guardrails', { name: 'Tools', checks, target: 'mcp_tools' });
    const servers = `/v1/guardrails/${tools.slug}/mcp-servers`;
    const { manager } = admin.dataSource;
    const { id: upstream } = await insertMcpIntegration(manager, ours);
    const { id: server } = await insertMcpServer(manager, ours, upstream);
    await step('PUT', servers, { mcp_servers: { [server]: {} } });
    const agents = `/v1/guardrails/${tools.slug}/agent-servers`;
    const { id: upstreamAgent } = await insertAgentIntegration(manager, ours);
    const { id: agent } = await insertAgentServer(manager, ours, upstreamAgent);
    await step('PUT', agents, { agent_servers: { [agent]: {} } });
    await step('GET', agents);
    await step('PUT', `${servers}/${server}`, { run_on: ['beforeToolCall'] });
    await step('GET', servers);
    await step('DELETE', `/v1/guardrails/${tools.slug}`);
  });

  /** Inserts a verdict of the guardrail for a log record with the guardrail's id. */
  async function judged({ organisationId, workspaceId }: typeof ours, { id, slug }: Made): Promise<void> {
    const created_at = new Date().toISOString();
    await ensureLogPartitions(admin.dataSource, [dayOf(created_at)]);
    const of = { organisation_id: organisationId, workspace_id: workspaceId, guardrail: slug, created_at };
    const check = { check_id: 'default.contains', stage: 'input', duration_ms: 1 };
    const verdict = { place: 0, user_id: null, version_id: null, verdict: 'failed', denied: true } as const;
    await insertVerdicts(admin.dataSource.manager, [{ log_id: id, ...of, ...check, ...verdict }]);
    await addCounts(admin.dataSource.manager, [{ ...of, ...check, runs: 1, failed: 1, errored: 0 }]);
  }

  checkLogResponses({ admin, ours, step });

  checkIdentityResponses({ admin, ours, step });
  const stepAs = async <T>(method: string, url: string, body?: object) =>
    (await step(method, url, body)) as unknown as T;
  checkMcpResponses({ ours, step: stepAs });
  checkMcpServerResponses({ admin, ours, step });
  checkAgentResponses({ admin, ours, step: stepAs });

  it('of exports match the document', async () => {
    const own = { key: ours.key };
    const body = { filters: { status_code: '200' }, requested_data: ['id', 'cost'] };
    const { id } = await step('POST', '/v1/logs/exports', body, own);
    const url = `/v1/logs/exports/${id}`;
    await step('GET', '/v1/logs/exports', undefined, own);
    await step('GET', '/v1/logs/exports/field-restrictions', undefined, own);
    await step('PUT', url, { filters: {} }, own);
    await step('POST', `${url}/start`, undefined, own);
    await step('POST', `${url}/cancel`, undefined, own);
    await admin.dataSource.manager.update(LogExportEntity, { id }, { status: 'success' });
    await step('GET', `${url}/download`, undefined, own);
    await step('GET', url, undefined, own);
    await step('DELETE', url, undefined, own);
  });

  it('of traces match the document', async () => {
    const by = { key: ours.key };
    const times = { startTimeUnixNano: '1770000000000000000', endTimeUnixNano: '1770000000000000001' };
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'x', ...times };
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [span, {}] }] }] };
    await step('POST', '/v1/otel/v1/traces', body, by);
    await step('GET', `/v1/otel/traces/${span.traceId}`, undefined, by);
  });

  it('of analytics match the document', async () => {
    const paths = Object.keys(admin.api.document.paths).filter((path) => path.startsWith('/v1/analytics/'));
    const day = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    const query = `time_of_generation_min=${day(3)}&time_of_generation_max=${day(0)}`;
    for (const path of paths) {
      const url = path.replace('{metadataKey}', 'team').replace('{groupBy}', 'model');
      await step('GET', `${url}?${query}`, undefined, { key: ours.key });
    }
    expect(paths.length).toBeGreaterThan(20);
  });

  it('were all checked by the steps above', () => {
    const unseen = [...admin.responses.schemas.handlers].filter(
      (handler) => !admin.responses.seen.has(handler),
    );
    // These routes need an agent, an MCP server, mail, DNS, an identity provider or an
    // authenticator app; the specs of their resources check their responses.
    expect(unseen.sort()).toEqual([
      'agentCards_fetch',
      'agentSkills_sync',
      'auth_changeOrganisation',
      'auth_loginByFactor',
      'claim_create',
      'domains_verify',
      'grants_end',
      'mcpConnect_connect',
      'mfa_confirm',
      'mfa_enrol',
      'mfa_remove',
      'mfa_renewCodes',
      'ownGrants_end',
      'passkeyLogin_begin',
      'passkeyLogin_login',
      'passkeys_begin',
      'passkeys_register',
      'passkeys_rename',
      'passwords_forgot',
      'samlLogin_callback',
      'signingKeys_rotate',
      'ssoConnections_test',
      'ssoLinks_remove',
      'ssoLogin_callback',
      'ssoLogin_exchange',
      'ssoLogout_take',
    ]);
  });
});

describe('request bodies in the document', () => {
  const admin = new TestAdminApi();

  it('have an example for every required field', () => {
    const { schemas = {} } = admin.api.document.components ?? {};
    const requests = Object.values(admin.api.document.paths).flatMap((item) =>
      Object.values(item as Record<string, { requestBody?: unknown }>).map(({ requestBody }) => requestBody),
    );
    const names = [...JSON.stringify(requests).matchAll(/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    expect(new Set(names).size).toBeGreaterThan(15);
    const silent = [...new Set(names)].flatMap((name) => {
      const { required = [], properties = {} } = schemas[name] as Schema;
      return required
        .filter((field) => !/"(?:example|\$ref)"/.test(JSON.stringify(properties[field])))
        .map((field) => `${name}.${field}`);
    });
    expect(silent).toEqual([]);
  });
});

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}
