import type { OpenAPIObject } from '@nestjs/swagger';
import { accessRow } from '../platform/auth/access-table';
import type { Place } from './tenancy-fixtures';
import type { TenancyRow } from './tenancy-rows';

export const TARGETS = ['own workspace', 'sibling workspace', 'other organisation', 'unknown id'] as const;
export type Target = (typeof TARGETS)[number];

/** A handler of the document, with all its paths. */
export interface Route {
  readonly handler: string;
  readonly method: string;
  readonly paths: readonly string[];
  readonly access: string;
  readonly scopes: readonly string[];
}

export interface Role {
  readonly name: string;
  readonly credential: { readonly key?: string; readonly token?: string };
  readonly kind: 'none' | 'key' | 'session';
  /** Name of a session's role in the document. */
  readonly documented: string | null;
  /** Scopes of a key. */
  readonly scopes: ReadonlySet<string>;
  /** Targets that the role can reach, if its scopes suffice. */
  readonly reaches: readonly Target[];
  readonly home: Place;
}

export function routesOf(document: OpenAPIObject): Route[] {
  const routes = new Map<string, Route & { readonly paths: string[] }>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Record<string, unknown>>)) {
      const handler = String(operation['operationId']).split('__', 1)[0] ?? '';
      const known = routes.get(handler);
      const access = String(operation['x-gw-access']);
      const scopes = (operation['x-gw-scopes'] ?? []) as string[];
      if (known) known.paths.push(path);
      else routes.set(handler, { handler, method: method.toUpperCase(), paths: [path], access, scopes });
    }
  }
  return [...routes.values()];
}

/** Returns the expected result of a call, before its body is checked. */
export type ExpectedResult = 'unauthenticated' | 'scope_missing' | 'not_found' | 'reached';

export function expectedResultOf(route: Route, row: TenancyRow, role: Role, target: Target): ExpectedResult {
  if (route.access === 'public') return 'reached';
  if (!isAuthenticated(route, role)) return 'unauthenticated';
  const isHidden = row.aim !== 'nothing' && !reaches(row, role, target);
  // A workspace that the caller cannot reach is hidden before scopes are checked.
  const isFirst = row.aim === 'path' || row.aim === 'named';
  if (isHidden && isFirst) return 'not_found';
  return missingScope(route, row, role) ?? (isHidden ? 'not_found' : 'reached');
}

function isAuthenticated({ access }: Route, { kind }: Role): boolean {
  if (access === 'session') return kind === 'session';
  return access === 'api_key' ? kind === 'key' : kind !== 'none';
}

function missingScope(route: Route, row: TenancyRow, role: Role): 'scope_missing' | 'not_found' | null {
  if (route.access !== 'scopes') return null;
  if (!holds(role, route.scopes)) return 'scope_missing';
  if (row.scopes === undefined || holds(role, row.scopes)) return null;
  // After the route's guard, a target that needs further scopes is hidden, unless the caller names its kind.
  return row.aim === 'named' ? 'scope_missing' : 'not_found';
}

function reaches(row: TenancyRow, { reaches: targets }: Role, target: Target): boolean {
  // A row of the organisation can be reached from each of its workspaces.
  const isOfBoth = row.aim === 'organisation' && target === 'sibling workspace';
  return targets.includes(isOfBoth ? 'own workspace' : target);
}

const holds = (role: Role, scopes: readonly string[]): boolean =>
  role.documented === null
    ? scopes.some((scope) => role.scopes.has(scope))
    : accessRow(scopes).roles.includes(role.documented);
