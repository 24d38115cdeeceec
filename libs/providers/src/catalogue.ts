import type { CatalogueProvider } from '@gw/contracts';
import { COMMON_FIELDS } from './fields';
import type { Provider } from './provider';
import { PROVIDERS } from './registry';

/** What the control plane knows of a provider to check and seal its credentials. */
export const catalogueEntry = ({ id, name, needsCredential, fields = [] }: Provider): CatalogueProvider =>
  Object.freeze({ id, name, needsKey: needsCredential, fields: [...fields, ...COMMON_FIELDS] });

/** The providers that an integration may name, in the order in which a person is offered them. */
export const PROVIDER_CATALOGUE: readonly CatalogueProvider[] = [...PROVIDERS.values()].map(catalogueEntry);

const BY_ID = new Map(PROVIDER_CATALOGUE.map((entry) => [entry.id, entry]));

/** Undefined: no such provider. */
export const catalogueProvider = (id: string): CatalogueProvider | undefined => BY_ID.get(id);
