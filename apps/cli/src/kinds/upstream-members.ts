import { CLIENT_SECRET_CONTENT } from '@gw/contracts';
import type { Json } from '../api-client';
import { put, type Kind, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import {
  byText,
  eachSecret,
  isFields,
  isHeaderMap,
  mapFields,
  MASK,
  oneSecret,
  secretName,
  type SecretName,
} from '../values';
import { SECRET_MAPPINGS } from './secret-mappings';

/** Returns headers under their primary name, and forwarded headers in the saved form. */
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

/** Reads the secrets of configurations: each header, and the secret members of clients. */
const upstreamSecrets = (configurations: unknown): unknown =>
  mapFields(configurations, (value, name) =>
    isHeaderMap(name)
      ? eachSecret(value)
      : mapFields(value, (inner, member) =>
          Object.hasOwn(CLIENT_SECRET_CONTENT, member) ? oneSecret(inner) : inner,
        ),
  );

/** Returns a target with header names in lower case, as they are saved. */
const targetForm = (value: unknown): unknown =>
  String(value).startsWith('headers.') ? String(value).toLowerCase() : value;

/** Descriptive members of an integration. */
export const LABELS = ['owner', 'support_url', 'environment', 'tags', 'data_classes'] as const;

/** Members with which Tollgate authenticates at a server or agent. */
export const CREDENTIALS = {
  configurations: { secrets: upstreamSecrets, normal: savedForm },
  secret_mappings: {
    members: { ...SECRET_MAPPINGS.members, target_field: { normal: targetForm } },
  },
} as const satisfies Members;

/** Members that decide which changes of a server or agent need an approval. */
export const APPROVAL = {
  approval_mode: {
    fallback: ({ workspace }: Json) =>
      workspace === undefined || workspace === null ? 'review_changes' : 'auto',
  },
  on_change: { fallback: 'block' },
} as const satisfies Members;

/** Replaces masked texts at any depth by the names of variables. */
export function namedSecrets(value: unknown, owner: readonly string[]): unknown {
  if (value === MASK) return secretName(...owner) satisfies SecretName;
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, namedSecrets(inner, [...owner, name])]),
  );
}

/** Removes null headers. Headers are replaced as a whole, so a removed header is left out. */
export function withoutCleared(configurations: unknown): unknown {
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
export const integrationAccess = (name: string, path: string): Kind => ({
  name,
  identity: ['integration'],
  members: ACCESS,
  removable: false,
  async existing(context) {
    const rows = await context.api.all(path, { type: 'organisation' });
    return Promise.all(rows.map((row) => accessOf(context, path, row)));
  },
  update: (context, at, item) =>
    put(context, at, {
      global_workspace_access: item['global'] ?? null,
      workspaces: ((item['workspaces'] as Json[] | undefined) ?? []).map(({ workspace, enabled }) => ({
        id: context.workspaces.idOf(workspace),
        enabled,
      })),
      override_existing_workspace_access: true,
    }),
});

async function accessOf(
  context: ReconcileContext,
  integrations: string,
  row: Json,
): Promise<{ item: Json; path: string }> {
  const path = `${integrations}/${String(row['id'])}/workspaces`;
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
