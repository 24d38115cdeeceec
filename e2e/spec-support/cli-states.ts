import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { rsaKeyPair } from '@gw/testing';
import type { State } from '../../apps/cli/src/reconcile';
import { AGENTS_FULL } from './cli-agent-states';
import { MCP_FULL, MCP_HAND_WRITTEN } from './cli-mcp-states';
import { ssoConnectionsOf } from './cli-sso-states';

const PUBLIC_KEY = rsaKeyPair('k1').jwk;
/**
 * Ids that `withTools` replaces: those of an MCP server and its tool, and of an agent and its
 * skill.
 */
export const MCP_SERVER = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90';
export const MCP_TOOL = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a91';
export const AGENT_SERVER = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a92';
export const AGENT_SKILL = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a93';

const CONDITIONS = [{ key: 'metadata.team', value: ['search', 'ads'], excludes: 'batch' }];
const GROUP_BY = [{ key: 'api_key' }];
const USAGE = {
  type: 'tokens',
  credit_limit: 500,
  alert_threshold: 400,
  periodic_reset_days: 9,
  metadata: { team: 'search' },
  enforcement: 'strict',
  on_outage: 'hold',
};
const RATES = [
  { type: 'tokens', unit: 'rpm', value: 9, window: 'sliding', enforcement: 'strict', on_outage: 'refuse' },
];
const LIMITS = { usage_limits: USAGE, rate_limits: RATES };
const SETTINGS = {
  debug_log: 0,
  user_api_key_count: 3,
  user_api_key_ttl: 60,
  user_api_key_max_ttl: 600,
  user_api_key_rotation_period: 'weekly',
  user_api_key_auto_create: true,
  user_api_key_auto_create_scopes: ['completions.write'],
};
const checks = (word: string): object[] => [
  { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
];

/** An item of every kind, with every member that a file may have. */
export const FULL_FILE: State = {
  organisation_settings: [
    {
      settings: { ...SETTINGS, default_workspace_user_api_key_auto_create: true },
      data_plane_security_settings: { block_inline_config: true },
      export_settings: { deniedFields: ['request', 'response'] },
      security_settings: { ...DEFAULT_SECURITY, membersViewLogs: !DEFAULT_SECURITY['membersViewLogs'] },
      session_settings: { max_session_ttl: 3_600 },
      scim_settings: {
        workspace_name_prefix: 'team-',
        workspace_role_separator: '-as-',
        adopt_existing: false,
        group_based_user_provisioning: true,
        manage_organisation: true,
      },
      oauth_settings: { clients: 'registered', device_flow: false, require_dpop: true },
      workspace_overrides: { logs: true, export_settings: true },
    },
  ],
  workspaces: [
    {
      slug: 'search',
      name: 'Search',
      icon: '🔍',
      description: 'Of search',
      metadata: { team: 'search' },
      settings: SETTINGS,
      security_settings: { managersViewLogs: !DEFAULT_SECURITY['managersViewLogs'] },
      data_plane_security_settings: { block_inline_config: true },
      export_settings: { deniedFields: [] },
      usage_limits: [USAGE],
      rate_limits: RATES,
    },
    { slug: 'ads', name: '🎯 Ads' },
  ],
  domains: [{ domain: 'acme.example', allow_subdomains: true }],
  oauth_clients: [
    {
      name: 'Portal',
      redirect_uris: ['https://portal.example.com/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['authorization_code'],
      jwks_uri: 'https://portal.example.com/jwks.json',
      status: 'blocked',
    },
    {
      name: 'Batch',
      redirect_uris: ['https://batch.example.com/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['authorization_code'],
      jwks: { keys: [PUBLIC_KEY] },
    },
  ],
  secret_references: [
    {
      slug: 'vaulted',
      name: 'Vaulted',
      description: 'A vault',
      manager_type: 'vendor3_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_addr: 'http://127.0.0.1:8200',
        vault_token: { env: 'TOKEN' },
      },
      secret_path: 'secret/data/openai',
      secret_key: 'key',
      allowed_workspaces: ['search'],
      tags: { a: 'b' },
    },
  ],
  integrations: [
    {
      slug: 'main',
      workspace: 'search',
      name: 'Main',
      description: 'The main one',
      ai_provider_id: 'openai',
      configurations: { openai_project: 'p' },
      secret_mappings: [
        { target_field: 'key', secret_reference_id: 'vaulted', secret_key: 'k', value_format: 'string' },
      ],
      pricing_adjustments: { multiplier: { default: 1.1 } },
      tags: { a: 'b' },
      allow_all_models: false,
    },
    { slug: 'shared', name: 'Shared', ai_provider_id: 'openai', key: { env: 'KEY' } },
  ],
  integration_models: [
    {
      integration: 'shared',
      models: [
        { slug: 'gpt-4o', enabled: true },
        {
          slug: 'own',
          is_custom: true,
          base_model_slug: 'gpt-4o',
          configurations: { custom_headers: { 'x-team': 'a' } },
          pricing_config: {
            type: 'static',
            pay_as_you_go: { request_token: { price: 0.1 }, response_token: { price: 0.2 } },
          },
        },
      ],
    },
  ],
  integration_access: [
    {
      integration: 'shared',
      global: { enabled: true },
      workspaces: [{ workspace: 'search', enabled: true, usage_limits: [USAGE], rate_limits: RATES }],
    },
  ],
  providers: [
    {
      workspace: 'search',
      slug: 'main',
      name: 'Main',
      integration: 'shared',
      note: 'A note',
      expires_at: '2099-01-01T00:00:00Z',
      tags: { a: 'b' },
      ...LIMITS,
    },
  ],
  virtual_keys: [
    {
      workspace: 'search',
      slug: 'vk',
      name: 'VK',
      provider: 'openai',
      key: { env: 'KEY' },
      note: 'A note',
      model_config: { openai_project: 'p' },
      secret_mappings: [{ target_field: 'model_config.openai_organization', secret_reference_id: 'vaulted' }],
      expires_at: '2099-01-01T00:00:00Z',
      tags: { a: 'b' },
      ...LIMITS,
    },
  ],
  ...MCP_FULL,
  ...AGENTS_FULL,
  guardrails: [
    { slug: 'names', workspace: 'search', name: 'Names', checks: checks('Apollo'), actions: { deny: true } },
    { slug: 'words', name: 'Words', checks: checks('Zeus'), actions: { async: true } },
    {
      slug: 'tools',
      name: 'Tools',
      target: 'mcp_tools',
      checks: checks('Hera'),
      actions: { deny: true },
      mcp_servers: { [MCP_SERVER]: { run_on: ['input'], capability_ids: [MCP_TOOL] } },
      agent_servers: { [AGENT_SERVER]: { run_on: ['output'], skill_ids: [AGENT_SKILL] } },
    },
  ],
  default_guardrails: [{ input_guardrails: ['words'], output_guardrails: ['words'] }],
  workspace_guardrails: [{ workspace: 'search', input_guardrails: ['names'], output_guardrails: ['words'] }],
  configs: [
    {
      workspace: 'search',
      slug: 'base',
      name: 'Base',
      is_default: true,
      config: { provider: '@main', override_params: { tools: [] } },
    },
  ],
  user_key_configs: [{ workspace: 'search', config: 'base' }],
  users: [{ email: 'Ada@Example.com', role: 'member', workspaces: { search: 'manager' } }],
  api_keys: [
    {
      type: 'workspace-service',
      workspace: 'search',
      name: 'production',
      description: 'Of production',
      scopes: ['logs.list', 'completions.write'],
      alert_emails: ['ada@example.com'],
      expires_at: '2099-01-01T00:00:00Z',
      defaults: { metadata: { team: 'search' }, config_id: 'base', allow_config_override: false },
      mcp: { tools: ['github/search_issues'], read_only: true },
      rotation_policy: { rotation_period: 'monthly', key_transition_period_ms: 3_600_000 },
      ...LIMITS,
    },
  ],
  labels: [{ workspace: 'search', name: 'canary', description: 'Of a few', color_code: '#ffaa00' }],
  collections: [
    { workspace: 'search', slug: 'support', name: 'Support' },
    { workspace: 'search', slug: 'refunds', name: 'Refunds', parent: 'support' },
  ],
  partials: [
    {
      workspace: 'search',
      slug: 'tone',
      name: 'Tone',
      collection: 'refunds',
      string: 'Be {{tone}}.',
      version_description: 'The first',
      shared: ['ads'],
    },
  ],
  prompts: [
    {
      workspace: 'search',
      slug: 'reply',
      name: 'Reply',
      collection: 'support',
      string: '[{"role":"user","content":"{{q}}"}]',
      parameters: { max_tokens: 9, stop: [] },
      model: 'gpt-4o',
      virtual_key: '@vk',
      functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
      tools: [{ type: 'function', function: { name: 'f', parameters: { properties: {} } } }],
      tool_choice: 'auto',
      template_metadata: { kept: [] },
      version_description: 'The first',
      is_raw_template: true,
      labels: { canary: 'published' },
      shared: 'organisation',
    },
  ],
  usage_limit_policies: [
    {
      workspace: 'search',
      name: 'Team',
      description: 'Of the team',
      conditions: CONDITIONS,
      group_by: GROUP_BY,
      type: 'cost',
      credit_limit: 20,
      alert_threshold: 15,
      periodic_reset: 'weekly',
      enforcement: 'strict',
      on_outage: 'hold',
    },
    {
      workspace: 'search',
      name: 'Days',
      conditions: CONDITIONS,
      group_by: GROUP_BY,
      type: 'tokens',
      credit_limit: 2_000,
      periodic_reset_days: 9,
    },
    {
      workspace: 'search',
      name: 'Once',
      conditions: CONDITIONS,
      group_by: GROUP_BY,
      type: 'requests',
      credit_limit: 2_000,
      next_usage_reset_at: '2099-01-01T10:00:00Z',
    },
  ],
  rate_limit_policies: [
    {
      workspace: 'search',
      name: 'Team',
      description: 'Of the team',
      conditions: CONDITIONS,
      group_by: GROUP_BY,
      target: 'llm',
      type: 'tokens',
      unit: 'rpw',
      value: 900,
      window: 'sliding',
      enforcement: 'strict',
      on_outage: 'refuse',
    },
  ],
  alert_webhooks: [
    { workspace: 'search', name: 'On call', url: 'https://hooks.example.com/a', enabled: false },
    { name: 'All', url: 'https://hooks.example.com/b' },
  ],
  deployments: [
    {
      slug: 'eu',
      name: 'EU',
      type: 'non_production',
      source_type: 'helm',
      is_default: 1,
      deployment_config: { kept: [] },
      tags: { region: 'eu' },
      credentials: { username: 'puller', password: { env: 'PASSWORD' } },
      auth_settings: { workspaces_allowed: ['search'], jwt_sub_workspace_mapping: { sub: 'search' } },
    },
  ],
  plugins: [{ plugin_provider_id: 'patronus', name: 'Patronus', credentials: { apiKey: { env: 'KEY' } } }],
  workspace_exclusions: [{ direction: 'input', workspaces: ['search'] }],
  organisation_properties: [
    {
      api_key_metadata_schema: { type: 'object', additionalProperties: true, properties: {} },
      workspace_metadata_schema: { type: 'object', additionalProperties: true, properties: {} },
      request_metadata_schema: { type: 'object', additionalProperties: true, properties: {} },
    },
  ],
};

/**
 * Returns a file with every kind of item for one organisation. Audiences contain the organisation's
 * id, and its domain is unique.
 */
export const fullFileOf = (organisationId: string): State => ({
  ...FULL_FILE,
  sso_connections: ssoConnectionsOf(organisationId),
  trusts: [
    {
      name: 'CI',
      kind: 'workload',
      preset: 'gitlab',
      issuer: 'https://gitlab.example.org',
      jwks_uri: 'https://gitlab.example.org/oauth/discovery/keys',
      audiences: [`https://gateway.example.com/${organisationId}`],
      algorithms: ['RS256', 'ES256'],
      conditions: [{ claim: '/namespace_id', op: 'equals', value: '7' }],
      maps: [
        {
          conditions: [{ claim: '/ref', op: 'in', value: ['main', 'stable'] }],
          workspace: 'search',
          scopes: ['completions.write'],
          metadata: { ref: '/ref' },
        },
      ],
      max_ttl: 1_800,
      require_jti_once: true,
      status: 'disabled',
    },
    {
      name: 'Own',
      kind: 'jwt',
      issuer: 'https://tokens.example.org',
      jwks: { keys: [PUBLIC_KEY] },
      audiences: [`https://gateway.example.com/${organisationId}`],
      algorithms: ['RS256', 'PS256'],
      maps: [{ scopes: ['completions.write', 'logs.list'] }],
      link_users: true,
    },
  ],
});

/**
 * Short items, as a person writes them: without defaults, with unsorted lists and a literal secret.
 */
export const HAND_WRITTEN: State = {
  organisation_settings: [{ settings: { debug_log: 0 }, security_settings: { membersViewLogs: false } }],
  workspaces: [{ slug: 'search', name: '🔍 Search' }],
  domains: [{ domain: 'Müller.Example' }],
  oauth_clients: [{ name: 'Portal', redirect_uris: ['https://portal.example.com/cb'] }],
  trusts: [
    {
      name: 'ci',
      kind: 'workload',
      issuer: 'https://ci.example.org',
      jwks_uri: 'https://ci.example.org/jwks.json',
      audiences: ['https://gateway.example.com'],
      maps: [{ workspace: 'search', scopes: ['logs.view', 'completions.write'] }],
    },
  ],
  integrations: [{ slug: 'main', name: 'Main', ai_provider_id: 'openai', key: 'sk-literal-0123456789' }],
  integration_access: [{ integration: 'main', workspaces: [{ workspace: 'search', enabled: true }] }],
  integration_models: [
    { integration: 'main', models: [{ slug: 'own', is_custom: true, custom_headers: { 'x-team': 'a' } }] },
  ],
  providers: [
    {
      workspace: 'search',
      slug: 'main',
      name: 'Main',
      integration: 'main',
      expires_at: '2099-01-01T00:00:00Z',
      usage_limits: { credit_limit: 5, periodic_reset_days: 9 },
    },
  ],
  ...MCP_HAND_WRITTEN,
  guardrails: [
    { slug: 'names', name: 'Names', checks: checks('Apollo') },
    { slug: 'called', name: 'Called', checks: checks('Zeus'), actions: { deny: true } },
  ],
  configs: [{ workspace: 'search', slug: 'base', name: 'Base', config: { provider: '@main' } }],
  users: [{ email: 'Ada@Example.com', role: 'member' }],
  api_keys: [
    {
      type: 'workspace-service',
      workspace: 'search',
      name: 'production',
      scopes: ['logs.view', 'completions.write'],
      rotation_policy: { rotation_period: 'weekly' },
    },
  ],
  prompts: [{ workspace: 'search', slug: 'reply', name: 'Reply', string: 'Hi', virtual_key: '@main' }],
  usage_limit_policies: [
    {
      workspace: 'search',
      name: 'Team',
      conditions: CONDITIONS,
      group_by: GROUP_BY,
      type: 'cost',
      credit_limit: 20,
      enforcement: 'strict',
    },
  ],
  rate_limit_policies: ['requests', 'tokens', 'concurrency'].map((type) => ({
    ...{ workspace: 'search', name: type, conditions: CONDITIONS, group_by: GROUP_BY, type, value: 5 },
    ...(type === 'concurrency' ? {} : { unit: 'rpm' }),
  })),
  deployments: [{ slug: 'eu', name: 'EU' }],
  alert_webhooks: [{ name: 'All', url: 'https://hooks.example.com/b' }],
};
