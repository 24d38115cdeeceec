import { isDeepStrictEqual } from 'node:util';
import {
  ceilingOf,
  removedCapabilities,
  SECURITY_SETTINGS,
  scopesAllowedFor,
  scopesOf,
  settingGroupOf,
  workspaceRank,
  type OrganisationRole,
  type SecuritySettings,
  type SettingGroup,
  type WorkspaceRole,
} from '@gw/auth-scopes';
import { GatewayError } from '@gw/kernel';
import type { Principal } from '../common/principal';

/** What a role or a credential can do, as far as another caller could hand it on. */
export interface Rights {
  readonly scopes: Iterable<string>;
  /** Which roles it may give and whose limits it may change; see `rankOf`. */
  readonly rank: number;
  /** False: it reads only the data of one user's keys. */
  readonly seesAllData: boolean;
}

/** Above the ranks of workspace roles, which are 1 to 3. */
const ORGANISATION_RANK = 4;
const OWNER_RANK = 5;

const RANK_OF_STANDING: Readonly<Record<SettingGroup, number>> = {
  members: workspaceRank('member'),
  managers: workspaceRank('manager'),
  organisationAdmins: ORGANISATION_RANK,
};

/** Rank of a user: 0 outside of a workspace, 1 to 3 for its roles, 4 and 5 for admins and owners of the organisation. */
export function rankOfRole(role: OrganisationRole, workspaceRole: WorkspaceRole | null): number {
  if (role === 'owner') return OWNER_RANK;
  if (role === 'admin') return ORGANISATION_RANK;
  return workspaceRole === null ? 0 : workspaceRank(workspaceRole);
}

interface ServiceKey {
  readonly type: string;
  readonly boundAs: SettingGroup | null;
}

/** Rank of a service key: that of its maker, but never more than that of an admin of what it belongs to. */
function rankOfServiceKey({ type, boundAs }: ServiceKey): number {
  const most = type === 'organisation-service' ? ORGANISATION_RANK : workspaceRank('admin');
  return boundAs === null ? most : Math.min(most, RANK_OF_STANDING[boundAs]);
}

export function rankOf(caller: Principal): number {
  if (caller.kind === 'system') return OWNER_RANK;
  if (caller.organisationRole !== null) return rankOfRole(caller.organisationRole, caller.workspaceRole);
  return rankOfServiceKey({ type: caller.keyType ?? '', boundAs: caller.standing });
}

/** The one user whose data the caller may read; null: everybody's. */
export function ownDataOnly(caller: Principal): string | null {
  if (!caller.closed.has('ViewAllData')) return null;
  return caller.userId ?? caller.makerId ?? '00000000-0000-0000-0000-000000000000';
}

export const rightsOfRole = (
  role: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
  settings: SecuritySettings,
): Rights => ({
  scopes: ceilingOf(role, workspaceRole, settings),
  rank: rankOfRole(role, workspaceRole),
  seesAllData:
    rankOfRole(role, workspaceRole) > 0 &&
    !removedCapabilities(settingGroupOf(role, workspaceRole), settings).has('ViewAllData'),
});

/** Scopes whose routes ask for the rank of the caller, and those that read what others sent. */
const RANKED =
  /^(?:.*_users|.*_api_keys|workspaces|policies|organisation_settings)\.(?:create|update|delete)$/;
const READS_DATA = /^(?:logs\.(?:list|view|export)|analytics\.view)$/;

/** What the secret of a service key with these scopes gives to its holder. */
export function rightsOfServiceKey(
  key: ServiceKey,
  scopes: readonly string[],
  settings: SecuritySettings,
): Rights {
  return {
    scopes,
    rank: scopes.some((scope) => RANKED.test(scope)) ? rankOfServiceKey(key) : 0,
    seesAllData:
      scopes.some((scope) => READS_DATA.test(scope)) &&
      !removedCapabilities(key.boundAs, settings).has('ViewAllData'),
  };
}

/** What the secret of another user's key gives to its holder: that user's data, and their rank. */
export const rightsOfUserKey = (
  role: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
  scopes: readonly string[],
): Rights => ({
  scopes,
  rank: scopes.some((scope) => RANKED.test(scope)) ? rankOfRole(role, workspaceRole) : 0,
  seesAllData: scopes.some((scope) => READS_DATA.test(scope)),
});

/**
 * THE rule of every write that creates, changes or shows something that carries rights: a caller hands on only what it holds.
 * Throws `scope_exceeds_creator` for scopes that the caller lacks, `forbidden` for a higher rank or a wider view of data.
 * `what`: the subject of the message.
 */
export function assertMayGrant(caller: Principal, rights: Rights, what: string, param: string): void {
  assertHolds(caller, rights.scopes, what, param);
  if (rights.rank > rankOf(caller)) {
    throw new GatewayError('forbidden', { message: 'You cannot give or change a role above your own.' });
  }
  if (rights.seesAllData && ownDataOnly(caller) !== null) {
    throw new GatewayError('forbidden', {
      message: `${what} would see data of others, and the security settings restrict you to your own.`,
    });
  }
}

/**
 * Throws `scope_exceeds_creator` for scopes that the caller lacks. An organisation key can't hold the scopes of the data plane
 * at all, so for those its right to make the key is what counts.
 */
export function assertHolds(caller: Principal, scopes: Iterable<string>, what: string, param: string): void {
  const grantable =
    caller.keyType === 'organisation-service' ? scopesAllowedFor('organisation-service') : null;
  const excess = [...scopes].filter(
    (scope) => !caller.scopes.has(scope) && (grantable === null || grantable.has(scope)),
  );
  if (excess.length === 0) return;
  const message = `${what} cannot hold scopes that you lack.`;
  throw new GatewayError('scope_exceeds_creator', { message, param, extra: { excess } });
}

