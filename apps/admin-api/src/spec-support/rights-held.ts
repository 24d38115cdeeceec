import {
  ALL_OPEN,
  scopesAllowedBy,
  scopesAllowedFor,
  securityInForce,
  userKeyCeiling,
  type SecuritySettings,
} from '@gw/auth-scopes';
import {
  ApiKeyEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  TrustEntity,
  UserInviteEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { Not, type EntityManager } from 'typeorm';
import { rightsOfRole, rightsOfServiceKey, rightsOfUserKey } from '../platform/auth/grants';

/**
 * The rights of one principal in one workspace, derived from the rows and not from the code under
 * test.
 */
export interface Holding {
  /** Principal, for example `user <id>`, `key <id>`, `invite <id>` or `trust <id>`. */
  readonly principal: string;
  /** Workspace; null for the organisation as a whole. */
  readonly workspaceId: string | null;
  /** Set for a user and for a user key. */
  readonly userId: string | null;
  readonly scopes: ReadonlySet<string>;
  readonly rank: number;
  readonly seesAllData: boolean;
}

const OWNER_RANK = 5;

/** Holdings by principal and workspace. */
export type Holdings = ReadonlyMap<string, Holding>;

const nameOf = ({ principal, workspaceId }: Pick<Holding, 'principal' | 'workspaceId'>): string =>
  `${principal} in ${workspaceId ?? 'the organisation'}`;

/** Returns all rights in an organisation: of users, keys, invited users and tokens. */
export async function holdingsOf(manager: EntityManager, organisationId: string): Promise<Holdings> {
  const at = { organisationId };
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  const workspaces = await manager.findBy(WorkspaceEntity, at);
  const seats = await manager.findBy(OrganisationUserEntity, { ...at, status: 'active' });
  const members = await manager
    .createQueryBuilder(WorkspaceUserEntity, 'member')
    .where('member.workspaceId IN (SELECT id FROM workspaces WHERE organisation_id = :organisationId)', at)
    .getMany();
  const settings = new Map<string | null, SecuritySettings>(
    [null, ...workspaces].map((workspace) => [
      workspace?.id ?? null,
      securityInForce({
        organisation: organisation.securitySettings,
        workspace: workspace?.securitySettings ?? {},
        overrides: organisation.workspaceOverrides,
      }),
    ]),
  );
  const inForce = (workspaceId: string | null): SecuritySettings => settings.get(workspaceId) ?? ALL_OPEN;
  const roleIn = (userId: string, workspaceId: string | null): WorkspaceUserEntity['role'] | null =>
    members.find((member) => member.userId === userId && member.workspaceId === workspaceId)?.role ?? null;

  const ofUsers = seats.flatMap(({ userId, role }) =>
    [...settings].map(([workspaceId, security]) => ({
      ...{ principal: `user ${userId}`, workspaceId, userId },
      ...rightsOfRole(role, roleIn(userId, workspaceId), security),
    })),
  );
  const keys = await manager.findBy(ApiKeyEntity, { ...at, status: Not('archived' as const) });
  const ofKeys = keys.map((key) => {
    const { workspaceId, userId } = key;
    const security = inForce(workspaceId);
    const place = { principal: `key ${key.id}`, workspaceId, userId };
    if (userId === null) {
      const open = [...scopesAllowedBy(key.boundAs, new Set(key.scopes), security)];
      return { ...place, ...rightsOfServiceKey(key, open, security) };
    }
    const role = seats.find((seat) => seat.userId === userId)?.role ?? null;
    const ceiling = userKeyCeiling(role, roleIn(userId, workspaceId), security);
    const open = key.scopes.filter((scope) => ceiling.has(scope));
    return { ...place, ...rightsOfUserKey(role ?? 'member', roleIn(userId, workspaceId), open) };
  });
  const invites = await manager.findBy(UserInviteEntity, { ...at, status: 'pending' });
  const ofInvites = invites.flatMap(({ id, role, workspaces: given }) =>
    [...settings].map(([workspaceId, security]) => ({
      ...{ principal: `invite ${id}`, workspaceId, userId: null },
      ...rightsOfRole(role, given.find((one) => one.id === workspaceId)?.role ?? null, security),
    })),
  );
  const trusts = await manager.findBy(TrustEntity, { ...at, status: 'active' });
  const ofTrusts = trusts.map(({ id, maps }) => ({
    ...{ principal: `trust ${id}`, workspaceId: null, userId: null },
    ...rightsOfServiceKey(
      { type: 'workspace-service', boundAs: null },
      maps.flatMap(({ scopes }) => scopes),
      inForce(null),
    ),
  }));
  return new Map(
    [...ofUsers, ...ofKeys, ...ofInvites, ...ofTrusts].map((holding) => [
      nameOf(holding),
      { ...holding, scopes: new Set(holding.scopes) },
    ]),
  );
}

/** The caller: a user or a key. Decision 0027 defines the caller's rank and view of data. */
export interface HoldingCaller {
  readonly principal: string;
  readonly userId: string | null;
  readonly rank: number;
  readonly seesAllData: boolean;
  readonly isOrganisationKey: boolean;
}

/** Returns the scopes that the caller held in a workspace. A key has at most one workspace. */
function scopesHeld(
  caller: HoldingCaller,
  before: Holdings,
  workspaceId: string | null,
): ReadonlySet<string> {
  const own = [...before.values()].filter(({ principal }) => principal === caller.principal);
  const there = own.find((holding) => holding.workspaceId === workspaceId);
  return (there ?? own.find((holding) => holding.workspaceId === null) ?? own[0])?.scopes ?? new Set();
}

interface Effect {
  readonly caller: HoldingCaller;
  readonly before: Holdings;
  readonly after: Holdings;
  /** Principals whose secret or link the response contains, so that the caller can act as them. */
  readonly shown: readonly string[];
}

/**
 * Returns the rights that a write gave although the caller lacked them, and the rights that it
 * removed from users above the caller.
 */
export function excessOf(effect: Effect): string[] {
  return [...excessGiven(effect), ...takenFromAbove(effect)];
}

/**
 * Returns the rights that a principal held in the workspace before. In a new workspace, all
 * principals have their rights in the organisation.
 */
function heldThere(before: Holdings, { principal, workspaceId }: Holding): Holding | undefined {
  const isNew = ![...before.values()].some((holding) => holding.workspaceId === workspaceId);
  return before.get(nameOf({ principal, workspaceId: isNew ? null : workspaceId }));
}

const isKeyOf = ({ principal, userId: user }: Holding, userId: string | null): boolean =>
  userId !== null && user === userId && principal.startsWith('key');

function excessGiven({ caller, before, after, shown }: Effect): string[] {
  // Owners may change everything in their organisation, including settings that restrict
  // themselves.
  if (caller.rank === OWNER_RANK) return [];
  return [...after].flatMap(([name, now]) => {
    const was = shown.includes(now.principal) ? undefined : heldThere(before, now);
    const held = scopesHeld(caller, before, now.workspaceId);
    const excess = [...now.scopes].filter(
      (scope) => !was?.scopes.has(scope) && !held.has(scope) && !mayGrantUnheld(caller, scope),
    );
    const isAbove = now.rank > Math.max(was?.rank ?? 0, caller.rank);
    const isWider = now.seesAllData && was?.seesAllData !== true && !caller.seesAllData;
    // The caller's own key is limited by the caller's rank and view of data.
    const isOwn = isKeyOf(now, caller.userId);
    return [
      ...(excess.length > 0 ? [`${name} has ${excess.slice(0, 3).join(', ')}`] : []),
      ...(isAbove && !isOwn ? [`${name} has rank ${String(now.rank)}`] : []),
      ...(isWider && !isOwn ? [`${name} sees the data of others`] : []),
    ];
  });
}

/**
 * Whether a caller may grant a scope that it does not hold. An organisation key cannot hold
 * data-plane scopes, so its right to create keys is enough (decision 0027).
 */
const mayGrantUnheld = ({ isOrganisationKey }: HoldingCaller, scope: string): boolean =>
  isOrganisationKey && !scopesAllowedFor('organisation-service').has(scope);

const takenFromAbove = ({ caller, before, after }: Effect): string[] =>
  [...before]
    .filter(([, { principal, rank }]) => principal.startsWith('user') && rank > caller.rank)
    .filter(([name, was]) => {
      const now = after.get(name);
      // Settings for admins also restrict owners, who can turn them on again.
      if (was.rank === OWNER_RANK && now?.rank === OWNER_RANK) return false;
      return was.rank > (now?.rank ?? 0) || [...was.scopes].some((scope) => !now?.scopes.has(scope));
    })
    .map(([name]) => `${name}, above the caller, has lost rights`);
