import { uuidv7 } from '@gw/kernel';
import { connectionFields, samlMetadata } from './sso-connections';
import { trustFields } from './trusts';
import { AGENT, MCP_SERVER, OPENAPI, type Fixture, type Kind } from './tenancy-fixtures';

/** Values for the body of a row: the target, and the workspace in which the caller acts. */
export interface BodyParts {
  readonly fixture: Fixture;
  /**
   * The target's workspace if the caller can reach it, else the caller's; undefined for a caller
   * without a workspace.
   */
  readonly workspaceId: string | undefined;
  /** The target's workspace in every case. */
  readonly targetId: string;
  /** The mark of the target, which a new name must still contain. */
  readonly mark?: string;
}

/**
 * What a route targets, which decides what its caller may reach:
 * - `nothing`: no rows of a tenant, or the caller's whole organisation, so there is no foreign
 * target.
 * - `named`: a workspace in the query or the body.
 * - `path`: a workspace in the path.
 * - `workspace`: a row of a workspace, by id or slug.
 * - `organisation`: a row of an organisation.
 */
type Aim = 'nothing' | 'named' | 'path' | 'workspace' | 'organisation';

export interface TenancyRow {
  readonly aim: Aim;
  /** Kind of the fixture. */
  readonly kind?: Kind;
  readonly body?: (parts: BodyParts) => object;
  /** True when the route requires a workspace from callers of the whole organisation. */
  readonly needsWorkspace?: true;
  readonly query?: string;
  /**
   * Scopes that the target needs, if the route declares scopes for several kinds of target. Without
   * them the target is hidden.
   */
  readonly scopes?: readonly string[];
  /**
   * True when the call does not change its target in a way that other calls notice, so that they
   * share it.
   */
  readonly keeps?: true;
  /**
   * True when a caller of one workspace gets only data of that workspace or of no tenant, although
   * the route is about the organisation.
   */
  readonly narrows?: true;
  /** Users who may call if they have logged in themselves; their keys and tokens may not. */
  readonly loggedIn?: 'anyone' | 'owner';
  /** Documented role that the call gives, whose scopes its caller must have. */
  readonly gives?: string;
  /** Expected statuses of a call that passes all checks. Default: 200. */
  readonly reached?: readonly number[];
}

type More = Omit<TenancyRow, 'aim' | 'kind'>;

const nothing = (more: More = {}): TenancyRow => ({ aim: 'nothing', ...more });
const named = (more: Omit<TenancyRow, 'aim'> = {}): TenancyRow => ({ aim: 'named', ...more });
const path = (more: Omit<TenancyRow, 'aim'> = {}): TenancyRow => ({ aim: 'path', ...more });
const workspace = (kind: Kind, more: More = {}): TenancyRow => ({ aim: 'workspace', kind, ...more });
const organisation = (kind: Kind, more: More = {}): TenancyRow => ({ aim: 'organisation', kind, ...more });
const empty = { body: () => ({}) };
/** Body that renames the target. */
const RENAMED: More = {
  body: ({ mark = 'renamed' }) => ({ name: `${mark}-${uuidv7()}` }),
  keeps: true,
};
const body = (value: object): More => ({ body: () => value });
const kept = (value: object): More => ({ ...body(value), keeps: true });

/** Returns the rows of a resource with `create`, `list`, `get`, `update` and `remove`. */
const crud = (
  name: string,
  kind: Kind,
  create: object,
  update: More,
  more: More = {},
): Record<string, TenancyRow> => ({
  [`${name}_create`]: named(body(create)),
  [`${name}_list`]: named(),
  [`${name}_get`]: workspace(kind, more),
  [`${name}_update`]: workspace(kind, { ...update, ...more }),
  [`${name}_remove`]: workspace(kind, more),
});

const organisationCrud = (
  name: string,
  kind: Kind,
  create: object,
  update: More,
): Record<string, TenancyRow> => ({
  [`${name}_create`]: nothing(body(create)),
  [`${name}_list`]: nothing(),
  [`${name}_get`]: organisation(kind),
  [`${name}_update`]: organisation(kind, update),
  [`${name}_remove`]: organisation(kind),
});

const DECISION = { items: [{ type: 'tool', name: 'x', digest: 'a'.repeat(64) }] };

