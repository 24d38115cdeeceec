import type { CatalogueProvider } from '@gw/contracts';
import { COMMON_FIELDS } from './fields';
import type { Provider } from './provider';
import { PROVIDERS } from './registry';

/** Returns what the control plane needs to check and encrypt the credentials of a provider. */
export const catalogueEntry = ({ id, name, needsCredential, fields = [] }: Provider): CatalogueProvider =>
  Object.freeze({ id, name, needsKey: needsCredential, fields: [...fields, ...COMMON_FIELDS] });

/** The providers that an integration may name, in display order. */
export const PROVIDER_CATALOGUE: readonly CatalogueProvider[] = [...PROVIDERS.values()].map(catalogueEntry);

const BY_ID = new Map(PROVIDER_CATALOGUE.map((entry) => [entry.id, entry]));

/**
 * Returns the catalogue entry of a provider by its id or an alias; undefined when there is none.
 */
export const catalogueProvider = (name: string): CatalogueProvider | undefined =>
  BY_ID.get(PROVIDERS.get(name)?.id ?? name);
