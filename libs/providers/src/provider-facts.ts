import { ROUTE_KINDS, type RouteKind } from '@gw/contracts';
import { DOCUMENTATION } from './documentation';
import type { Provider, RouteSupport } from './provider';
import { REGION } from './rows/settings';
import { CLIENT_ROUTES } from './translation/translated-routes';

/** Facts about a provider for people who choose one. */
export interface ProviderFacts {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  /** Whether each integration needs a `custom_host`. */
  readonly selfHosted: boolean;
  /** Values of `provider_region`; empty when the provider has one address. */
  readonly regions: readonly string[];
  /** Dialects that the provider itself speaks, sorted. */
  readonly dialects: readonly string[];
  /**
   * Route families that the provider serves in the client's own dialect, in the order of the
   * families.
   */
  readonly native: readonly RouteKind[];
  /** Route families that clients reach by translation. */
  readonly translated: readonly RouteKind[];
  /** Address of the provider's own documentation; null when unknown. */
  readonly documentation: string | null;
  /**
   * Whether the price catalogue has prices of this provider. Otherwise calls cost nothing unless an
   * integration has prices.
   */
  readonly priced: boolean;
}

/** Returns how the provider itself or a variant of it serves its families. */
function supportsOf({ routes, variants = {} }: Provider): [RouteKind, RouteSupport][] {
  const served = new Map(Object.entries(routes) as [RouteKind, RouteSupport][]);
  for (const [kind, { provider }] of Object.entries(variants)) {
    const support = provider.routes[kind as RouteKind];
    if (support !== undefined) served.set(kind as RouteKind, support);
  }
  served.delete('passthrough');
  return [...served];
}

const DIALECT_OF_CALL: ReadonlyMap<RouteKind, string> = new Map(
  [...CLIENT_ROUTES].map(([dialect, { call }]) => [call, dialect]),
);

/**
 * Returns the dialect in which a provider serves a route family; undefined when clients do not call
 * models by the family.
 */
function dialectOf([kind, support]: [RouteKind, RouteSupport]): string | undefined {
  const clientDialect = DIALECT_OF_CALL.get(kind);
  if (clientDialect === undefined || support.via === 'native') return clientDialect;
  return support.name.slice(support.name.indexOf('>') + 1);
}

export function providerFacts(provider: Provider): ProviderFacts {
  const { id, name, aliases = [], fields = [], priceCatalogueId, selfHosted } = provider;
  const supports = supportsOf(provider);
  const served = new Map(supports);
  const kindsOf = (via: RouteSupport['via']): RouteKind[] =>
    ROUTE_KINDS.filter((kind) => served.get(kind)?.via === via);
  const dialects = supports.map(dialectOf).filter((dialect) => dialect !== undefined);
  return {
    id,
    name,
    aliases,
    selfHosted: selfHosted ?? false,
    regions: fields.find((field) => field.name === REGION)?.values ?? [],
    dialects: [...new Set(dialects)].sort(),
    native: kindsOf('native'),
    translated: kindsOf('translated'),
    documentation: DOCUMENTATION.get(id) ?? null,
    priced: priceCatalogueId !== null,
  };
}
