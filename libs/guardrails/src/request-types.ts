import { familyNamed, ROUTE_FAMILIES, type RouteFamily } from '@gw/contracts';
import type { Dialect } from './text/passages';

const FAMILIES: readonly RouteFamily[] = Object.values(ROUTE_FAMILIES);

/** Kinds of requests by the gateway's names of operations. */
const BY_OPERATION: ReadonlyMap<string, string> = new Map(
  FAMILIES.flatMap(({ operations = {} }) => Object.entries(operations)),
);

/** Kinds of requests, as guardrails name them. */
export const REQUEST_TYPES: readonly string[] = [
  ...new Set(
    FAMILIES.flatMap(({ requestType, operations }) =>
      operations ? Object.values(operations) : [requestType],
    ),
  ),
];

/** The kind of a request by the gateway's name of its operation; null for those that have none of their own. */
export const operationTypeOf = (operation: string): string | null => BY_OPERATION.get(operation) ?? null;

/** The kind of a request by the gateway's names of its operation and of its route's family; `proxy` for an unknown one. */
export const requestTypeOf = (operation: string, family: string): string =>
  BY_OPERATION.get(operation) ?? familyNamed(family)?.requestType ?? 'proxy';

/** The kind of a POST to the end of a family's own path. */
export const pathTypeOf = (family: string): string =>
  requestTypeOf(familyNamed(family)?.pathOperation ?? family, family);

/** How the bodies of a route's family are read; any JSON where nothing closer is known. */
export const dialectOf = (family: string): Dialect => familyNamed(family)?.texts ?? 'json';
