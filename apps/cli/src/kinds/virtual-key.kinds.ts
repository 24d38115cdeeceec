import type { Json } from '../api-client';
import { plain, type Members } from '../members';
import { cleared, post, present, removeByForce, type Kind } from '../kind';
import { change, ofWorkspaces } from './of-workspaces';
import { changedConfigurations, eachSecret, oneSecret, unmasked } from '../values';
import { keyOf, PROVIDER, PROVIDER_MEMBERS, providerFields } from './provider.kinds';
import { mappingsOf, referenceSlugs, SECRET_MAPPINGS } from './secret-mappings';

/** Provider fields as the routes of virtual keys spell them. */
const VIRTUAL_KEY_FIELDS: Readonly<Record<string, string>> = {
  azure_resource_name: 'resourceName',
  azure_auth_mode: 'azureAuthMode',
  azure_entra_tenant_id: 'azureEntraTenantId',
  azure_entra_client_id: 'azureEntraClientId',
  azure_entra_client_secret: 'azureEntraClientSecret',
  azure_managed_client_id: 'azureManagedClientId',
  openai_organization: 'openaiOrganization',
  openai_project: 'openaiProject',
};

function virtualKeyFields(config: unknown): Json {
  const { azure_deployment_config: deployments, ...rest } = (config as Json | undefined) ?? {};
  return {
    ...Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [VIRTUAL_KEY_FIELDS[name] ?? name, value]),
    ),
    ...(deployments === null ? { deploymentConfig: null } : {}),
    ...(Array.isArray(deployments)
      ? {
          deploymentConfig: deployments.map((item: Json) => ({
            ...present(item, 'alias', 'is_default'),
            apiVersion: item['azure_api_version'],
            deploymentName: item['azure_deployment_name'],
          })),
        }
      : {}),
  };
}

const VIRTUAL_KEY_MEMBERS: Members = {
  ...PROVIDER_MEMBERS,
  provider: {},
  key: { secrets: oneSecret },
  model_config: {
    members: {
      ...Object.fromEntries(
        Object.entries(VIRTUAL_KEY_FIELDS).map(([name, api]) => [name, { api, secrets: oneSecret }]),
      ),
      custom_host: { secrets: oneSecret },
      custom_headers: { secrets: eachSecret },
      azure_deployment_config: {
        api: 'deploymentConfig',
        members: {
          ...plain('alias', 'is_default'),
          azure_api_version: { api: 'apiVersion' },
          azure_deployment_name: { api: 'deploymentName' },
        },
      },
    },
  },
  secret_mappings: SECRET_MAPPINGS,
};

export const virtualKeys: Kind = {
  name: 'virtual_keys',
  members: VIRTUAL_KEY_MEMBERS,
  identity: ['workspace', 'slug'],
  fixed: ['provider'],
  removable: true,
  removeUsed: removeByForce,
  async existing(context) {
    const slugs = await referenceSlugs(context);
    return ofWorkspaces(context, '/v1/virtual-keys', (row) => {
      const slug = String(row['slug']);
      return {
        ...providerFields(row),
        provider: row['provider'],
        key: keyOf(row['masked_api_key'], 'virtual_key', slug),
        model_config: unmasked(row['model_config'] as Json, 'virtual_key', slug),
        secret_mappings: mappingsOf(row, slugs),
      };
    });
  },
  create: (context, item) =>
    post(context, '/v1/virtual-keys', {
      ...present(item, 'slug', 'name', 'provider', 'key', 'secret_mappings', ...PROVIDER),
      ...virtualKeyFields(item['model_config']),
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item, before) =>
    change(context, path, {
      ...present(item, 'name', 'key'),
      ...cleared(item, ...PROVIDER),
      ...virtualKeyFields(
        changedConfigurations(
          { configurations: before['model_config'] },
          { configurations: item['model_config'] },
        ),
      ),
      secret_mappings: item['secret_mappings'] ?? [],
    }),
};
