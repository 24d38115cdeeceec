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

/** The rights of a role or credential, as far as another caller could grant them. */
export interface Rights {
  readonly scopes: Iterable<string>;
  /** Decides which roles the holder may give and whose limits it may change; see `rankOf`. */
  readonly rank: number;
  /** False when the holder reads only the data of one user's keys. */
  readonly seesAllData: boolean;
}

/** Organisation ranks are above the ranks of workspace roles, which are 1 to 3. */
const ORGANISATION_RANK = 4;
const OWNER_RANK = 5;

const RANK_OF_SETTING_GROUP: Readonly<Record<SettingGroup, number>> = {
  members: workspaceRank('member'),
  managers: workspaceRank('manager'),
  organisationAdmins: ORGANISATION_RANK,
};

/**
 * Rank of a user: 0 without a workspace role, 1 to 3 for workspace roles, 4 for admins and 5 for
 * owners of the organisation.
 */
export function rankOfRole(role: OrganisationRole, workspaceRole: WorkspaceRole | null): number {
  if (role === 'owner') return OWNER_RANK;
  if (role === 'admin') return ORGANISATION_RANK;
  return workspaceRole === null ? 0 : workspaceRank(workspaceRole);
}

interface ServiceKey {
  readonly type: string;
  readonly boundAs: SettingGroup | null;
}

/**
 * Returns the rank of a service key: that of its creator, but at most that of an admin of its
 * organisation or workspace.
 */
function rankOfServiceKey({ type, boundAs }: ServiceKey): number {
  const most = type === 'organisation-service' ? ORGANISATION_RANK : workspaceRank('admin');
  return boundAs === null ? most : Math.min(most, RANK_OF_SETTING_GROUP[boundAs]);
}

export function rankOf(caller: Principal): number {
  if (caller.kind === 'system') return OWNER_RANK;
  if (caller.organisationRole !== null) return rankOfRole(caller.organisationRole, caller.workspaceRole);
  return rankOfServiceKey({ type: caller.keyType ?? '', boundAs: caller.settingGroup });
}

/** Id of the only user whose data the caller may read; null when the caller may read all data. */
export function ownDataOnly(caller: Principal): string | null {
  if (!caller.removedCapabilities.has('ViewAllData')) return null;
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

/**
 * Scopes whose routes check the rank of the caller; `READS_DATA` are the scopes that read other
 * callers' requests.
 */
const RANKED =
  /^(?:.*_users|.*_api_keys|workspaces|policies|organisation_settings)\.(?:create|update|delete)$/;
const READS_DATA = /^(?:logs\.(?:list|view|export)|analytics\.view)$/;

/** The rights that the secret of a service key with these scopes gives to its holder. */
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

/**
 * The rights that the secret of another user's key gives to its holder: that user's data and rank.
 */
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
 * Checks a write that creates, changes or shows something that carries rights: callers can grant
 * only rights that they hold themselves. `what` is the subject of the message. Throws
 * `scope_exceeds_creator` for scopes that the caller lacks and `forbidden` for a higher rank or a
 * wider view of data.
 */
export function assertMayGrant(caller: Principal, rights: Rights, what: string, param: string): void {
  assertHolds(caller, rights.scopes, what, param);
  if (rights.rank > rankOf(caller)) {
    throw new GatewayError('forbidden', { message: 'You cannot give or change a role above your own.' });
  }
  if (rights.seesAllData && ownDataOnly(caller) !== null) {
    throw new GatewayError('forbidden', {
      message: `${what} could read data of others, but the security settings restrict you to your own data.`,
    });
  }
}

/**
 * Throws `scope_exceeds_creator` for scopes that the caller lacks. An organisation key can never
 * hold data-plane scopes, so these are not compared: its right to create the key is enough.
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

/** Throws `forbidden` when the rank to be changed is above the caller's. */
export function assertNotAbove(caller: Principal, rank: number): void {
  if (rank <= rankOf(caller)) return;
  throw new GatewayError('forbidden', { message: 'You cannot give or change a role above your own.' });
}

/**
 * Returns the rank for comparing limits. Managers and admins of a workspace are equal here: each
 * may change limits that the other has set.
 */
const limitTier = (rank: number): number =>
  rank === workspaceRank('admin') ? workspaceRank('manager') : rank;

/**
 * Throws `forbidden` when a caller of a higher rank has set the limits, or when a key changes its
 * own. `setBy` is the rank stored with the limits. `what` names the setting if it is not a limit.
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
 * Checks the deletion, archiving or recreation of something with limits: only the role that set the
 * limits, or a higher one, may end or bypass them. `setBy` is the highest rank stored with such
 * limits; `what` begins the message and `wayOut` ends it. Throws `forbidden`.
 */
export function assertNotBound(caller: Principal, setBy: number, what: string, wayOut: string): void {
  if (limitTier(setBy) <= limitTier(rankOf(caller))) return;
  throw new GatewayError('forbidden', {
    message: `${what} carries limits that a higher role than yours has set; ${wayOut}`,
  });
}

/** Applies `assertNotBound` to the deletion of rows. */
export function assertMayEnd(caller: Principal, rows: readonly Readonly<LimitedRow>[], what: string): void {
  const setBy = Math.max(0, ...rows.map(({ limitsRank }) => limitsRank));
  assertNotBound(caller, setBy, what, 'only that role or a higher one can delete it.');
}

/**
 * Clears the rank of a deleted row's limits if the caller could have lifted them; otherwise they
 * still bind the owner's other rows.
 */
export function endLimits(caller: Principal, row: LimitedRow): void {
  if (limitTier(row.limitsRank) <= limitTier(rankOf(caller))) row.limitsRank = 0;
}

/**
 * Restricting values of a row by setting name. The name `limits` means all limits that share one
 * stored rank.
 */
export type Restrictions = Readonly<Record<string, unknown>>;

/**
 * Checks a change of limits, expiry, security settings or default guardrails: values that a caller
 * of a higher rank has set must stay. Returns the ranks to store with the settings, by setting
 * name. Throws `forbidden`.
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

/** Returns the value as the database would return it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Whether a value restricts something. Null, false, zero and empty values restrict nothing. */
const restricts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** Rows whose limits share one stored rank. */
interface LimitedRow {
  limitsRank: number;
}

/**
 * Checks a change of a row's limits by the rule of `ranksAfter`, and stores the caller's rank with
 * new limits.
 */
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
 * Checks a change of security settings. Turning a setting on gives scopes to every user whom it
 * restricts, so the caller must hold these scopes and must not be restricted by the setting. Settings
 * that restrict organisation admins need the rank of an admin. Owners may change all.
 */
export function assertMayChangeSettings(
  caller: Principal,
  before: SecuritySettings,
  after: SecuritySettings,
): void {
  const rank = rankOf(caller);
  if (rank === OWNER_RANK) return;
  for (const { name, settingGroup: standing, capability } of SECURITY_SETTINGS) {
    if (before[name] === after[name]) continue;
    const isOpened = after[name] === true;
    if (RANK_OF_SETTING_GROUP[standing] > rank || (isOpened && caller.removedCapabilities.has(capability))) {
      throw new GatewayError('forbidden', { message: `You cannot change security_settings.${name}.` });
    }
    if (isOpened) {
      assertHolds(caller, scopesOf([capability]), `security_settings.${name}`, `security_settings.${name}`);
    }
  }
}
