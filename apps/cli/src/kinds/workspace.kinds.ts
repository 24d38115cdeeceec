import type { Json } from '../api-client';
import { plain, sorted, type Members } from '../members';
import { cleared, members, post, present, put, type Item, type Kind, type ReconcileContext } from '../kind';
import { canonical, inPlaceOf } from '../values';
import { LIMITS } from './limit.members';
import { canonicalScopes, rotationDays, SECURITY } from './security.members';

const WORKSPACE = ['name', 'icon', 'description'] as const;

const WORKSPACE_MEMBERS: Members = {
  ...plain('slug', ...WORKSPACE),
  is_default: { normal: (value) => (value === true ? true : null) },
  metadata: { api: 'defaults' },
  settings: {
    members: {
      ...plain('debug_log', 'audit', 'translation_loss', 'portkey_headers'),
      ...plain('user_api_key_count', 'user_api_key_ttl', 'user_api_key_max_ttl'),
      user_api_key_rotation_period: { normal: rotationDays },
      user_api_key_auto_create: {},
      user_api_key_auto_create_scopes: { keepsEmpty: true, normal: canonicalScopes },
    },
  },
  // Only settings that differ from the organisation's.
  security_settings: { members: plain(...Object.keys(SECURITY)) },
  data_plane_security_settings: { members: plain('block_inline_config') },
  export_settings: { members: { deniedFields: { keepsEmpty: true } } },
  ...LIMITS,
};

/** Members that are written after the workspace was created. */
const LATER = ['settings', 'data_plane_security_settings', 'export_settings'] as const;

const securityOf = async ({ api }: ReconcileContext): Promise<Json> => {
  const { security_settings: settings } = await api.call('GET', '/v1/admin/organisation/settings');
  return settings as Json;
};

/** Returns the members of `one` that differ in `other`. */
const differing = (one: Json, other: Json): Json =>
  Object.fromEntries(Object.entries(one).filter(([name, value]) => value !== other[name]));

/** Separates the icon before the name; an emoji may also be part of the name. */
const nameOf = ({ name, icon }: Json): unknown =>
  typeof icon === 'string' ? String(name).slice(icon.length + 1) : name;

/**
 * Returns the settings that change. A workspace may not write settings that the organisation
 * reserves, even unchanged.
 */
async function settingsChange(context: ReconcileContext, item: Item, before: Item): Promise<Json> {
  const isOther = (name: string): boolean => canonical(item[name]) !== canonical(before[name]);
  const maps = LATER.filter(isOther).map((name) => [name, inPlaceOf(before[name], item[name])]);
  const security = isOther('security_settings')
    ? {
        security_settings: {
          ...(await securityOf(context)),
          ...(item['security_settings'] as Json | undefined),
        },
      }
    : {};
  return { ...(Object.fromEntries(maps) as Json), ...security };
}

export const workspaces: Kind = {
  name: 'workspaces',
  members: WORKSPACE_MEMBERS,
  identity: ['slug'],
  fixed: ['is_default'],
  removable: false,
  async existing(context) {
    const organisation = await securityOf(context);
    const listed = await context.api.all('/v1/workspaces');
    const rows = await Promise.all(
      listed.map(({ id }) => context.api.call('GET', `/v1/workspaces/${String(id)}`)),
    );
    return rows.map((row) => {
      const id = String(row['id']);
      context.workspaces.add(String(row['slug']), id);
      if (row['is_default'] === 1 || row['is_default'] === true) context.workspaces.setDefault(id);
      return {
        item: {
          slug: context.workspaces.slugOf(id),
          ...members(row, ...WORKSPACE, ...LATER, 'usage_limits', 'rate_limits'),
          name: nameOf(row),
          is_default: row['is_default'] === 1 ? true : null,
          metadata: (row['defaults'] as Json)['metadata'],
          security_settings: differing(row['security_settings'] as Json, organisation),
        },
        path: `/v1/workspaces/${id}`,
      };
    });
  },
  async create(context, item) {
    const created = await post(context, '/v1/workspaces', {
      slug: item['slug'],
      ...present(item, ...WORKSPACE, 'usage_limits', 'rate_limits'),
      ...(item['metadata'] === undefined ? {} : { defaults: { metadata: item['metadata'] } }),
    });
    context.workspaces.add(String(item['slug']), String(created['id']));
    const later = await settingsChange(context, item, {});
    if (Object.keys(later).length > 0) await put(context, `/v1/workspaces/${String(created['id'])}`, later);
    return {};
  },
  update: async (context, path, item, before) =>
    put(context, path, {
      name: item['name'],
      ...cleared(item, 'icon', 'description', 'usage_limits', 'rate_limits'),
      defaults: { metadata: item['metadata'] ?? null },
      ...(await settingsChange(context, item, before)),
    }),
};

/** Workspace defaults, separate from the workspaces because their configs must exist first. */
export const userKeyConfigs: Kind = {
  name: 'user_key_configs',
  members: { workspace: {}, config: { api: 'defaults' } },
  identity: ['workspace'],
  removable: false,
  async existing(context) {
    const rows = await context.api.all('/v1/workspaces');
    return rows.map((row) => ({
      item: {
        workspace: context.workspaces.slugOf(String(row['id'])),
        config: (row['defaults'] as Json)['user_api_key_config'],
      },
      path: `/v1/workspaces/${String(row['id'])}`,
    }));
  },
  update: (context, path, item) =>
    put(context, path, { defaults: { user_api_key_config: item['config'] ?? null } }),
};

const EXCLUSIONS = ['input', 'output'] as const;

export const workspaceExclusions: Kind = {
  name: 'workspace_exclusions',
  members: { direction: {}, workspaces: { normal: sorted } },
  identity: ['direction'],
  removable: false,
  existing: (context) =>
    Promise.all(
      EXCLUSIONS.map(async (direction) => {
        const path = `/v1/workspace-exclusions/${direction}-guardrails`;
        const { workspaces: rows } = await context.api.call<{
          workspaces: { workspace_id: string; excluded: boolean }[];
        }>('GET', path);
        const excluded = rows.filter((row) => row.excluded);
        return {
          item: { direction, workspaces: excluded.map((row) => context.workspaces.slugOf(row.workspace_id)) },
          path,
        };
      }),
    ),
  update: (context, path, item) =>
    put(context, path, {
      override_existing: true,
      workspaces: ((item['workspaces'] as string[] | undefined) ?? []).map((slug) => ({
        workspace_id: context.workspaces.idOf(slug),
        excluded: true,
      })),
    }),
};
