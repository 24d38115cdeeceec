import type { State } from '../../apps/cli/src/reconcile';

const CARD = {
  ...{ name: 'Travel', description: 'Books.', version: '1.0.0', url: 'https://agent.example.com/rpc' },
  skills: [{ id: 'book', name: 'Book', description: 'Books.', tags: [] }],
};
/** A public key that signs cards. */
export const CARD_KEY = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'k1' },
  x: 'G_BClHe7cNGewFKYHRNGzFRaFqrm0KbeabwJZmv-x1w',
  y: 'ZfHeujb8ZxoTiM3ei5luJyqOtw1ae2f27bVm2_qjzeA',
};

/** Agents with every member that a file may have. */
export const AGENTS_FULL: State = {
  agent_integrations: [
    {
      slug: 'travel',
      workspace: 'search',
      name: 'Travel',
      description: 'Of support',
      url: 'https://agent.example.com',
      auth_type: 'headers',
      protocol: '0.3',
      binding: 'JSONRPC',
      push: 'emulate',
      allow_other_origin: true,
      timeout_ms: 5_000,
      messages_per_context_hour: 60,
      ...{ owner: 'Travel team', support_url: 'https://wiki.example.com/travel' },
      ...{ environment: 'production', tags: { team: 'travel' }, data_classes: ['personal'] },
      configurations: {
        headers: { authorization: { env: 'TOKEN' } },
        forward_headers: ['x-trace'],
      },
      secret_mappings: [{ target_field: 'headers.X-Other', secret_reference_id: 'vaulted' }],
      approval_mode: 'review_all',
      on_change: 'serve_approved',
      pricing: { per_message_usd: 0.001, per_task_usd: 0.01 },
      trusted_keys: { keys: [CARD_KEY] },
      agent_card: CARD,
    },
    { slug: 'shared', name: 'Shared', url: 'https://agent.example.com', agent_card: CARD },
  ],
  agent_integration_access: [
    {
      integration: 'shared',
      global: { enabled: false },
      workspaces: [{ workspace: 'search', enabled: true }],
    },
  ],
  agent_servers: [
    {
      ...{ workspace: 'search', slug: 'trips', name: 'Trips', description: 'Of search' },
      ...{ listed: 'public', integration: 'travel' },
    },
  ],
  agent_server_access: [
    {
      agent: 'trips',
      workspace: 'search',
      default_user_access: 'deny',
      default: 'deny',
      rules: [{ subject: { type: 'group', id: 'sso:staff' }, skills: ['book'], effect: 'allow' }],
    },
  ],
};
