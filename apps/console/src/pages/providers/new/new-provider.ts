import type { BodyOf } from '../../../api';
import { getAt } from '../../../write/paths';
import { isRequired, type CatalogueProvider, type IntegrationBody } from '../provider-types';

/**
 * Values of the form, in the shape of the request body. They may contain secrets and must not be
 * stored.
 */
export type NewProvider = Partial<Omit<IntegrationBody, 'ai_provider_id' | 'workspace_id'>>;

/** Derives a slug from a name: `Azure EU` becomes `azure-eu`. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 60)
    .replace(/-$/, '');

const given = (configurations: NewProvider['configurations']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(configurations ?? {}).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );

/** Whether the form sets a price multiplier. */
export const isAdjusted = (adjustments: NewProvider['pricing_adjustments']): boolean =>
  typeof getAt(adjustments, ['multiplier', 'default']) === 'number';

const credentialOf = ({
  key,
  configurations,
  secret_mappings: mappings,
  pricing_adjustments: adjustments,
}: NewProvider) => ({
  ...(key === undefined || key === '' ? {} : { key }),
  configurations: given(configurations),
  ...(mappings === undefined || mappings === null ? {} : { secret_mappings: mappings }),
  ...(isAdjusted(adjustments) ? { pricing_adjustments: adjustments } : {}),
});

/** Body of the call that creates an integration together with its provider in the workspace. */
export function bodyOf(
  values: NewProvider,
  provider: CatalogueProvider,
  workspaceId: string,
): IntegrationBody {
  const name = values.name?.trim() ?? '';
  const slug = values.slug === undefined || values.slug === '' ? slugOf(name) : values.slug;
  return {
    ai_provider_id: provider.id,
    name,
    slug,
    default_provider_slug: slug,
    workspace_id: workspaceId,
    ...credentialOf(values),
  };
}

/** Body of a test of the credential; null while a required field is empty. */
export function testOf(
  values: NewProvider,
  provider: CatalogueProvider,
  workspaceId: string,
): BodyOf<'integrationTests_run'> | null {
  const configurations = given(values.configurations);
  const mapped = new Set((values.secret_mappings ?? []).map(({ target_field }) => target_field));
  const lacking = provider.configurations.some(
    (field) =>
      !mapped.has(`configurations.${field.name}`) &&
      (isRequired(field, configurations) || (provider.self_hosted && field.name === 'custom_host')) &&
      configurations[field.name] === undefined,
  );
  if (lacking) return null;
  return { ai_provider_id: provider.id, workspace_id: workspaceId, ...credentialOf(values) };
}