const mcpCapabilities = (): Record<string, TenancyRow> => ({
  mcpCapabilities_list: workspace('mcpIntegration'),
  mcpCapabilities_metadata: workspace('mcpIntegration'),
  mcpCapabilities_changes: workspace('mcpIntegration'),
  // The server was never read, so it has no capability of this name.
  mcpCapabilities_update: workspace('mcpIntegration', {
    ...body({ capabilities: [{ type: 'tool', name: 'x', enabled: false }] }),
    reached: [400],
  }),
  mcpCapabilities_approve: workspace('mcpIntegration', { ...body(DECISION), reached: [409] }),
  mcpCapabilities_reject: workspace('mcpIntegration', { ...body(DECISION), reached: [409] }),
  mcpCapabilities_sync: workspace('mcpIntegration', body({ server_info: { name: 'x' }, capabilities: [] })),
  mcpCapabilities_test: workspace('mcpIntegration', empty),
});

const SKILL_DECISION = { items: [{ id: 'x', digest: 'a'.repeat(64) }] };

const agentSkills = (): Record<string, TenancyRow> => ({
  agentSkills_list: workspace('agentIntegration'),
  agentSkills_changes: workspace('agentIntegration'),
  agentSkills_update: workspace('agentIntegration', body({ skills: [{ id: 'read', enabled: false }] })),
  agentSkills_approve: workspace('agentIntegration', { ...body(SKILL_DECISION), reached: [409] }),
  agentSkills_reject: workspace('agentIntegration', { ...body(SKILL_DECISION), reached: [409] }),
  // The request contained the card.
  agentSkills_sync: workspace('agentIntegration', { ...empty, reached: [400] }),
  agentSkills_test: workspace('agentIntegration', empty),
});

const shares = (name: string, kind: Kind): Record<string, TenancyRow> => {
  const audience = body({ access: 'organisation' });
  return {
    [`${name}_share`]: workspace(kind, audience),
    [`${name}_replaceShare`]: workspace(kind, audience),
    [`${name}_removeShare`]: workspace(kind),
    [`${name}_unshare`]: workspace(kind, empty),
    [`${name}_fork`]: workspace(kind, { body: ({ workspaceId }) => ({ workspace_id: workspaceId }) }),
    [`${name}_versions`]: workspace(kind),
    [`${name}_publish`]: workspace(kind, body({ version: 1 })),
  };
};

const ACCOUNT = { name: 'x', ai_provider_id: 'openai', key: 'sk-0123456789abcdef' };
const VIRTUAL_KEY = { name: 'x', provider: 'openai', key: ACCOUNT.key };
const GUARDRAIL = { name: 'x', checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] };
const POLICY = {
  name: 'x',
  conditions: [{ key: 'metadata.team', value: ['a'] }],
  group_by: [{ key: 'api_key' }],
};
const SERVER_JSON = {
  ...{ name: 'com.example/weather', version: '1.0.0' },
  remotes: [{ type: 'streamable-http', url: MCP_SERVER.url }],
};
const serviceKeys = (action: string): { scopes: string[] } => ({
  scopes: [`workspace_service_api_keys.${action}`],
});

/** Returns the rows of all analytics routes: a workspace in the query, and a range. */
function analytics(): Record<string, TenancyRow> {
  const graphs = ['requests', 'cost', 'latency', 'tokens', 'users', 'userRequests', 'errors', 'errorRate'];
  graphs.push('errorStacks', 'statusCodes', 'rescued', 'hitRate', 'cacheLatency');
  graphs.push('feedbacks', 'scores', 'weighted', 'feedbackModels');
  const groups = ['cacheSummary', 'counters', 'users', 'models', 'workspaces', 'metadata', 'metadataValues'];
  const query = 'time_of_generation_min=2026-01-01T00:00:00Z&time_of_generation_max=2026-01-02T00:00:00Z';
  return Object.fromEntries([
    ...graphs.map((name) => [`analyticsGraphs_${name}`, named({ query })] as const),
    ...groups.map((name) => [`analyticsGroups_${name}`, named({ query })] as const),
    // The name that the matrix puts into paths is not a grouping.
    ['analyticsGroups_by', named({ query, reached: [404] })] as const,
  ]);
}

/**
 * Rows by handler, which may serve several paths. The matrix fails for a documented route without a
 * row.
 */
