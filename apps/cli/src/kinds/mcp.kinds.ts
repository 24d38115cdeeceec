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
import { byText, inPlaceOf, isFields, MASK, secretName, type SecretName } from '../values';
import { change, ofWorkspaces } from './of-workspaces';
import { mappingsOf, referenceSlugs, SECRET_MAPPINGS } from './secret-mappings';

export const MCP_INTEGRATIONS = '/v1/mcp-integrations';
export const MCP_SERVERS = '/v1/mcp-servers';

/** Members that an update leaves as they are when it lacks them. */
const KEPT = ['name', 'url', 'auth_type', 'transport', 'approval_mode', 'on_change'] as const;
const LABELS = ['owner', 'support_url', 'environment', 'tags', 'data_classes'] as const;
const CLEARED = ['description', 'timeout_ms', 'pricing', ...LABELS] as const;

/** Headers under their primary name, and forwarded headers in the form that is saved. */
function savedForm(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { custom_headers: alias, forward_headers: forwarded, ...rest } = value;
  return {
    ...rest,
    ...(alias !== undefined && rest['headers'] === undefined ? { headers: alias } : {}),
    ...(forwarded === undefined
      ? {}
      : {
          forward_headers: Array.isArray(forwarded) ? { mode: 'allowlist', headers: forwarded } : forwarded,
        }),
  };
}

/** Names of headers in targets are saved in lower case. */
const targetForm = (value: unknown): unknown =>
  String(value).startsWith('headers.') ? String(value).toLowerCase() : value;

const INTEGRATION: Members = {
  ...plain('slug', 'workspace', 'name', 'description', 'url', 'auth_type', 'timeout_ms', ...LABELS),
  transport: { fallback: 'http' },
  configurations: { normal: savedForm },
  secret_mappings: {
    members: { ...SECRET_MAPPINGS.members, target_field: { normal: targetForm } },
  },
  approval_mode: {
    fallback: ({ workspace }: Json) =>
      workspace === undefined || workspace === null ? 'review_changes' : 'auto',
  },
  on_change: { fallback: 'block' },
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
const isInFile = ({ kind }: Json): boolean => kind !== 'openapi';

const pathOf = ({ id }: Json): string => `${MCP_INTEGRATIONS}/${String(id)}`;

/** Replaces masked texts at any depth by the names of variables. */
function namedSecrets(value: unknown, owner: readonly string[]): unknown {
  if (value === MASK) return secretName(...owner) satisfies SecretName;
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, namedSecrets(inner, [...owner, name])]),
  );
}

/** Headers are replaced as a whole, so that a header which ends is left out instead of being null. */
function withoutCleared(configurations: unknown): unknown {
  if (!isFields(configurations) || !isFields(configurations['headers'])) return configurations;
  const headers = Object.entries(configurations['headers']).filter(([, value]) => value !== null);
  return { ...configurations, headers: Object.fromEntries(headers) };
}

const ACCESS: Members = {
  integration: {},
  global: { api: 'global_workspace_access', members: plain('enabled') },
  workspaces: {
    members: { workspace: { api: 'id' }, enabled: {} },
    normal: (value) => (Array.isArray(value) ? byText(value as Json[], 'workspace') : value),
  },
};

/** Which workspaces may use an integration of the organisation. */
export const mcpIntegrationAccess: Kind = {
  name: 'mcp_integration_access',
  identity: ['integration'],
  members: ACCESS,
  removable: false,
  async existing(context) {
    const rows = await context.api.all(MCP_INTEGRATIONS, { type: 'organisation' });
    return Promise.all(rows.filter(isInFile).map((row) => accessOf(context, row)));
  },
  update: (context, path, item) =>
    put(context, path, {
      global_workspace_access: item['global'] ?? null,
      workspaces: ((item['workspaces'] as Json[] | undefined) ?? []).map(({ workspace, enabled }) => ({
        id: context.workspaces.idOf(workspace),
        enabled,
      })),
      override_existing_workspace_access: true,
    }),
};

async function accessOf(context: ReconcileContext, row: Json): Promise<{ item: Json; path: string }> {
  const path = `${pathOf(row)}/workspaces`;
  const access = await context.api.call<{ workspaces: Json[]; global_workspace_access: Json | null }>(
    'GET',
    path,
  );
  const item = {
    integration: row['slug'],
    global: access.global_workspace_access,
    workspaces: access.workspaces.map(({ id, enabled }) => ({
      workspace: context.workspaces.slugOf(String(id)),
      enabled,
    })),
  };
  return { item, path };
}

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
