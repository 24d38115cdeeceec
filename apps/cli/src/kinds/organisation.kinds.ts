import { budget, secretName, unmasked } from '../values';
import type { Json } from '../api-client';
import { cleared, members, post, present, put, type Kind, type World } from '../kind';

const SETTINGS = '/v1/admin/organisation/settings';
const PROPERTIES = '/v1/admin/organisation/properties';

const SETTING_NAMES = ['settings', 'data_plane_security_settings'] as const;

export const organisationSettings: Kind = {
  name: 'organisation_settings',
  identity: [],
  removable: false,
  async standing({ api }) {
    return [{ item: members(await api.call('GET', SETTINGS), ...SETTING_NAMES), path: SETTINGS }];
  },
  update: (world, path, item) => put(world, path, present(item, ...SETTING_NAMES)),
};

const SCHEMAS = ['api_key_metadata_schema', 'workspace_metadata_schema', 'request_metadata_schema'] as const;

export const organisationProperties: Kind = {
  name: 'organisation_properties',
  identity: [],
  removable: false,
  async standing({ api }) {
    return [{ item: members(await api.call('GET', PROPERTIES), ...SCHEMAS), path: PROPERTIES }];
  },
  update: (world, path, item) => put(world, path, cleared(item, ...SCHEMAS)),
};

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
    if (item['settings'] !== undefined) {
      await put(world, `/v1/workspaces/${String(made['id'])}`, { settings: item['settings'] });
    }
    return {};
  },
  update: (world, path, item) =>
    put(world, path, {
      name: item['name'],
      ...cleared(item, 'icon', 'description', 'usage_limits', 'rate_limits'),
      defaults: { metadata: item['metadata'] ?? null },
      settings: { debug_log: null, ...(item['settings'] as object | undefined) },
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

const REFERENCE = ['name', 'description', 'secret_path', 'secret_key', 'tags'] as const;

const workspaceIds = (world: World, slugs: unknown): string[] =>
  ((slugs as string[] | undefined) ?? []).map((slug) => world.workspaces.idOf(slug));

export const secretReferences: Kind = {
  name: 'secret_references',
  identity: ['slug'],
  fixed: ['manager_type'],
  removable: true,
  async standing(world) {
    const rows = await world.api.all('/v1/secret-references');
    return Promise.all(
      rows.map(async ({ id }) => {
        const path = `/v1/secret-references/${String(id)}`;
        const row = await world.api.call('GET', path);
        const allowed = row['allowed_workspaces'] as string[];
        return {
          item: {
            ...members(row, 'slug', 'manager_type', ...REFERENCE),
            auth_config: unmasked(row['auth_config'] as Json, 'secret_reference', String(row['slug'])),
            allowed_workspaces: allowed.map((workspace) => world.workspaces.slugOf(workspace)),
          },
          path,
        };
      }),
    );
  },
  create: (world, item) =>
    post(world, '/v1/secret-references', {
      ...present(item, 'slug', 'manager_type', 'auth_config', ...REFERENCE),
      ...(item['allowed_workspaces'] === undefined
        ? {}
        : { allowed_workspaces: workspaceIds(world, item['allowed_workspaces']) }),
    }),
  update: (world, path, item) =>
    put(world, path, {
      ...present(item, 'name', 'auth_config', 'secret_path'),
      ...cleared(item, 'description', 'secret_key', 'tags'),
      ...(item['allowed_workspaces'] === undefined
        ? { allow_all_workspaces: true }
        : { allowed_workspaces: workspaceIds(world, item['allowed_workspaces']) }),
    }),
};

const DEPLOYMENT = ['name', 'type', 'is_default', 'deployment_config', 'tags'] as const;

export const deployments: Kind = {
  name: 'deployments',
  identity: ['slug'],
  fixed: ['source_type'],
  removable: true,
  async standing(world) {
    const rows = await world.api.all('/v1/deployments');
    return Promise.all(
      rows.map(async ({ id }) => {
        const path = `/v1/deployments/${String(id)}`;
        const row = await world.api.call('GET', path);
        const {
          workspaces_allowed: allowed,
          jwt_sub_workspace_mapping: mapping,
          ...settings
        } = row['auth_settings'] as Json;
        const credentials = row['credentials'] as { username: string } | null;
        return {
          item: {
            ...members(row, 'slug', 'source_type', ...DEPLOYMENT),
            auth_settings: {
              ...settings,
              workspaces_allowed: (allowed as string[]).map((workspace) =>
                world.workspaces.slugOf(workspace),
              ),
              jwt_sub_workspace_mapping: mapped(mapping, (workspace) => world.workspaces.slugOf(workspace)),
            },
            credentials: credentials && {
              username: credentials.username,
              password: secretName('deployment', String(row['slug']), 'password'),
            },
          },
          path,
        };
      }),
    );
  },
  create: (world, item) =>
    post(world, '/v1/deployments', {
      ...present(item, 'slug', 'source_type', 'credentials', ...DEPLOYMENT),
      auth_settings: deploymentSettings(world, item),
    }),
  update: (world, path, item) =>
    put(world, path, {
      ...present(item, 'name', 'type', 'is_default'),
      ...cleared(item, 'deployment_config', 'tags'),
      ...(hasPassword(item['credentials']) ? { credentials: item['credentials'] } : {}),
      override_existing: true,
      auth_settings: {
        ...cleared({}, 'gateway_base_url', 'mcp_gateway_base_url', 'private_link_endpoint'),
        ...deploymentSettings(world, item),
      },
    }),
};

/** A password that is not in the environment stays as it is saved. */
const hasPassword = (credentials: unknown): boolean =>
  typeof (credentials as { password?: unknown } | undefined)?.password === 'string';

const mapped = (map: unknown, change: (value: string) => string): Json =>
  Object.fromEntries(
    Object.entries((map as Record<string, string> | undefined) ?? {}).map(([name, value]) => [
      name,
      change(value),
    ]),
  );

function deploymentSettings(world: World, item: Json): Json {
  const settings = (item['auth_settings'] as Json | undefined) ?? {};
  const allowed = workspaceIds(world, settings['workspaces_allowed']);
  return {
    ...settings,
    ...(settings['allow_all_workspaces'] === true ? {} : { workspaces_allowed: allowed }),
    jwt_subs_allowed: settings['jwt_subs_allowed'] ?? [],
    jwt_sub_workspace_mapping: mapped(settings['jwt_sub_workspace_mapping'], (slug) =>
      world.workspaces.idOf(slug),
    ),
  };
}

export const plugins: Kind = {
  name: 'plugins',
  identity: ['plugin_provider_id'],
  removable: false,
  async standing(world) {
    const rows = await world.api.all('/v1/plugins');
    return rows.map((row) => {
      const id = String(row['plugin_provider_id']);
      const names = Object.keys(row['credentials'] as Json);
      return {
        item: {
          ...members(row, 'plugin_provider_id', 'name'),
          credentials: Object.fromEntries(names.map((name) => [name, secretName('plugin', id, name)])),
        },
        path: `/v1/plugins/${String(row['id'])}`,
      };
    });
  },
  create: (world, item) =>
    post(world, '/v1/plugins', present(item, 'plugin_provider_id', 'name', 'credentials')),
  update: (world, path, item) => {
    const credentials = (item['credentials'] as Json | undefined) ?? {};
    const isGiven = Object.keys(credentials).length > 0;
    return put(world, path, { name: item['name'], ...(isGiven ? { credentials } : {}) });
  },
};
