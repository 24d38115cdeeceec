import { midnight, plain, type Members } from '../members';
import { cleared, members, post, present, put, type Item, type Kind, type ExistingItem } from '../kind';
import { EXPIRES_AT, LIMITS } from './limit.members';
import { canonicalScopes } from './security.members';
import { change, ofWorkspaces } from './of-workspaces';

export const configs: Kind = {
  name: 'configs',
  members: {
    ...plain('workspace', 'slug', 'name'),
    is_default: { api: 'isDefault', normal: (value) => (value === true ? true : null) },
    config: { isContent: true },
  },
  identity: ['workspace', 'slug'],
  removable: true,
  existing: (context) =>
    ofWorkspaces(context, '/v1/configs', async ({ slug }, workspaceId) => {
      const row = await context.api.call('GET', `/v1/configs/${String(slug)}?workspace_id=${workspaceId}`);
      return {
        ...members(row, 'slug', 'name'),
        is_default: row['is_default'] === 1 ? true : null,
        config: JSON.parse(String(row['config'])) as unknown,
      };
    }),
  create: (context, item) =>
    post(context, '/v1/configs', {
      ...members(item, 'slug', 'name'),
      config: item['config'] ?? {},
      isDefault: item['is_default'] === true ? 1 : 0,
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, {
      name: item['name'],
      config: item['config'] ?? {},
      isDefault: item['is_default'] === true ? 1 : 0,
    }),
};

const TRANSITION_MS_MIN = 1_800_000;

const ROTATION_POLICY: Members = {
  ...plain('rotation_period', 'rotation_period_days'),
  next_rotation_at: {
    normal: midnight,
    isComputed: (fields) => (fields['rotation_period'] ?? fields['rotation_period_days'] ?? null) !== null,
  },
  key_transition_period_ms: { fallback: TRANSITION_MS_MIN },
};

const API_KEY: Members = {
  ...plain('type', 'workspace', 'name', 'description', 'alert_emails'),
  scopes: { normal: canonicalScopes },
  ...LIMITS,
  expires_at: EXPIRES_AT,
  defaults: {
    fallback: {},
    members: { ...plain('metadata', 'config_id'), allow_config_override: { fallback: true } },
  },
  mcp: { members: { ...plain('servers', 'tools'), read_only: { fallback: false } } },
  rotation_policy: { members: ROTATION_POLICY },
};

const KEY = [
  'description',
  'rate_limits',
  'usage_limits',
  'alert_emails',
  'expires_at',
  'defaults',
  'mcp',
] as const;
const KEY_PATHS: Readonly<Record<string, string>> = {
  'organisation-service': '/v1/api-keys/organisation/service',
  'workspace-service': '/v1/api-keys/workspace/service',
};

/** Includes expired keys, because a later `expires_at` reactivates them. */
const LISTED = 'active,exhausted,expired';
const isExpired = (row: Item): boolean => row['status'] === 'expired';

/** Service keys. Files do not contain user keys. */
export const apiKeys: Kind = {
  name: 'api_keys',
  members: API_KEY,
  identity: ['type', 'workspace', 'name'],
  removable: false,
  async existing(context) {
    const rows = await context.api.all('/v1/api-keys', { status: LISTED });
    const seen = new Set<string>();
    // Only the name identifies a key: of several, the oldest unexpired one is used, else the oldest
    // one. `all` returns the oldest first.
    const live = rows.filter((row) => !isExpired(row));
    const preferred = [...live, ...rows.filter(isExpired)];
    return preferred.flatMap((row): ExistingItem[] => {
      const identity = JSON.stringify([row['type'], row['workspace_id'], row['name']]);
      if (!Object.hasOwn(KEY_PATHS, String(row['type'])) || seen.has(identity)) return [];
      seen.add(identity);
      const workspace = row['workspace_id'];
      return [
        {
          item: {
            type: row['type'],
            workspace: typeof workspace === 'string' ? context.workspaces.slugOf(workspace) : null,
            ...members(row, 'name', 'scopes', 'rotation_policy', ...KEY),
          },
          path: `/v1/api-keys/${String(row['id'])}`,
          // The server refuses to create a key whose expiry has passed.
          isExported: !isExpired(row),
        },
      ];
    });
  },
  create: (context, item) =>
    post(context, KEY_PATHS[String(item['type'])] ?? '', {
      ...present(item, 'name', 'scopes', 'rotation_policy', ...KEY),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    }),
  update: (context, path, item) =>
    put(context, path, {
      ...members(item, 'name', 'scopes'),
      ...cleared(item, 'rotation_policy', ...KEY),
      // An update does not touch members that it does not name.
      defaults: { metadata: null, config_id: null, ...(item['defaults'] as Item | undefined) },
    }),
};
