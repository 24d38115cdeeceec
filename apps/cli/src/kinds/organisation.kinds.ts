import type { Json } from '../api-client';
import { plain, sorted, type Member, type Members } from '../members';
import { cleared, members, post, present, put, type Kind, type ReconcileContext } from '../kind';
import { eachSecret, oneSecret, secretName, unmasked } from '../values';
import { canonicalScopes, rotationDays, SECURITY, WORKSPACE_OVERRIDES } from './security.members';

const SETTINGS = '/v1/admin/organisation/settings';
const PROPERTIES = '/v1/admin/organisation/properties';

const SETTING_NAMES = [
  'settings',
  'data_plane_security_settings',
  'export_settings',
  'security_settings',
  'session_settings',
  'scim_settings',
  'oauth_settings',
  'workspace_overrides',
] as const;

const EMPTY_WHEN_ABSENT = { fallback: {} } as const;

/** Organisation settings. A missing setting counts as never set. */
const ORGANISATION_SETTINGS: Readonly<Record<(typeof SETTING_NAMES)[number], Member>> = {
  settings: {
    ...EMPTY_WHEN_ABSENT,
    members: {
      debug_log: { fallback: 1 },
      audit: { fallback: 'standard' },
      default_workspace_user_api_key_auto_create: { fallback: false },
      user_api_key_count: { fallback: -1 },
      user_api_key_ttl: { fallback: 0 },
      user_api_key_max_ttl: { fallback: 0 },
      user_api_key_rotation_period: { fallback: '', normal: rotationDays },
      user_api_key_auto_create: { fallback: false },
      user_api_key_auto_create_scopes: { fallback: [], keepsEmpty: true, normal: canonicalScopes },
    },
  },
  data_plane_security_settings: {
    ...EMPTY_WHEN_ABSENT,
    members: { block_inline_config: { fallback: false } },
  },
  export_settings: {
    ...EMPTY_WHEN_ABSENT,
    members: { deniedFields: { fallback: [], keepsEmpty: true } },
  },
  security_settings: { ...EMPTY_WHEN_ABSENT, members: SECURITY },
  session_settings: {
    ...EMPTY_WHEN_ABSENT,
    members: { max_session_ttl: { fallback: 2_592_000 }, require_mfa: { fallback: false } },
  },
  scim_settings: {
    ...EMPTY_WHEN_ABSENT,
    members: {
      workspace_name_prefix: { fallback: 'ws-' },
      workspace_role_separator: { fallback: '-role-' },
      adopt_existing: { fallback: true },
      group_based_user_provisioning: { fallback: false },
      manage_organisation: { fallback: false },
    },
  },
  oauth_settings: {
    ...EMPTY_WHEN_ABSENT,
    members: {
      clients: { fallback: 'any' },
      device_flow: { fallback: true },
      require_dpop: { fallback: false },
    },
  },
  workspace_overrides: { ...EMPTY_WHEN_ABSENT, members: WORKSPACE_OVERRIDES },
};

export const organisationSettings: Kind = {
  name: 'organisation_settings',
  members: ORGANISATION_SETTINGS,
  identity: [],
  removable: false,
  async existing({ api }) {
    const row = await api.call('GET', SETTINGS);
    return [{ item: members(row, ...SETTING_NAMES), path: SETTINGS }];
  },
  update: (context, path, item) => put(context, path, present(item, ...SETTING_NAMES)),
};

const SCHEMAS = ['api_key_metadata_schema', 'workspace_metadata_schema', 'request_metadata_schema'] as const;

export const organisationProperties: Kind = {
  name: 'organisation_properties',
  members: Object.fromEntries(SCHEMAS.map((name) => [name, { isContent: true }])),
  identity: [],
  removable: false,
  async existing({ api }) {
    return [{ item: members(await api.call('GET', PROPERTIES), ...SCHEMAS), path: PROPERTIES }];
  },
  update: (context, path, item) => put(context, path, cleared(item, ...SCHEMAS)),
};

const REFERENCE = ['name', 'description', 'secret_path', 'secret_key', 'tags'] as const;

const workspaceIds = (context: ReconcileContext, slugs: unknown): string[] =>
  ((slugs as string[] | undefined) ?? []).map((slug) => context.workspaces.idOf(slug));

