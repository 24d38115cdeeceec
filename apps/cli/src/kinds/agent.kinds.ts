import type { Json } from '../api-client';
import { cleared, members, post, present, put, remove, type ExistingItem, type Kind } from '../kind';
import { plain, type Members } from '../members';
import { inPlaceOf } from '../values';
import { change, ofWorkspaces } from './of-workspaces';
import { mappingsOf, referenceSlugs } from './secret-mappings';
import { serverAccess } from './server-access';
import {
  APPROVAL,
  CREDENTIALS,
  integrationAccess,
  LABELS,
  namedSecrets,
  withoutCleared,
} from './upstream-members';

const AGENT_INTEGRATIONS = '/v1/agent-integrations';
const AGENT_SERVERS = '/v1/agent-servers';

/** Members that an update without them leaves unchanged. */
const KEPT = [
  ...['name', 'url', 'auth_type', 'protocol', 'binding', 'push', 'allow_other_origin'],
  ...['approval_mode', 'on_change'],
] as const;
const CLEARED = [
  ...[
    'description',
    'timeout_ms',
    'messages_per_context_hour',
    'pricing',
    'trusted_keys',
    'trusted_keys_url',
  ],
  ...LABELS,
] as const;

const INTEGRATION: Members = {
  ...plain('slug', 'workspace', 'description', 'timeout_ms', 'messages_per_context_hour'),
  ...plain(...LABELS),
  // Those of the card.
  name: { isChosen: true },
  url: { isChosen: true },
  auth_type: { fallback: 'none' },
  protocol: { fallback: 'auto' },
  binding: { fallback: 'auto' },
  push: { fallback: 'relay' },
  allow_other_origin: { fallback: false },
  ...CREDENTIALS,
  ...APPROVAL,
  pricing: { members: { per_message_usd: { fallback: 0 }, per_task_usd: { fallback: 0 } } },
  trusted_keys: { isContent: true },
  ...plain('trusted_keys_url'),
  agent_card: { isContent: true },
};

/**
 * Agents. Files contain cards that were entered by hand, but neither fetched cards nor approvals.
 */
export const agentIntegrations: Kind = {
  name: 'agent_integrations',
  identity: ['slug'],
  members: INTEGRATION,
  fixed: ['workspace'],
  removable: true,
  // The control plane deletes an integration together with its agents, and warns about them.
  removeUsed: remove,
  async existing(context) {
    const slugs = await referenceSlugs(context);
    const rows = await context.api.all(AGENT_INTEGRATIONS);
    return Promise.all(
      rows.map(async (row): Promise<ExistingItem> => {
        const path = `${AGENT_INTEGRATIONS}/${String(row['id'])}`;
        const workspace = row['workspace_id'];
        const isManual = row['source'] === 'manual';
        return {
          item: {
            ...members(row, 'slug', ...KEPT, ...CLEARED),
            workspace: typeof workspace === 'string' ? context.workspaces.slugOf(workspace) : null,
            configurations: namedSecrets(row['configurations'], ['agent', String(row['slug'])]),
            secret_mappings: mappingsOf(row, slugs),
            agent_card: isManual ? (await context.api.call('GET', path))['agent_card'] : null,
          },
          path,
        };
      }),
    );
  },
  create: (context, item) =>
    post(context, AGENT_INTEGRATIONS, {
      ...present(item, 'slug', 'configurations', 'secret_mappings', 'agent_card', ...KEPT, ...CLEARED),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    }),
  update: (context, path, item, before) =>
    put(context, path, {
      ...present(item, 'agent_card', ...KEPT),
      ...cleared(item, ...CLEARED),
      ...(item['agent_card'] === undefined && before['agent_card'] !== undefined ? { agent_card: null } : {}),
      configurations: inPlaceOf(before['configurations'], withoutCleared(item['configurations'])),
      secret_mappings: item['secret_mappings'] ?? null,
    }),
};

/** Which workspaces may use an agent integration of the organisation. */
export const agentIntegrationAccess = integrationAccess('agent_integration_access', AGENT_INTEGRATIONS);

const serversOf = (
  context: Parameters<Kind['existing']>[0],
  toItem: (row: Json, workspaceId: string) => Json | Promise<Json>,
): Promise<ExistingItem[]> => ofWorkspaces(context, AGENT_SERVERS, toItem, ({ id }) => String(id));

/** Agents of workspaces. */
export const agentServers: Kind = {
  name: 'agent_servers',
  identity: ['workspace', 'slug'],
  members: {
    ...plain('workspace', 'slug', 'name', 'description'),
    listed: { fallback: 'workspace' },
    integration: { api: 'agent_integration_id' },
  },
  fixed: ['integration'],
  removable: true,
  existing: (context) =>
    serversOf(context, (row) => ({
      ...members(row, 'slug', 'name', 'description', 'listed'),
      integration: row['agent_integration_slug'],
    })),
  create: (context, item) =>
    post(context, AGENT_SERVERS, {
      ...present(item, 'slug', 'name', 'description', 'listed'),
      agent_integration_id: item['integration'],
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, { ...present(item, 'name', 'listed'), ...cleared(item, 'description') }),
};

/** Access of users to the skills of agents. */
export const agentServerAccess = serverAccess({
  ...{ name: 'agent_server_access', of: 'agent', path: AGENT_SERVERS, existing: serversOf },
  rule: plain('skills', 'effect'),
});
