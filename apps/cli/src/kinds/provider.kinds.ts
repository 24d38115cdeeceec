import type { Json } from '../api-client';
import { plain, type Members } from '../members';
import {
  cleared,
  members,
  post,
  present,
  put,
  remove,
  removeByForce,
  type Kind,
  type ReconcileContext,
} from '../kind';
import { change, ofWorkspaces } from './of-workspaces';
import {
  byText,
  changedConfigurations,
  eachSecret,
  oneSecret,
  secretName,
  settingSecrets,
  unmasked,
} from '../values';
import { EXPIRES_AT, LIMITS } from './limit.members';
import { mappingsOf, referenceSlugs, SECRET_MAPPINGS } from './secret-mappings';

const INTEGRATION = ['name', 'description', 'tags', 'pricing_adjustments', 'allow_all_models'] as const;

const INTEGRATION_MEMBERS: Members = {
  ...plain('workspace', 'slug', 'ai_provider_id', 'name', 'description', 'tags'),
  key: { secrets: oneSecret },
  configurations: { secrets: settingSecrets },
  pricing_adjustments: { isContent: true },
  allow_all_models: { fallback: true },
  secret_mappings: SECRET_MAPPINGS,
};

export const keyOf = (masked: unknown, kind: string, slug: string): unknown =>
  masked === null ? null : secretName(kind, slug, 'key');

async function integrationRows({ api }: ReconcileContext): Promise<Json[]> {
  const rows = await api.all('/v1/integrations');
  return Promise.all(rows.map(({ id }) => api.call('GET', `/v1/integrations/${String(id)}`)));
}

const pathOf = (row: Json): string => `/v1/integrations/${String(row['id'])}`;

export const integrations: Kind = {
  name: 'integrations',
  members: INTEGRATION_MEMBERS,
  identity: ['slug'],
  fixed: ['ai_provider_id', 'workspace'],
  removable: true,
  // The control plane deletes an integration together with its providers, and warns about their
  // users.
  removeUsed: remove,
  async existing(context) {
    const slugs = await referenceSlugs(context);
    return (await integrationRows(context)).map((row) => {
      const slug = String(row['slug']);
      const workspace = row['workspace_id'];
      return {
        item: {
          ...members(row, 'slug', 'ai_provider_id', ...INTEGRATION),
          workspace: typeof workspace === 'string' ? context.workspaces.slugOf(workspace) : null,
          key: keyOf(row['masked_key'], 'integration', slug),
          configurations: unmasked(row['configurations'] as Json, 'integration', slug),
          secret_mappings: mappingsOf(row, slugs),
        },
        path: pathOf(row),
      };
    });
  },
  create: (context, item) =>
    post(context, '/v1/integrations', {
      ...present(item, 'slug', 'ai_provider_id', 'key', 'configurations', 'secret_mappings', ...INTEGRATION),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
      create_default_provider: false,
    }),
  update: (context, path, item, before) =>
    put(context, path, {
      ...present(item, 'name', 'key', 'allow_all_models'),
      ...cleared(item, 'description', 'tags', 'pricing_adjustments'),
      configurations: changedConfigurations(before, item),
      secret_mappings: item['secret_mappings'] ?? [],
    }),
};

const MODEL = [
  'slug',
  'enabled',
  'is_custom',
  'is_finetune',
  'base_model_slug',
  'configurations',
  'pricing_config',
] as const;

/** Model headers are stored among the model's configurations. */
const withHeadersInside = ({ custom_headers: headers, ...model }: Json): Json =>
  headers === undefined
    ? model
    : {
        ...model,
        configurations: { ...(model['configurations'] as Json | undefined), custom_headers: headers },
      };

const MODELS_MEMBERS: Members = {
  integration: {},
  // A changed address of a model needs the integration's secrets; the saved ones belong to the
  // integration.
  key: { secrets: oneSecret, isComputed: () => true },
  configurations: { secrets: settingSecrets, isComputed: () => true },
  models: {
    normal: (value) =>
      Array.isArray(value) ? byText((value as Json[]).map(withHeadersInside), 'slug') : value,
    members: {
      ...plain('slug', 'base_model_slug'),
      configurations: { secrets: settingSecrets },
      custom_headers: { secrets: eachSecret },
      is_custom: { fallback: false },
      is_finetune: { fallback: false },
      enabled: { fallback: true },
      pricing_config: { isContent: true },
    },
  },
};

