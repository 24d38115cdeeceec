import type { OpenAPIObject } from '@nestjs/swagger';
import { SCOPES } from '@gw/auth-scopes';
import { accessRow } from '../platform/auth/access-table';
import type { TenancyRow } from './tenancy-rows';

export const TARGETS = ['own workspace', 'sibling workspace', 'other organisation', 'unknown id'] as const;
export type Target = (typeof TARGETS)[number];
/** A target that exists. */
export type PlaceName = Exclude<Target, 'unknown id'>;

const ORGANISATIONS: Readonly<Record<Target, string | null>> = {
  'own workspace': 'ours',
  'sibling workspace': 'ours',
  'other organisation': 'theirs',
  'unknown id': null,
};

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
  /** Kind of credential; `token` is an access token of the OAuth server. */
  readonly kind: 'none' | 'key' | 'session' | 'token';
  /**
   * Documented name of the role of the calling user, or of the user of a key or token; null for
   * none.
   */
  readonly documented: string | null;
  /** Scopes of a key or token; null for a session, which has those of its user. */
  readonly scopes: ReadonlySet<string> | null;
  /** Workspaces that the role can reach if its scopes suffice. */
  readonly reaches: readonly Target[];
  readonly home: PlaceName;
  /** True for a token that is limited to one workspace. */
  readonly isBound?: boolean;
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

/** Expected result of a call, before its body is checked. */
export type ExpectedResult =
  'unauthenticated' | 'scope_missing' | 'scope_exceeds_creator' | 'forbidden' | 'not_found' | 'reached';

export function expectedResultOf(route: Route, row: TenancyRow, role: Role, target: Target): ExpectedResult {
  if (route.access === 'public') return 'reached';
  if (!isAuthenticated(route, role)) return 'unauthenticated';
  const isHidden = row.aim !== 'nothing' && !reaches(row, role, target);
  // A workspace that the caller cannot reach is hidden before scopes are checked.
  const isFirst = row.aim === 'path' || row.aim === 'named';
  if (isHidden && isFirst) return 'not_found';
  const missing = missingScope(route, row, role);
  if (missing !== null) return missing;
  // A route whose scope only a key of the organisation can hold is about the whole organisation.
  if (role.isBound === true && isOfWholeOrganisation(route, row)) return 'forbidden';
  return isHidden ? 'not_found' : refusalOfRow(row, role);
}

/** Returns the result of the checks that depend on the target. */
function refusalOfRow({ loggedIn, gives }: TenancyRow, role: Role): ExpectedResult {
  if (loggedIn !== undefined && !hasLoggedIn(role, loggedIn)) return 'forbidden';
  return gives === undefined || holdsAll(role, gives) ? 'reached' : 'scope_exceeds_creator';
}

const isOfWholeOrganisation = ({ access, scopes }: Route, { narrows }: TenancyRow): boolean =>
  access === 'scopes' &&
  narrows !== true &&
  accessRow(scopes).keyTypes.every((type) => type === 'organisation-service');

const hasLoggedIn = ({ kind, documented }: Role, as: 'anyone' | 'owner'): boolean =>
  kind === 'session' && (as === 'anyone' || documented === as);

const holdsAll = (role: Role, of: string): boolean =>
  SCOPES.filter((scope) => ROLES_WITH.get(scope)?.includes(of) === true).every((scope) =>
    holds(role, [scope]),
  );

function isAuthenticated({ access }: Route, { kind }: Role): boolean {
  if (access === 'session') return kind === 'session';
  return access === 'api_key' ? kind === 'key' : kind !== 'none';
}

function missingScope(route: Route, row: TenancyRow, role: Role): 'scope_missing' | 'not_found' | null {
  if (route.access !== 'scopes') return null;
  if (!holds(role, route.scopes)) return 'scope_missing';
  if (row.scopes === undefined || holds(role, row.scopes)) return null;
  // After the route's guard, a target that needs further scopes is hidden, unless the caller names
  // its kind.
  return row.aim === 'named' ? 'scope_missing' : 'not_found';
}

export const isOfOrganisation = ({ home }: Role, target: Target): boolean =>
  ORGANISATIONS[target] === ORGANISATIONS[home];

/**
 * Returns the targets of a row's calls. A caller who is not authenticated or lacks the scopes of
 * the route is refused before an id is looked up. For such a caller, one target that it would reach
 * and one that does not exist are enough to show that the responses are equal.
 */
export function targetsOf(route: Route, row: TenancyRow, role: Role): readonly Target[] {
  if (row.aim === 'nothing') return ['own workspace'];
  const isAdmitted = isAuthenticated(route, role) && (route.access !== 'scopes' || holds(role, route.scopes));
  // A workspace that the caller cannot reach is hidden before scopes are checked.
  const isFirst = role.kind !== 'none' && (row.aim === 'path' || row.aim === 'named');
  return isAdmitted || isFirst || route.access === 'public' ? TARGETS : [role.home, 'unknown id'];
}

/**
 * Whether the role can reach the target. A row of the organisation can be reached from each of its
 * workspaces, and without a workspace.
 */
const reaches = (row: TenancyRow, role: Role, target: Target): boolean =>
  row.aim === 'organisation' ? isOfOrganisation(role, target) : role.reaches.includes(target);

const ROLES_WITH = new Map(SCOPES.map((scope) => [scope, accessRow([scope]).roles]));

/** Whether both the user's role and the key or token have one of the scopes. */
const holds = ({ documented, scopes: held }: Role, scopes: readonly string[]): boolean =>
  scopes.some(
    (scope) =>
      held?.has(scope) !== false &&
      (documented === null || ROLES_WITH.get(scope)?.includes(documented) === true),
  );
