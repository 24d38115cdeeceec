import type { Json } from '../api-client';
import {
  cleared,
  members,
  post,
  present,
  put,
  remove,
  type ExistingItem,
  type Item,
  type Kind,
  type ReconcileContext,
} from '../kind';
import { plain, type Members } from '../members';
import { canonical, hasSecrets, inPlaceOf } from '../values';
import { change, ofWorkspaces } from './of-workspaces';
import { changeDocument, OPENAPI, savedDocument, serviceOf } from './openapi-document';
import { mappingsOf, referenceSlugs } from './secret-mappings';
import {
  APPROVAL,
  CREDENTIALS,
  integrationAccess,
  LABELS,
  namedSecrets,
  withoutCleared,
} from './upstream-members';

export const MCP_INTEGRATIONS = '/v1/mcp-integrations';
export const MCP_SERVERS = '/v1/mcp-servers';

/** Members that an update without them leaves unchanged. */
const KEPT = ['name', 'url', 'auth_type', 'transport', 'approval_mode', 'on_change'] as const;
const CLEARED = ['description', 'timeout_ms', 'pricing', ...LABELS] as const;

const INTEGRATION: Members = {
  ...plain('slug', 'workspace', 'name', 'description', 'url', 'auth_type', 'timeout_ms', ...LABELS),
  transport: { fallback: 'http' },
  ...CREDENTIALS,
  ...APPROVAL,
  pricing: { members: { default_usd: { fallback: 0 }, tools: { isContent: true } } },
  openapi: { members: OPENAPI },
};

/**
 * Upstream MCP servers, and HTTP services with the OpenAPI document that makes them servers. Files
 * contain neither their capabilities nor approvals.
 */
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
    return Promise.all(
      rows.map(async (row): Promise<ExistingItem> => {
        const [path, workspace] = [pathOf(row), row['workspace_id']];
        return {
          item: {
            ...members(row, 'slug', ...KEPT, ...CLEARED),
            workspace: typeof workspace === 'string' ? context.workspaces.slugOf(workspace) : null,
            configurations: namedSecrets(row['configurations'], ['mcp', String(row['slug'])]),
            secret_mappings: mappingsOf(row, slugs),
            openapi: row['kind'] === 'openapi' ? await savedDocument(context, path) : null,
          },
          path,
        };
      }),
    );
  },
  create(context, item) {
    const body = {
      ...present(item, 'slug', 'configurations', 'secret_mappings', ...KEPT, ...CLEARED),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    };
    const { openapi } = item;
    return openapi === undefined
      ? post(context, MCP_INTEGRATIONS, body)
      : post(context, `${MCP_INTEGRATIONS}/from-openapi`, serviceOf({ ...body, openapi }));
  },
  async update(context, path, item, before, wanted) {
    const isSame = canonical(withoutDocument(wanted)) === canonical(withoutDocument(before));
    if (!isSame || hasSecrets(wanted)) await changeIntegration(context, path, item, before);
    await changeDocument(context, path, item['openapi'], before['openapi']);
    return {};
  },
};

const withoutDocument = ({ openapi: _openapi, ...rest }: Item): Item => rest;

const changeIntegration = (
  context: ReconcileContext,
  path: string,
  item: Item,
  before: Item,
): Promise<Json> =>
  put(context, path, {
    ...present(item, ...KEPT),
    ...cleared(item, ...CLEARED),
    configurations: inPlaceOf(before['configurations'], withoutCleared(item['configurations'])),
    secret_mappings: item['secret_mappings'] ?? null,
  });

const pathOf = ({ id }: Json): string => `${MCP_INTEGRATIONS}/${String(id)}`;

/** Which workspaces may use an integration of the organisation. */
export const mcpIntegrationAccess = integrationAccess('mcp_integration_access', MCP_INTEGRATIONS);

/** Reads the servers of all workspaces. */
export const serversOfWorkspaces = (
  context: ReconcileContext,
  toItem: (row: Json, workspaceId: string) => Json | Promise<Json>,
): Promise<ExistingItem[]> => ofWorkspaces(context, MCP_SERVERS, toItem, ({ id }) => String(id));

/** Servers of workspaces. Files do not contain connections of users. */
export const mcpServers: Kind = {
  name: 'mcp_servers',
  identity: ['workspace', 'slug'],
  members: {
    ...plain('workspace', 'slug', 'name', 'description'),
    integration: { api: 'mcp_integration_id' },
  },
  fixed: ['integration'],
  removable: true,
  existing: (context) =>
    serversOfWorkspaces(context, (row) => ({
      ...members(row, 'slug', 'name', 'description'),
      integration: row['mcp_integration_slug'],
    })),
  create: (context, item) =>
    post(context, MCP_SERVERS, {
      ...present(item, 'slug', 'name', 'description'),
      mcp_integration_id: item['integration'],
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, { name: item['name'], ...cleared(item, 'description') }),
};