export const secretReferences: Kind = {
  name: 'secret_references',
  members: {
    ...plain('slug', 'manager_type', ...REFERENCE),
    auth_config: { secrets: eachSecret },
    allowed_workspaces: { normal: sorted },
  },
  identity: ['slug'],
  fixed: ['manager_type'],
  removable: true,
  async existing(context) {
    const rows = await context.api.all('/v1/secret-references');
    return Promise.all(
      rows.map(async ({ id }) => {
        const path = `/v1/secret-references/${String(id)}`;
        const row = await context.api.call('GET', path);
        const allowed = row['allowed_workspaces'] as string[];
        return {
          item: {
            ...members(row, 'slug', 'manager_type', ...REFERENCE),
            auth_config: unmasked(row['auth_config'] as Json, 'secret_reference', String(row['slug'])),
            allowed_workspaces: allowed.map((workspace) => context.workspaces.slugOf(workspace)),
          },
          path,
        };
      }),
    );
  },
  create: (context, item) =>
    post(context, '/v1/secret-references', {
      ...present(item, 'slug', 'manager_type', 'auth_config', ...REFERENCE),
      ...(item['allowed_workspaces'] === undefined
        ? {}
        : { allowed_workspaces: workspaceIds(context, item['allowed_workspaces']) }),
    }),
  update: (context, path, item) =>
    put(context, path, {
      ...present(item, 'name', 'auth_config', 'secret_path'),
      ...cleared(item, 'description', 'secret_key', 'tags'),
      ...(item['allowed_workspaces'] === undefined
        ? { allow_all_workspaces: true }
        : { allowed_workspaces: workspaceIds(context, item['allowed_workspaces']) }),
    }),
};

const DEPLOYMENT = ['name', 'type', 'is_default', 'deployment_config', 'tags'] as const;

const DEPLOYMENT_MEMBERS: Members = {
  ...plain('slug', 'name', 'tags'),
  type: { fallback: 'production' },
  source_type: { fallback: 'api' },
  is_default: { normal: Number, fallback: 0 },
  deployment_config: { isContent: true },
  credentials: { members: { username: {}, password: { secrets: oneSecret } } },
  auth_settings: {
    fallback: {},
    members: {
      ...plain('gateway_base_url', 'mcp_gateway_base_url', 'private_link_endpoint'),
      use_private_link_proxy: { fallback: 0 },
      is_dataservice_hosted: { fallback: 0 },
      is_playground_proxy_allowed: { fallback: 0 },
      allow_all_workspaces: { fallback: false },
      workspaces_allowed: { normal: sorted },
      ...plain('jwt_subs_allowed', 'jwt_sub_workspace_mapping'),
    },
  },
};

export const deployments: Kind = {
  name: 'deployments',
  members: DEPLOYMENT_MEMBERS,
  identity: ['slug'],
  fixed: ['source_type'],
  removable: true,
  async existing(context) {
    const rows = await context.api.all('/v1/deployments');
    return Promise.all(
      rows.map(async ({ id }) => {
        const path = `/v1/deployments/${String(id)}`;
        const row = await context.api.call('GET', path);
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
                context.workspaces.slugOf(workspace),
              ),
              jwt_sub_workspace_mapping: mapped(mapping, (workspace) => context.workspaces.slugOf(workspace)),
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
  create: (context, item) =>
    post(context, '/v1/deployments', {
      ...present(item, 'slug', 'source_type', 'credentials', ...DEPLOYMENT),
      auth_settings: deploymentSettings(context, item),
    }),
  update: (context, path, item) =>
    put(context, path, {
      ...present(item, 'name', 'type', 'is_default'),
      ...cleared(item, 'deployment_config', 'tags'),
      ...(hasPassword(item['credentials']) ? { credentials: item['credentials'] } : {}),
      override_existing: true,
      auth_settings: {
        ...cleared({}, 'gateway_base_url', 'mcp_gateway_base_url', 'private_link_endpoint'),
        ...deploymentSettings(context, item),
      },
    }),
};

/**
 * Returns whether the credentials have a password. Without one, because its variable is not set,
 * the saved password stays.
 */
const hasPassword = (credentials: unknown): boolean =>
  typeof (credentials as { password?: unknown } | undefined)?.password === 'string';

const mapped = (map: unknown, change: (value: string) => string): Json =>
  Object.fromEntries(
    Object.entries((map as Record<string, string> | undefined) ?? {}).map(([name, value]) => [
      name,
      change(value),
    ]),
  );

function deploymentSettings(context: ReconcileContext, item: Json): Json {
  const settings = (item['auth_settings'] as Json | undefined) ?? {};
  const allowed = workspaceIds(context, settings['workspaces_allowed']);
  return {
    ...settings,
    ...(settings['allow_all_workspaces'] === true ? {} : { workspaces_allowed: allowed }),
    jwt_subs_allowed: settings['jwt_subs_allowed'] ?? [],
    jwt_sub_workspace_mapping: mapped(settings['jwt_sub_workspace_mapping'], (slug) =>
      context.workspaces.idOf(slug),
    ),
  };
}

export const plugins: Kind = {
  name: 'plugins',
  members: {
    plugin_provider_id: {},
    name: { fallback: ({ plugin_provider_id: id }: Json) => id },
    credentials: { secrets: eachSecret },
  },
  identity: ['plugin_provider_id'],
  removable: false,
  async existing(context) {
    const rows = await context.api.all('/v1/plugins');
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
  create: (context, item) =>
    post(context, '/v1/plugins', present(item, 'plugin_provider_id', 'name', 'credentials')),
  update: (context, path, item) => {
    const credentials = (item['credentials'] as Json | undefined) ?? {};
    const isGiven = Object.keys(credentials).length > 0;
    return put(context, path, { name: item['name'], ...(isGiven ? { credentials } : {}) });
  },
};
