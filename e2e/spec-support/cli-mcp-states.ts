import type { State } from '../../apps/cli/src/reconcile';

const operation = (operationId: string): object => ({ operationId, tags: ['pets'] });
const PETS = JSON.stringify({
  ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1.0.0' } },
  paths: {
    '/pets': { get: operation('listPets'), post: operation('addPet'), delete: operation('removePet') },
  },
});

/** MCP servers with every member that a file may have. */
export const MCP_FULL: State = {
  mcp_integrations: [
    {
      slug: 'tickets',
      workspace: 'search',
      name: 'Tickets',
      description: 'Of support',
      url: 'https://mcp.example.com/mcp',
      auth_type: 'headers',
      transport: 'sse',
      timeout_ms: 5_000,
      owner: 'Platform team',
      support_url: 'https://wiki.example.com/tickets',
      environment: 'production',
      tags: { team: 'support' },
      data_classes: ['personal'],
      configurations: {
        custom_headers: { Authorization: { env: 'TOKEN' }, 'x-team': { env: 'TEAM' } },
        forward_headers: ['x-trace'],
        denial: 'tool_error',
      },
      secret_mappings: [{ target_field: 'headers.X-Other', secret_reference_id: 'vaulted' }],
      approval_mode: 'review_all',
      on_change: 'serve_approved',
      pricing: { default_usd: 0.001, tools: { search: 0.0025 } },
    },
    {
      slug: 'files',
      name: 'Files',
      url: 'https://files.example.com/mcp',
      auth_type: 'oauth_client_credentials',
      configurations: {
        oauth_client_credentials: {
          token_endpoint: 'https://login.example.com/token',
          client_id: 'tollgate',
          client_secret: { env: 'SECRET' },
        },
      },
    },
    {
      slug: 'pets',
      name: 'Pets',
      url: 'https://pets.example.com/v1',
      auth_type: 'none',
      openapi: {
        spec: PETS,
        include: { tags: ['pets'], methods: ['get', 'post'], paths: ['/pets*'] },
        exclude: { operation_ids: ['removePet'] },
        aliases: { 'get /pets': 'list_pets' },
        read_only: ['post /pets'],
        output_schemas: false,
      },
    },
  ],
  mcp_integration_access: [
    {
      integration: 'files',
      global: { enabled: false },
      workspaces: [{ workspace: 'search', enabled: true }],
    },
  ],
  mcp_servers: [
    { workspace: 'search', slug: 'files', name: 'Files', description: 'Of search', integration: 'files' },
  ],
  mcp_toolsets: [
    {
      workspace: 'search',
      slug: 'desk',
      name: 'Desk',
      description: 'Of support',
      instructions: 'Look files up first.',
      mode: 'search',
      failure: 'strict',
      members: [{ server: 'files', prefix: '', include: ['read_*'], exclude: ['read_secret'] }],
    },
  ],
  mcp_server_access: [
    {
      server: 'files',
      workspace: 'search',
      default_user_access: 'deny',
      default: 'deny',
      rules: [
        { subject: { type: 'role', id: 'member' }, tools: ['read_*'], effect: 'allow' },
        {
          subject: { type: 'group', id: 'sso:staff' },
          tools: ['write'],
          effect: 'ask',
          when: [{ pointer: '/path', op: 'prefix', value: 'docs/' }],
        },
      ],
    },
  ],
};

/** MCP servers as a person writes them. */
export const MCP_HAND_WRITTEN: State = {
  mcp_integrations: [
    {
      slug: 'files',
      name: 'Files',
      url: 'https://files.example.com/mcp',
      auth_type: 'headers',
      configurations: { headers: { Authorization: 'Bearer literal-0123456789' } },
      pricing: { tools: { search: 0.01 } },
    },
    {
      ...{ slug: 'clock', name: 'Clock', url: 'https://clock.example.com/', auth_type: 'none' },
      openapi: { spec: 'openapi: 3.0.3\ninfo: {title: Clock}\npaths:\n  /now: {get: {}}\n', include: {} },
    },
  ],
  mcp_integration_access: [{ integration: 'files', workspaces: [{ workspace: 'search', enabled: true }] }],
  mcp_servers: [{ workspace: 'search', slug: 'files', name: 'Files', integration: 'files' }],
  mcp_server_access: [
    {
      server: 'files',
      workspace: 'search',
      rules: [{ subject: { type: 'group', id: 'sso:staff' }, tools: ['*'], effect: 'deny', when: [] }],
    },
  ],
};
