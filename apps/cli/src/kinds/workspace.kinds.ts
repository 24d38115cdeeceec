import type { Json } from '../api-client';
import { cleared, members, post, present, put, type Kind } from '../kind';
import { budget, inPlaceOf } from '../values';

const WORKSPACE = ['name', 'icon', 'description'] as const;

export const workspaces: Kind = {
  name: 'workspaces',
  identity: ['slug'],
  fixed: ['is_default'],
  removable: false,
  async standing(world) {
    const rows = await world.api.all('/v1/workspaces', { name_format: 'plain' });
    return rows.map((row) => {
      const id = String(row['id']);
      world.workspaces.add(String(row['slug']), id);
      return {
        item: {
          slug: world.workspaces.slugOf(id),
          ...members(row, ...WORKSPACE),
          is_default: row['is_default'] === 1 ? true : null,
          metadata: (row['defaults'] as Json)['metadata'],
          settings: row['settings'],
          data_plane_security_settings: row['data_plane_security_settings'],
          usage_limits: budget(row['usage_limits']),
          rate_limits: row['rate_limits'],
        },
        path: `/v1/workspaces/${id}`,
      };
    });
  },
  async create(world, item) {
    const made = await post(world, '/v1/workspaces', {
      slug: item['slug'],
      ...present(item, ...WORKSPACE, 'usage_limits', 'rate_limits'),
      ...(item['metadata'] === undefined ? {} : { defaults: { metadata: item['metadata'] } }),
    });
    world.workspaces.add(String(item['slug']), String(made['id']));
    const later = present(item, 'settings', 'data_plane_security_settings');
    if (Object.keys(later).length > 0) await put(world, `/v1/workspaces/${String(made['id'])}`, later);
    return {};
  },
  update: (world, path, item, before) =>
    put(world, path, {
      name: item['name'],
      ...cleared(item, 'icon', 'description', 'usage_limits', 'rate_limits'),
      defaults: { metadata: item['metadata'] ?? null },
      settings: inPlaceOf(before['settings'], item['settings']),
      data_plane_security_settings: inPlaceOf(
        before['data_plane_security_settings'],
        item['data_plane_security_settings'],
      ),
    }),
};

/** Apart from the workspaces, which the configs need first. */
export const userKeyConfigs: Kind = {
  name: 'user_key_configs',
  identity: ['workspace'],
  removable: false,
  async standing(world) {
    const rows = await world.api.all('/v1/workspaces');
    return rows.map((row) => ({
      item: {
        workspace: world.workspaces.slugOf(String(row['id'])),
        config: (row['defaults'] as Json)['user_api_key_config'],
      },
      path: `/v1/workspaces/${String(row['id'])}`,
    }));
  },
  update: (world, path, item) =>
    put(world, path, { defaults: { user_api_key_config: item['config'] ?? null } }),
};

const EXCLUSIONS = ['input', 'output'] as const;

export const workspaceExclusions: Kind = {
  name: 'workspace_exclusions',
  identity: ['direction'],
  removable: false,
  standing: (world) =>
    Promise.all(
      EXCLUSIONS.map(async (direction) => {
        const path = `/v1/workspace-exclusions/${direction}-guardrails`;
        const { workspaces: rows } = await world.api.call<{
          workspaces: { workspace_id: string; excluded: boolean }[];
        }>('GET', path);
        const excluded = rows.filter((row) => row.excluded);
        return {
          item: { direction, workspaces: excluded.map((row) => world.workspaces.slugOf(row.workspace_id)) },
          path,
        };
      }),
    ),
  update: (world, path, item) =>
    put(world, path, {
      override_existing: true,
      workspaces: ((item['workspaces'] as string[] | undefined) ?? []).map((slug) => ({
        workspace_id: world.workspaces.idOf(slug),
        excluded: true,
      })),
    }),
};