export const TENANCY_ROWS: Readonly<Record<string, TenancyRow>> = {
  health_health: nothing(),
  health_live: nothing(),
  health_ready: nothing(),
  // Selects records that every organisation has and that contain the mark of its deployment.
  auditLogs_list: nothing({ narrows: true, query: 'resource_type=deployments&action=create&page_size=100' }),
  auditLogs_verify: nothing(),
  // The email address is new each time, because failed logins throttle further ones.
  auth_login: nothing({
    body: () => ({ email: `${uuidv7()}@example.com`, password: 'x' }),
    reached: [401],
  }),
  claim_create: nothing({ ...body({ token: 'x' }), reached: [403] }),
  console_bootstrap: nothing(),
  auth_refresh: nothing({ ...body({ refresh_token: 'x'.repeat(43) }), reached: [401] }),
  auth_changeOrganisation: nothing({
    ...body({ organisation_id: '018f0000-0000-7000-8000-000000000000' }),
    reached: [404],
  }),
  playgroundKeys_create: named(empty),
  auth_logout: nothing(),
  auth_permissions: named(),
  auth_self: nothing(),
  // The callers still need their grants; the row names one that does not exist.
  ownGrants_list: nothing(),
  ownGrants_end: nothing({ reached: [404] }),
  grants_list: nothing(),
  grants_end: nothing({ reached: [404] }),
  // The challenge is unknown; the row only checks that every caller may continue a login.
  auth_loginByFactor: nothing({ ...body({ challenge: 'x', code: '123456' }), reached: [401] }),
  mfa_list: nothing(),
  passkeys_begin: nothing({ ...body({ code: 'x' }), reached: [401, 429] }),
  passkeys_register: nothing({ ...body({ response: {} }), reached: [401] }),
  passkeys_rename: nothing({ ...body({ name: 'x' }), reached: [404] }),
  passkeyLogin_begin: nothing(body({})),
  passkeyLogin_login: nothing({ ...body({ response: {} }), reached: [401] }),
  mfa_enrol: nothing({ ...body({ code: 'x' }), reached: [401, 429] }),
  mfa_confirm: nothing({ body: () => ({ id: uuidv7(), code: '123456' }), reached: [404] }),
  mfa_renewCodes: nothing({ ...body({ code: 'x' }), reached: [401, 429] }),
  mfa_remove: nothing({ ...body({ code: 'x' }), reached: [401, 429] }),
  passwords_change: nothing({
    ...body({ current_password: 'x', new_password: 'quiet lamp under seven rivers' }),
    reached: [401, 429],
  }),
  // Mail is not configured in the tests.
  passwords_forgot: nothing({ ...body({ email: 'nobody@example.com' }), reached: [403] }),
  passwords_reset: nothing({
    ...body({ token: 'x'.repeat(43), password: 'quiet lamp under seven rivers' }),
    reached: [404],
  }),
  passwordResets_create: organisation('user', { loggedIn: 'owner' }),
  factorResets_create: organisation('user', { loggedIn: 'anyone' }),
  inviteAcceptance_accept: nothing({
    ...body({ token: 'x'.repeat(43), password: 'a long enough password' }),
    reached: [404],
  }),
  organisations_get: nothing(),
  organisations_update: nothing(empty),
  organisations_settings: nothing(),
  organisations_updateSettings: nothing(empty),
  organisationProperties_get: nothing(),
  organisationProperties_update: nothing(empty),
  // A service key has no user to connect.
  mcpConnect_connect: workspace('signInServer', { reached: [200, 403] }),
  providerCatalogue_list: nothing(),
  gateways_list: nothing({ narrows: true }),
  workspaceExclusions_inputs: nothing(),
  workspaceExclusions_outputs: nothing(),
  workspaceExclusions_updateInputs: nothing(body({ workspaces: [] })),
  workspaceExclusions_updateOutputs: nothing(body({ workspaces: [] })),
  users_list: nothing(),
  users_get: organisation('user'),
  users_permissions: organisation('user'),
  ssoLinks_list: organisation('user'),
  // No user of the matrix has logged in at a provider.
  ssoLinks_remove: organisation('user', { reached: [404] }),
  users_update: organisation('user', body({ role: 'member' })),
  users_remove: organisation('user'),
  invites_create: nothing({ ...body({ email: 'not an address', role: 'member' }), reached: [400] }),
  invites_list: nothing(),
  invites_get: organisation('invite'),
  invites_cancel: organisation('invite'),
  invites_resend: organisation('invite'),
  workspaces_create: nothing(body({ name: 'x' })),
  workspaces_list: nothing(),
  workspaces_get: path(),
  workspaces_update: path(body({ description: 'x' })),
  // The name does not match, so the workspaces stay; the row only checks which callers pass the
  // guards.
  workspaces_remove: path({ ...body({ name: 'not its name' }), reached: [400] }),
  workspaceMembers_add: path({
    kind: 'user',
    body: ({ fixture }) => ({ users: [{ id: fixture.id, role: 'member' }] }),
    gives: 'workspace-member',
  }),
  workspaceMembers_list: path(),
  workspaceMembers_get: path({ kind: 'member' }),
  workspaceMembers_update: path({ kind: 'member', ...body({ role: 'member' }), gives: 'workspace-member' }),
  workspaceMembers_remove: path({ kind: 'member' }),
  apiKeys_create: named({
    body: ({ targetId }) => ({ name: 'x', scopes: ['logs.list'], workspace_id: targetId }),
    ...serviceKeys('create'),
  }),
  apiKeys_list: named(),
  apiKeys_self: nothing(),
  apiKeys_get: workspace('apiKey', serviceKeys('read')),
  apiKeys_update: workspace('apiKey', { ...RENAMED, ...serviceKeys('update') }),
  apiKeys_remove: workspace('apiKey', serviceKeys('delete')),
  apiKeys_rotate: workspace('apiKey', { ...empty, ...serviceKeys('rotate') }),
  ...crud('integrations', 'integration', ACCOUNT, RENAMED),
  integrations_listModels: workspace('integration'),
  integrations_updateModels: workspace('integration', body({ models: [{ slug: 'gpt-4o' }] })),
  // Only custom models can be removed.
  integrations_removeModels: workspace('integration', { query: 'slugs=gpt-4o', reached: [400] }),
  integrations_listWorkspaces: organisation('organisationIntegration', {
    scopes: ['organisation_integrations.read'],
  }),
  integrations_updateWorkspaces: organisation('organisationIntegration', {
    ...body({ workspaces: [] }),
    scopes: ['organisation_integrations.update'],
  }),
  ...crud('mcpIntegrations', 'mcpIntegration', { name: 'x', ...MCP_SERVER }, RENAMED),
  mcpIntegrations_listWorkspaces: organisation('organisationMcpIntegration', {
    scopes: ['organisation_mcp_integrations.read'],
  }),
  mcpIntegrations_updateWorkspaces: organisation('organisationMcpIntegration', {
    ...body({ workspaces: [] }),
    scopes: ['organisation_mcp_integrations.update'],
  }),
  mcpIntegrationVersions_list: workspace('mcpIntegration'),
  mcpIntegrationVersions_restore: workspace('mcpIntegration', empty),
  mcpIntegrationVersions_health: workspace('mcpIntegration'),
  ...mcpCapabilities(),
  ...crud('agentIntegrations', 'agentIntegration', { name: 'x', ...AGENT }, RENAMED),
  agentCards_list: workspace('agentIntegration'),
  agentCards_get: workspace('agentIntegration'),
  agentIntegrations_health: workspace('agentIntegration'),
  agentIntegrations_listWorkspaces: organisation('organisationAgentIntegration', {
    scopes: ['organisation_agent_integrations.read'],
  }),
  agentIntegrations_updateWorkspaces: organisation('organisationAgentIntegration', {
    ...body({ workspaces: [] }),
    scopes: ['organisation_agent_integrations.update'],
  }),
  ...agentSkills(),
  ...crud('agentServers', 'agentServer', {}, RENAMED, { needsWorkspace: true }),
  agentServers_create: named({
    kind: 'agentUpstream',
    body: ({ fixture }) => ({ name: 'x', agent_integration_id: fixture.id }),
  }),
  agentServers_test: workspace('agentServer', { ...empty, needsWorkspace: true }),
  agentServers_health: workspace('agentServer', { needsWorkspace: true }),
  agentServerAccess_listSkills: workspace('agentServer', { needsWorkspace: true }),
  agentServerAccess_updateSkills: workspace('agentServer', {
    ...body({ skills: [{ id: 'read', enabled: true }] }),
    needsWorkspace: true,
  }),
  agentServerAccess_listUsers: workspace('agentServer', { needsWorkspace: true }),
  agentServerAccess_updateUsers: workspace('agentServer', { ...empty, needsWorkspace: true }),
  agentServerAccess_getRules: workspace('agentServer', { needsWorkspace: true }),
  agentServerAccess_updateRules: workspace('agentServer', { ...body({ rules: [] }), needsWorkspace: true }),
  // The row names neither a user nor a key.
  agentServerAccess_effective: workspace('agentServer', { needsWorkspace: true, reached: [400] }),
  agentServerAccess_card: workspace('agentServer', { needsWorkspace: true }),
  mcpOpenApi_create: named(body({ name: 'x', auth_type: 'none', openapi: { spec: OPENAPI } })),
  mcpOpenApi_get: workspace('openApiIntegration'),
  mcpOpenApi_update: workspace('openApiIntegration', body({ spec: OPENAPI })),
  mcpImport_run: named(body({ server_json: SERVER_JSON })),
  ...crud('providers', 'provider', {}, kept({ note: 'x' }), { needsWorkspace: true }),
  providers_create: named({
    kind: 'integration',
    body: ({ fixture }) => ({ name: 'x', integration_id: fixture.id }),
  }),
  integrationTests_run: named(body({ ai_provider_id: 'sandbox', model: 'sandbox-small' })),
  workspaceModels_list: named(),
  ...crud('virtualKeys', 'virtualKey', VIRTUAL_KEY, kept({ note: 'x' }), { needsWorkspace: true }),
  ...crud('configs', 'config', { name: 'x', config: { provider: '@x' } }, RENAMED),
  configs_simulate: named(body({ config: { provider: '@x' }, outcomes: [] })),
  configs_versions: workspace('config'),
  configs_version: workspace('config'),
  configLookup_byName: workspace('config', { needsWorkspace: true }),
  configLookup_bySlug: workspace('config'),
  defaultGuardrails_get: nothing(),
  defaultGuardrails_update: nothing(empty),
  ...crud('guardrails', 'guardrail', GUARDRAIL, RENAMED),
  guardrails_invoke: workspace('guardrail', { ...body({ text: 'b' }), needsWorkspace: true }),
  guardrails_version: workspace('guardrail'),
  guardrails_versions: workspace('guardrail'),
  guardrailQuality_verdicts: workspace('judgingGuardrail'),
  guardrailQuality_quality: workspace('judgingGuardrail'),
  guardrailQuality_feedback: workspace('judgingGuardrail', {
    body: ({ fixture }) => ({ log_id: fixture.id, mark: 'false_positive' }),
  }),
  guardrailServers_list: workspace('toolGuardrail'),
  guardrailServers_replace: workspace('toolGuardrail', body({ mcp_servers: {} })),
  guardrailServers_put: workspace('toolGuardrail', empty),
  guardrailServers_listAgents: workspace('toolGuardrail'),
  guardrailServers_replaceAgents: workspace('toolGuardrail', body({ agent_servers: {} })),
  mcpApprovals_list: named(),
  mcpApprovals_get: workspace('mcpApproval'),
  mcpApprovals_approve: workspace('mcpApproval', empty),
  mcpApprovals_reject: workspace('mcpApproval', empty),
  ...crud('mcpServers', 'mcpServer', {}, RENAMED, { needsWorkspace: true }),
  mcpServers_create: named({
    kind: 'mcpUpstream',
    body: ({ fixture }) => ({ name: 'x', mcp_integration_id: fixture.id }),
  }),
  mcpServers_test: workspace('mcpServer', { ...empty, needsWorkspace: true }),
  mcpServers_health: workspace('mcpServer', { needsWorkspace: true }),
  mcpServers_metadata: workspace('mcpServer', { needsWorkspace: true }),
  mcpServerAccess_listCapabilities: workspace('mcpServer', { needsWorkspace: true }),
  mcpServerAccess_updateCapabilities: workspace('mcpServer', {
    ...body({ capabilities: [{ type: 'tool', name: 'read', enabled: true }] }),
    needsWorkspace: true,
  }),
  mcpServerAccess_listUsers: workspace('mcpServer', { needsWorkspace: true }),
  mcpServerAccess_updateUsers: workspace('mcpServer', { ...empty, needsWorkspace: true }),
  mcpServerAccess_listConnections: workspace('mcpServer', { needsWorkspace: true }),
  // A service key must name a user, and no user of the matrix has a connection.
  mcpServerAccess_removeConnection: workspace('mcpServer', { needsWorkspace: true, reached: [400, 404] }),
  mcpServerAccess_getRules: workspace('mcpServer', { needsWorkspace: true }),
  mcpServerAccess_updateRules: workspace('mcpServer', { ...body({ rules: [] }), needsWorkspace: true }),
  // The row names neither a user nor a key.
  mcpServerAccess_effective: workspace('mcpServer', { needsWorkspace: true, reached: [400] }),
  ...crud('mcpToolsets', 'mcpToolset', { name: 'x', members: [] }, RENAMED, { needsWorkspace: true }),
  // The row names neither a user nor a key.
  mcpToolsets_preview: workspace('mcpToolset', { needsWorkspace: true, reached: [400] }),
  logExports_create: named(body({ filters: {}, requested_data: ['id'] })),
  logExports_list: named(),
  logExports_fieldRestrictions: named(),
  logExports_get: workspace('logExport'),
  logExports_update: workspace('logExport', body({ filters: {} })),
  logExports_start: workspace('logExport'),
  // The export is not running or has no file; the row only checks which callers pass the guards.
  logExports_cancel: workspace('logExport', { reached: [200, 409] }),
  logExports_download: workspace('logExport', { reached: [400] }),
  logExports_remove: workspace('logExport', { reached: [200, 409] }),
  // The tests have no worker that would accept the records.
  logs_insert: named({
    ...body({ request: { url: 'https://x.example', body: {} }, response: { body: {} } }),
    reached: [503],
    scopes: ['completions.write'],
  }),
  // The trace is unknown; the row only checks the caller's rights.
  logs_trace: named({ reached: [404] }),
  feedback_create: named(body({ trace_id: 'x', value: 1 })),
  feedback_update: workspace('feedback', body({ value: 2 })),
  logs_list: named(),
  logs_tail: named({ query: 'max_seconds=1' }),
  // Other scopes read only logs of the caller's own requests, and no fixture is one.
  logs_get: workspace('log', { scopes: ['logs.view'] }),
  logs_request: workspace('log', { scopes: ['logs.view'] }),
  logs_response: workspace('log', { scopes: ['logs.view'] }),
  ...analytics(),
  traces_ingest: named(body({ resourceSpans: [] })),
  traces_spans: workspace('traceSpan', { needsWorkspace: true }),
  ...crud('labels', 'label', {}, kept({ description: 'x' })),
  labels_create: named({ body: () => ({ name: uuidv7() }) }),
  ...crud('collections', 'collection', { name: 'x' }, RENAMED),
  ...crud('partials', 'partial', { name: 'x', string: 'a' }, kept({ string: 'b' })),
  ...shares('partials', 'partial'),
  ...crud('prompts', 'prompt', {}, kept({ patch: true, string: 'b' })),
  prompts_create: named({
    kind: 'collection',
    body: ({ fixture }) => ({
      name: 'x',
      string: 'a',
      parameters: {},
      virtual_key: 'x',
      collection_id: fixture.id,
    }),
  }),
  ...shares('prompts', 'prompt'),
  prompts_version: workspace('prompt'),
  prompts_label: workspace('prompt', body({ label_id: null })),
  ...crud('usageLimitPolicies', 'usageLimit', { ...POLICY, type: 'cost', credit_limit: 5 }, RENAMED),
  usageLimitPolicies_entities: workspace('usageLimit'),
  usageLimitPolicies_reset: workspace('usageLimit'),
  ...crud('rateLimitPolicies', 'rateLimit', { ...POLICY, type: 'requests', unit: 'rpm', value: 5 }, RENAMED),
  // An organisation may have five open ones; further calls get as far as that check.
  repricings_create: nothing({
    ...body({ start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z' }),
    reached: [200, 409],
  }),
  repricings_list: nothing(),
  repricings_get: organisation('repricing'),
  repricings_apply: organisation('repricing', empty),
  // The address is in this installation's own network, which is refused after every check of the
  // caller.
  agentCards_fetch: nothing({ ...body({ endpoint: 'http://127.0.0.1/' }), reached: [400] }),
  ...crud('alertWebhooks', 'alertWebhook', { name: 'x', url: 'https://hooks.example.com/a' }, RENAMED),
  ...organisationCrud(
    'secretReferences',
    'secretReference',
    {
      name: 'x',
      manager_type: 'cloud1_sm',
      auth_config: { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' },
      secret_path: 'a/b',
    },
    RENAMED,
  ),
  domains_create: nothing({ body: () => ({ domain: `${uuidv7()}.example` }) }),
  trusts_create: nothing({ body: () => ({ ...trustFields(uuidv7()) }) }),
  authSettings_get: nothing(),
  authSettings_update: nothing(body({ sso_type: 'no-auth' })),
  // Other organisations exist, and no caller owns the only one.
  signingKeys_rotate: nothing({ ...empty, reached: [403] }),
  ssoConnections_create: nothing({ body: () => connectionFields(uuidv7()) }),
  ssoConnections_list: nothing(),
  ssoConnections_get: organisation('ssoConnection'),
  ssoConnections_update: organisation('ssoConnection', body({ auto_provision: false })),
  ssoConnections_previewGroups: organisation('ssoConnection', body({ groups: ['x'] })),
  // The provider does not exist; a test must get as far as requesting it.
  ssoConnections_test: organisation('ssoConnection', { ...empty, reached: [403] }),
  ssoConnections_serviceProvider: organisation('ssoConnection'),
  ssoConnections_previewMetadata: organisation('ssoConnection', body({ metadata_xml: samlMetadata() })),
  ssoConnections_remove: organisation('ssoConnection'),
  samlLogin_callback: nothing({ reached: [403] }),
  // The state is unknown; the row only checks that every caller may return from a provider.
  ssoLogin_callback: nothing({ reached: [403] }),
  // The connection is unknown to everyone.
  ssoLogout_take: nothing({ ...body({ logout_token: 'x' }), reached: [404] }),
  ssoLogin_discover: nothing({ query: 'email=ann@example.org' }),
  ssoLogin_exchange: nothing({ ...body({ code: 'x', login_binding: 'x' }), reached: [401] }),
  trusts_list: nothing(),
  trusts_presets: nothing({ narrows: true }),
  trusts_get: organisation('trust'),
  trusts_update: organisation('trust', body({ max_ttl: 600 })),
  trusts_remove: organisation('trust'),
  trusts_test: organisation('trust', body({ token: 'x' })),
  oauthClients_create: nothing(body({ name: 'x', redirect_uris: ['https://app.example.com/cb'] })),
  oauthClients_list: nothing(),
  oauthClients_get: organisation('oauthClient'),
  oauthClients_update: organisation('oauthClient', body({ name: 'y' })),
  oauthClients_rotate: organisation('oauthClient'),
  oauthClients_remove: organisation('oauthClient'),
  domains_list: nothing(),
  domains_get: organisation('domain'),
  domains_update: organisation('domain', empty),
  // Without a TXT record the domain is not verified; the row only checks which callers pass the
  // guards.
  domains_verify: organisation('domain', { reached: [400, 503] }),
  domains_remove: organisation('domain'),
  scimTokens_list: nothing(),
  scimTokens_create: nothing(),
  scimTokens_remove: nothing(),
  scimMappings_create: named({
    body: ({ targetId }) => ({ workspace_id: targetId, role: 'member', scim_group_name: uuidv7() }),
    reached: [201],
  }),
  scimMappings_list: named({ narrows: true }),
  scimMappings_remove: organisation('scimMapping'),
  scimMappings_groups: nothing(),
  scimSetup_exchanges: nothing(),
  scimSetup_dryRun: nothing(body({ method: 'GET', path: '/Users' })),
  secretReferences_test: organisation('secretReference'),
  secretReferences_rotate: organisation('secretReference'),
  ...organisationCrud('deployments', 'deployment', { name: 'x' }, RENAMED),
  // The deployment has no address.
  deployments_ping: organisation('deployment', { reached: [400] }),
  plugins_create: nothing({ ...body({ credentials: {} }), reached: [400] }),
  plugins_list: nothing(),
  plugins_update: organisation('plugin', RENAMED),
};