/** Throws `forbidden` for a change of someone of a higher rank. */
export function assertNotAbove(caller: Principal, rank: number): void {
  if (rank <= rankOf(caller)) return;
  throw new GatewayError('forbidden', { message: 'You cannot give or change a role above your own.' });
}

/** Managers and admins of a workspace run it together: either changes limits that the other has set. */
const limitTier = (rank: number): number =>
  rank === workspaceRank('admin') ? workspaceRank('manager') : rank;

/**
 * Throws `forbidden` for a change of limits that a caller of a higher rank has set, and for a key that changes its own.
 * `setBy`: the rank that is stored with the limits. `what`: the setting, where it is none of the limits.
 */
export function assertMayChangeLimits(
  caller: Principal,
  setBy: number,
  { apiKeyId, what }: { readonly apiKeyId?: string | undefined; readonly what?: string } = {},
): void {
  const isOwn = apiKeyId !== undefined && apiKeyId === caller.apiKeyId;
  if (!isOwn && limitTier(setBy) <= limitTier(rankOf(caller))) return;
  const subject = what === undefined ? 'These limits were' : `${what} was`;
  throw new GatewayError('forbidden', {
    ...(what === undefined ? {} : { param: what }),
    message: isOwn
      ? 'A key cannot change its own limits, expiry or config.'
      : `${subject} set by a higher role than yours; only that role or a higher one can change this.`,
  });
}

/**
 * THE rule of every route that deletes, archives or makes anew what carries limits: only the role that set them, or a higher one,
 * ends or goes round them. Throws `forbidden`. `setBy`: the highest rank that is stored with such limits. `what`: begins the
 * message, `wayOut` ends it.
 */
export function assertNotBound(caller: Principal, setBy: number, what: string, wayOut: string): void {
  if (limitTier(setBy) <= limitTier(rankOf(caller))) return;
  throw new GatewayError('forbidden', {
    message: `${what} carries limits that a higher role than yours has set; ${wayOut}`,
  });
}

/** The same for a deletion of rows. */
export function assertMayEnd(caller: Principal, rows: readonly Readonly<LimitedRow>[], what: string): void {
  const setBy = Math.max(0, ...rows.map(({ limitsRank }) => limitsRank));
  assertNotBound(caller, setBy, what, 'only that role or a higher one can delete it.');
}

/** For a row that is ended, with limits of any caller: they end with it if the caller could have lifted them, and bind on if not. */
export function endLimits(caller: Principal, row: LimitedRow): void {
  if (limitTier(row.limitsRank) <= limitTier(rankOf(caller))) row.limitsRank = 0;
}

/** What a row restricts, by the names of its settings; `limits` means all that one rank is stored for. */
export type Restrictions = Readonly<Record<string, unknown>>;

/**
 * THE rule of every change of limits, expiry, security settings and default guardrails: what a caller of a higher rank has set
 * stays. Gives the ranks to store with the settings, by their names. Throws `forbidden`.
 */
export function ranksAfter(
  caller: Principal,
  setBy: Readonly<Record<string, number>>,
  { before, after }: { readonly before: Restrictions; readonly after: Restrictions },
  apiKeyId?: string,
): Record<string, number> {
  const ranks = { ...setBy };
  for (const [name, value] of Object.entries(after)) {
    if (isDeepStrictEqual(plain(before[name]), plain(value))) continue;
    const what = name === LIMITS ? {} : { what: name };
    assertMayChangeLimits(caller, setBy[name] ?? 0, { apiKeyId, ...what });
    ranks[name] = restricts(value) ? rankOf(caller) : 0;
  }
  return ranks;
}

const LIMITS = 'limits';

/** As it is read from the database again. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Null, false and what is empty restrict nothing. */
const restricts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** Rows with limits that one rank is stored for. */
interface LimitedRow {
  limitsRank: number;
}

/** Holds the limits of a row before and after its change against the rule, and stores the caller's rank with new ones. */
export function holdLimits(
  caller: Principal,
  row: LimitedRow,
  change: {
    readonly before: readonly unknown[];
    readonly after: readonly unknown[];
    readonly isReset?: boolean;
  },
  apiKeyId?: string,
): void {
  if (change.isReset === true) assertMayChangeLimits(caller, row.limitsRank, { apiKeyId });
  const set = (limits: readonly unknown[]): Restrictions => ({
    [LIMITS]: limits.map((limit) => limit ?? null).some((limit) => limit !== null) ? limits : [],
  });
  const ranks = { [LIMITS]: row.limitsRank };
  const changed = { before: set(change.before), after: set(change.after) };
  row.limitsRank = ranksAfter(caller, ranks, changed, apiKeyId)[LIMITS] ?? 0;
}

/**
 * A setting that is opened gives scopes to everyone whom it binds. Throws where the caller lacks them or is bound by the setting;
 * owners alone open what binds the admins of the organisation.
 */
export function assertMayChangeSettings(
  caller: Principal,
  before: SecuritySettings,
  after: SecuritySettings,
): void {
  const rank = rankOf(caller);
  if (rank === OWNER_RANK) return;
  for (const { name, standing, capability } of SECURITY_SETTINGS) {
    if (before[name] === after[name]) continue;
    const isOpened = after[name] === true;
    if (RANK_OF_STANDING[standing] > rank || (isOpened && caller.closed.has(capability))) {
      throw new GatewayError('forbidden', { message: `You cannot change security_settings.${name}.` });
    }
    if (isOpened) {
      assertHolds(caller, scopesOf([capability]), `security_settings.${name}`, `security_settings.${name}`);
    }
  }
}
