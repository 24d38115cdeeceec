import type { ResponseOf, BodyOf } from '../../../api';
import { isAdjusted, slugOf, type NewProvider } from '../new/new-provider';
import { writableOf as writableOfProvider, type CatalogueProvider } from '../provider-types';

export type VirtualKey = ResponseOf<'virtualKeys_get'>;
export type VirtualKeyBody = BodyOf<'virtualKeys_create'>;
export type VirtualKeyUpdate = BodyOf<'virtualKeys_update'>;

/** Member of a virtual key for each catalogue configuration that virtual keys support. */
const MEMBERS: Readonly<Record<string, keyof VirtualKeyBody>> = {
  custom_host: 'custom_host',
  custom_headers: 'custom_headers',
  openai_organization: 'openaiOrganization',
  openai_project: 'openaiProject',
  azure_resource_name: 'resourceName',
  azure_auth_mode: 'azureAuthMode',
  azure_entra_tenant_id: 'azureEntraTenantId',
  azure_entra_client_id: 'azureEntraClientId',
  azure_entra_client_secret: 'azureEntraClientSecret',
  azure_managed_client_id: 'azureManagedClientId',
};

const IN_CONFIGURATIONS = 'configurations.';

/**
 * Body of the call that creates a virtual key from the form; null when the form has a setting that
 * virtual keys lack.
 */
export function virtualKeyOf(
  values: NewProvider,
  provider: CatalogueProvider,
  workspaceId: string,
): VirtualKeyBody | null {
  const given = Object.entries(values.configurations ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  if (isAdjusted(values.pricing_adjustments) || given.some(([name]) => MEMBERS[name] === undefined))
    return null;
  const name = values.name?.trim() ?? '';
  const mappings = (values.secret_mappings ?? []).map((mapping) => ({
    ...mapping,
    target_field: mapping.target_field.replace(IN_CONFIGURATIONS, 'model_config.'),
  }));
  return {
    provider: provider.id,
    name,
    slug: values.slug === undefined || values.slug === '' ? slugOf(name) : values.slug,
    workspace_id: workspaceId,
    ...(values.key === undefined || values.key === '' ? {} : { key: values.key }),
    ...Object.fromEntries<unknown>(given.map(([member, value]) => [MEMBERS[member] ?? member, value])),
    ...(mappings.length === 0 ? {} : { secret_mappings: mappings }),
  };
}

/**
 * Members of a virtual key that its forms may write. The key has its mask as the value, which is
 * never sent.
 */
export const writableOf = (virtualKey: VirtualKey): VirtualKeyUpdate => ({
  ...writableOfProvider(virtualKey),
  key: virtualKey.masked_api_key,
  custom_host: textOf(virtualKey.model_config['custom_host']),
  secret_mappings: virtualKey.secret_mappings,
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
