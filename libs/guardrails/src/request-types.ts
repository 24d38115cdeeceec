import { familyNamed, ROUTE_FAMILIES, type RouteFamily } from '@gw/contracts';
import type { Dialect } from './text/passages';

const FAMILIES: readonly RouteFamily[] = Object.values(ROUTE_FAMILIES);

/** Request types by the gateway's operation names. */
const BY_OPERATION: ReadonlyMap<string, string> = new Map(
  FAMILIES.flatMap(({ operations = {} }) => Object.entries(operations)),
);

/** Request types, as guardrails name them. */
export const REQUEST_TYPES: readonly string[] = [
  ...new Set(
    FAMILIES.flatMap(({ requestType, operations }) =>
      operations ? Object.values(operations) : [requestType],
    ),
  ),
];

/** Returns the request type of an operation; null when it has none of its own. */
export const operationTypeOf = (operation: string): string | null => BY_OPERATION.get(operation) ?? null;

/** Returns the request type of an operation and its route family; `proxy` for an unknown one. */
export const requestTypeOf = (operation: string, family: string): string =>
  BY_OPERATION.get(operation) ?? familyNamed(family)?.requestType ?? 'proxy';

/** Returns the request type of a POST to the path of a route family. */
export const pathTypeOf = (family: string): string =>
  requestTypeOf(familyNamed(family)?.pathOperation ?? family, family);

/**
 * Returns the dialect of the bodies of a route family; `json` when nothing more specific is known.
 */
export const dialectOf = (family: string): Dialect => familyNamed(family)?.texts ?? 'json';
