import type { ResponseOf, BodyOf } from '../../api';

export type Provider = ResponseOf<'providers_get'>;
export type ProviderUpdate = BodyOf<'providers_update'>;
export type Integration = ResponseOf<'integrations_get'>;
export type IntegrationBody = BodyOf<'integrations_create'>;
export type IntegrationUpdate = BodyOf<'integrations_update'>;
export type CatalogueProvider = ResponseOf<'providerCatalogue_list'>['data'][number];
export type CatalogueField = CatalogueProvider['configurations'][number];
export type Check = ResponseOf<'integrationTests_run'>['checks'][number];

type Settings = Pick<Provider, 'name' | 'note' | 'rate_limits' | 'expires_at' | 'usage_limits'>;

/** Members of a provider or virtual key that its settings form may write. */
export function writableOf({ name, note, rate_limits, expires_at, usage_limits }: Settings): ProviderUpdate {
  if (usage_limits === null) return { name, note, rate_limits, expires_at, usage_limits };
  const { status: _status, current_usage: _used, burn_rate_per_day: _burn, ...rest } = usage_limits;
  const { forecast_exhausted_at: _forecast, ...budget } = rest;
  return {
    name,
    note,
    rate_limits,
    expires_at,
    usage_limits: { ...budget, type: budget.type as 'cost' | 'tokens' },
  };
}

const MASKED = 'masked_';

/**
 * Returns configurations under the names that a write uses. In responses of the API, a secret is
 * named `masked_<name>` and has its mask as the value.
 */
export const configurationsOf = ({ configurations }: Integration): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(configurations).map(([name, value]) => [
      name.startsWith(MASKED) ? name.slice(MASKED.length) : name,
      value,
    ]),
  );

/**
 * Members of an integration that its form may write. Secrets have their masks as values, which are
 * never sent.
 */
export const credentialOf = (integration: Integration): IntegrationUpdate => ({
  name: integration.name,
  description: integration.description,
  key: integration.masked_key,
  configurations: configurationsOf(integration),
  secret_mappings: integration.secret_mappings,
  pricing_adjustments: integration.pricing_adjustments,
});

/** Whether a field is required, given the values of the other fields. */
export function isRequired({ required }: CatalogueField, values: Readonly<Record<string, unknown>>): boolean {
  if (typeof required === 'boolean') return required;
  if (typeof required !== 'object' || required === null || Array.isArray(required)) return false;
  const { field, oneOf } = required as { readonly field?: string; readonly oneOf?: readonly unknown[] };
  return field !== undefined && oneOf?.includes(values[field]) === true;
}