export const integrationModels: Kind = {
  name: 'integration_models',
  members: MODELS_MEMBERS,
  identity: ['integration'],
  removable: false,
  async existing(context) {
    return Promise.all(
      (await integrationRows(context)).map(async (row) => {
        const path = `${pathOf(row)}/models`;
        const { models } = await context.api.call<{ models: Json[] }>('GET', path);
        const slug = String(row['slug']);
        const shown = models.map((model) => ({
          ...members(model, ...MODEL),
          configurations: unmasked(
            (model['configurations'] as Json | null) ?? {},
            'model',
            slug,
            String(model['slug']),
          ),
        }));
        return { item: { integration: slug, models: shown }, path };
      }),
    );
  },
  update: (context, path, item) =>
    put(context, path, {
      // A changed address of a model needs the integration's secrets.
      ...present(item, 'key', 'configurations'),
      models: item['models'] ?? [],
      override_existing_model_access: true,
    }),
};

const ACCESS = ['enabled', 'usage_limits', 'rate_limits'] as const;

const ACCESS_OF_ONE: Members = { enabled: {}, ...LIMITS };

const ACCESS_MEMBERS: Members = {
  integration: {},
  global: { api: 'global_workspace_access', members: ACCESS_OF_ONE },
  workspaces: {
    members: { workspace: { api: 'id' }, ...ACCESS_OF_ONE },
    normal: (value) => (Array.isArray(value) ? byText(value as Json[], 'workspace') : value),
  },
};

export const integrationAccess: Kind = {
  name: 'integration_access',
  members: ACCESS_MEMBERS,
  identity: ['integration'],
  removable: false,
  async existing(context) {
    const rows = (await integrationRows(context)).filter((row) => row['workspace_id'] === null);
    return Promise.all(
      rows.map(async (row) => {
        const path = `${pathOf(row)}/workspaces`;
        const response = await context.api.call<{ workspaces: Json[]; global_workspace_access: Json | null }>(
          'GET',
          path,
        );
        const accessOf = (access: Json): Json => members(access, ...ACCESS);
        const item = {
          integration: row['slug'],
          global: response.global_workspace_access && accessOf(response.global_workspace_access),
          workspaces: response.workspaces.map((access): Json => ({
            workspace: context.workspaces.slugOf(String(access['id'])),
            ...accessOf(access),
          })),
        };
        return { item, path };
      }),
    );
  },
  update: (context, path, item) =>
    put(context, path, {
      global_workspace_access: item['global'] ?? null,
      workspaces: ((item['workspaces'] as Json[] | undefined) ?? []).map(({ workspace, ...access }) => ({
        id: context.workspaces.idOf(workspace),
        ...access,
      })),
      override_existing_workspace_access: true,
      create_default_provider: false,
    }),
};

export const PROVIDER = ['note', 'rate_limits', 'usage_limits', 'expires_at', 'tags'] as const;

export const PROVIDER_MEMBERS: Members = {
  ...plain('workspace', 'slug', 'name', 'note', 'tags'),
  ...LIMITS,
  expires_at: EXPIRES_AT,
};

export const providerFields = (row: Json): Json => members(row, 'slug', 'name', ...PROVIDER);

export const providers: Kind = {
  name: 'providers',
  members: { ...PROVIDER_MEMBERS, integration: { api: 'integration_id' } },
  identity: ['workspace', 'slug'],
  fixed: ['integration'],
  removable: true,
  removeUsed: removeByForce,
  existing: (context) =>
    ofWorkspaces(context, '/v1/providers', (row) => ({
      ...providerFields(row),
      integration: row['integration_id'],
    })),
  create: (context, item) =>
    post(context, '/v1/providers', {
      ...present(item, 'slug', 'name', ...PROVIDER),
      integration_id: item['integration'],
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, { name: item['name'], ...cleared(item, ...PROVIDER) }),
};
