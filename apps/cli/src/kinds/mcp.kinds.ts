import type { Json } from '../api-client';
import {
  cleared,
  members,
  post,
  present,
  put,
  remove,
  type ExistingItem,
  type Kind,
  type ReconcileContext,
} from '../kind';
import { plain, type Members } from '../members';
import { inPlaceOf } from '../values';
import { change, ofWorkspaces } from './of-workspaces';
import { mappingsOf, referenceSlugs } from './secret-mappings';
import { APPROVAL, CREDENTIALS, integrationAccess, namedSecrets, withoutCleared } from './upstream-members';

export const MCP_INTEGRATIONS = '/v1/mcp-integrations';
export const MCP_SERVERS = '/v1/mcp-servers';

/** Members that an update leaves as they are when it lacks them. */
const KEPT = ['name', 'url', 'auth_type', 'transport', 'approval_mode', 'on_change'] as const;
const LABELS = ['owner', 'support_url', 'environment', 'tags', 'data_classes'] as const;
const CLEARED = ['description', 'timeout_ms', 'pricing', ...LABELS] as const;

const INTEGRATION: Members = {
  ...plain('slug', 'workspace', 'name', 'description', 'url', 'auth_type', 'timeout_ms', ...LABELS),
  transport: { fallback: 'http' },
  ...CREDENTIALS,
  ...APPROVAL,
  pricing: { members: { default_usd: { fallback: 0 }, tools: { isContent: true } } },
};

/** Upstream MCP servers. What they offer, and what is approved of it, is no state of a file. */
export const mcpIntegrations: Kind = {
  name: 'mcp_integrations',
  identity: ['slug'],
  members: INTEGRATION,
  fixed: ['workspace'],
  removable: true,
  // The control plane deletes an integration together with its servers, and warns about them.
  removeUsed: remove,
  async existing(context) {
    const slugs = await referenceSlugs(context);
    const rows = await context.api.all(MCP_INTEGRATIONS);
    return rows.filter(isInFile).map((row) => {
      const workspace = row['workspace_id'];
      return {
        item: {
          ...members(row, 'slug', ...KEPT, ...CLEARED),
          workspace: typeof workspace === 'string' ? context.workspaces.slugOf(workspace) : null,
          configurations: namedSecrets(row['configurations'], ['mcp', String(row['slug'])]),
          secret_mappings: mappingsOf(row, slugs),
        },
        path: pathOf(row),
      };
    });
  },
  create: (context, item) =>
    post(context, MCP_INTEGRATIONS, {
      ...present(item, 'slug', 'configurations', 'secret_mappings', ...KEPT, ...CLEARED),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    }),
  update: (context, path, item, before) =>
    put(context, path, {
      ...present(item, ...KEPT),
      ...cleared(item, ...CLEARED),
      configurations: inPlaceOf(before['configurations'], withoutCleared(item['configurations'])),
      secret_mappings: item['secret_mappings'] ?? null,
    }),
};

/** HTTP services are made of documents, which files do not contain. */
function isInFile({ kind }: Json): boolean {
  return kind !== 'openapi';
}

const pathOf = ({ id }: Json): string => `${MCP_INTEGRATIONS}/${String(id)}`;

/** Which workspaces may use an integration of the organisation. */
export const mcpIntegrationAccess = integrationAccess('mcp_integration_access', MCP_INTEGRATIONS, isInFile);

/** Reads the servers of integrations that a file has, each with the slug of its integration. */
export async function serversInFile(
  context: ReconcileContext,
  toItem: (row: Json, workspaceId: string) => Json | Promise<Json>,
): Promise<ExistingItem[]> {
  const rows = await context.api.all(MCP_INTEGRATIONS);
  const services = new Set(rows.filter((row) => !isInFile(row)).map(({ slug }) => slug));
  const servers = await ofWorkspaces(
    context,
    MCP_SERVERS,
    async (row, workspaceId) => {
      const integration = row['mcp_integration_slug'];
      return { integration, ...(services.has(integration) ? {} : await toItem(row, workspaceId)) };
    },
    ({ id }) => String(id),
  );
  return servers.filter(({ item }) => !services.has(item['integration']));
}

/** Servers of workspaces. Connections of users are no state of a file. */
export const mcpServers: Kind = {
  name: 'mcp_servers',
  identity: ['workspace', 'slug'],
  members: {
    ...plain('workspace', 'slug', 'name', 'description'),
    integration: { api: 'mcp_integration_id' },
  },
  fixed: ['integration'],
  removable: true,
  existing: (context) => serversInFile(context, (row) => members(row, 'slug', 'name', 'description')),
  create: (context, item) =>
    post(context, MCP_SERVERS, {
      ...present(item, 'slug', 'name', 'description'),
      mcp_integration_id: item['integration'],
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, { name: item['name'], ...cleared(item, 'description') }),
};
