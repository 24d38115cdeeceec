import type { Json } from '../api-client';
import { cleared, members, post, present, put, type Kind, type Standing } from '../kind';
import { budget } from '../values';
import { change, ofWorkspaces } from './of-workspaces';

export const configs: Kind = {
  name: 'configs',
  identity: ['workspace', 'slug'],
  removable: true,
  standing: (world) =>
    ofWorkspaces(world, '/v1/configs', async ({ slug }, workspaceId) => {
      const row = await world.api.call('GET', `/v1/configs/${String(slug)}?workspace_id=${workspaceId}`);
      return {
        ...members(row, 'slug', 'name'),
        is_default: row['is_default'] === 1 ? true : null,
        config: JSON.parse(String(row['config'])) as unknown,
      };
    }),
  create: (world, item) =>
    post(world, '/v1/configs', {
      ...members(item, 'slug', 'name'),
      config: item['config'] ?? {},
      isDefault: item['is_default'] === true ? 1 : 0,
      workspace_id: world.workspaces.idOf(item['workspace']),
    }),
  update: (world, path, item) =>
    change(world, path, {
      name: item['name'],
      config: item['config'] ?? {},
      isDefault: item['is_default'] === true ? 1 : 0,
    }),
};

const KEY = ['description', 'rate_limits', 'usage_limits', 'alert_emails', 'expires_at', 'defaults'] as const;
const KEY_PATHS: Readonly<Record<string, string>> = {
  'organisation-service': '/v1/api-keys/organisation/service',
  'workspace-service': '/v1/api-keys/workspace/service',
};

/** Keys of services. A user's own keys are theirs, and no file has them. */
export const apiKeys: Kind = {
  name: 'api_keys',
  identity: ['type', 'workspace', 'name'],
  removable: false,
  async standing(world) {
    const rows = await world.api.all('/v1/api-keys', { status: 'active,exhausted' });
    const seen = new Set<string>();
    return rows.flatMap((row): Standing[] => {
      const identity = JSON.stringify([row['type'], row['workspace_id'], row['name']]);
      // Of several with one name the oldest stands for it: nothing else tells them apart.
      if (!Object.hasOwn(KEY_PATHS, String(row['type'])) || seen.has(identity)) return [];
      seen.add(identity);
      const workspace = row['workspace_id'];
      const rotation = row['rotation_policy'] as Json | null;
      return [
        {
          item: {
            type: row['type'],
            workspace: typeof workspace === 'string' ? world.workspaces.slugOf(workspace) : null,
            name: row['name'],
            scopes: [...(row['scopes'] as string[])].sort(),
            ...members(row, ...KEY),
            usage_limits: budget(row['usage_limits']),
            rotation_policy:
              rotation &&
              members(rotation, 'rotation_period', 'rotation_period_days', 'key_transition_period_ms'),
          },
          path: `/v1/api-keys/${String(row['id'])}`,
        },
      ];
    });
  },
  create: (world, item) =>
    post(world, KEY_PATHS[String(item['type'])] ?? '', {
      ...present(item, 'name', 'scopes', 'rotation_policy', ...KEY),
      ...(item['workspace'] === undefined ? {} : { workspace_id: world.workspaces.idOf(item['workspace']) }),
    }),
  update: (world, path, item) =>
    put(world, path, { ...members(item, 'name', 'scopes'), ...cleared(item, 'rotation_policy', ...KEY) }),
};
