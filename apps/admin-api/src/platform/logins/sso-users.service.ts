import { documentKey } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimUserEntity,
  SsoLinkEntity,
  UserEntity,
  UserInviteEntity,
  type SsoConnectionEntity,
} from '@gw/entities';
import type { OidcIdentity } from '@gw/federation';
import { GatewayError, isStorableText, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { MoreThan, Not, type EntityManager } from 'typeorm';
import { hasVerifiedDomain } from '../accounts/verified-domains';
import { limitLogins } from '../auth/user-password';
import { InviteEntries } from '../accounts/invite-entries';
import { WorkspaceEntries } from '../accounts/workspace-entries';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { SsoGroups } from './sso-groups.service';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';

/** Admits users by a connection and finds or creates their accounts. */
@Injectable()
export class SsoUsers {
  constructor(
    private readonly entries: WorkspaceEntries,
    private readonly invites: InviteEntries,
    private readonly groups: SsoGroups,
  ) {}

  /**
   * Returns the user of an identity. A known subject is its user, whatever its address is now. An
   * unknown subject is linked to the user with its proven address, or becomes a new member if the
   * connection allows that. Throws `sso_login_refused` and `user_not_invited`.
   */
  async userOf(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
  ): Promise<string> {
    const userId = await this.linked(write, connection, identity);
    await this.groups.follow(write, connection, userId, identity.groups);
    return userId;
  }

  private async linked(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
  ): Promise<string> {
    const { manager } = write;
    const { subject } = identity;
    const link = { connectionId: connection.id, subject };
    // The lock serialises first logins of one person, so that they create one user.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext($1))`, [identity.email ?? subject]);
    const savedLink = await manager.findOne(SsoLinkEntity, { where: link, lock: FOR_UPDATE });
    const lastLoginAt = new Date();
    if (savedLink !== null) {
      await assertMember(manager, connection, savedLink.userId);
      const groups = groupsAfterLogin(savedLink, identity);
      if (!isSameList(groups, savedLink.groups))
        write.changed(documentKey.user(connection.organisationId, savedLink.userId));
      await manager.update(SsoLinkEntity, link, { lastLoginAt, groups });
      await followAddress(write, connection, identity, savedLink.userId);
      return savedLink.userId;
    }
    const userId = await this.findOrCreateUser(write, connection, identity);
    const groups = groupsAfterLogin({ groups: [] }, identity);
    await manager.insert(SsoLinkEntity, { ...link, userId, lastLoginAt, groups });
    write.changed(documentKey.user(connection.organisationId, userId));
    write.audit({
      action: 'link',
      resourceType: 'users',
      resourceId: userId,
      after: { sso_client_id: connection.id, subject },
    });
    return userId;
  }

  private async findOrCreateUser(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
  ): Promise<string> {
    const { manager } = write;
    const { organisationId } = connection;
    const { email } = identity;
    if (email === null || !isProven(connection, identity)) {
      throw refused('Your identity provider does not confirm your e-mail address.');
    }
    const isOwnDomain = await hasVerifiedDomain(manager, organisationId, email);
    const user = await manager.findOne(UserEntity, { where: { email }, lock: FOR_UPDATE });
    const seat =
      user === null
        ? null
        : await manager.findOneBy(OrganisationUserEntity, { organisationId, userId: user.id });
    if (seat !== null) {
      if (!isOwnDomain) throw refused('Your address is of a domain that your organisation has not verified.');
      await assertMember(manager, connection, seat.userId);
      await assertUnlinked(manager, connection, seat.userId);
      return seat.userId;
    }
    const invite = await pendingInvite(manager, organisationId, email);
    await assertMayJoin(manager, connection, { isOwnDomain, isInvited: invite !== null });
    return this.join(write, connection, identity, { email, user, invite });
  }

  /**
   * Makes a new user a member: with the role and workspaces of the invite, else with the role of a
   * member and the default workspaces.
   */
  private async join(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    { givenName, familyName }: OidcIdentity,
    { email, user, invite }: { email: string; user: UserEntity | null; invite: UserInviteEntity | null },
  ): Promise<string> {
    const { manager } = write;
    const { organisationId } = connection;
    const userId = user?.id ?? uuidv7();
    if (user === null) {
      await manager.insert(UserEntity, { id: userId, email, firstName: givenName, lastName: familyName });
    }
    if (invite !== null) {
      await this.invites.accept(write, invite, userId);
      return userId;
    }
    const role = 'member';
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role });
    write.audit({
      action: 'create',
      resourceType: 'users',
      resourceId: userId,
      after: { email, role, source: 'sso' },
    });
    const seat = { organisationId, userId };
    await this.entries.enter(write, seat, connection.defaultWorkspaces, { source: 'sso' });
    return userId;
  }
}

const GROUPS_MAX = 1_000;

/**
 * Returns the groups to store after a login. When the provider may have left some out, those of
 * earlier logins stay.
 */
function groupsAfterLogin({ groups }: Pick<SsoLinkEntity, 'groups'>, identity: OidcIdentity): string[] {
  const { names, isComplete } = identity.groups;
  const storable = names.filter(isStorableText);
  const all = isComplete ? storable : [...storable, ...groups];
  return [...new Set(all)].slice(0, GROUPS_MAX).sort();
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/**
 * Whether the identity's address is proven. `trust_email` counts only when the provider does not
 * report whether the address is verified.
 */
const isProven = ({ trustEmail }: SsoConnectionEntity, { isEmailVerified }: OidcIdentity): boolean =>
  isEmailVerified ?? trustEmail;

/** Throws `sso_login_refused` for a connection that is disabled. */
export function assertActive({ status }: Pick<SsoConnectionEntity, 'status'>): void {
  if (status !== 'active') throw refused('The connection has been switched off.');
}

/**
 * Throws `sso_login_refused` for a deactivated user, and for an owner whom the connection may not
 * admit.
 */
export async function assertMember(
  manager: EntityManager,
  connection: Pick<SsoConnectionEntity, 'organisationId' | 'admitsOwners'>,
  userId: string,
): Promise<void> {
  const { organisationId } = connection;
  const seat = await manager.findOneBy(OrganisationUserEntity, { organisationId, userId, status: 'active' });
  const isActive = await manager.existsBy(UserEntity, { id: userId, status: 'active' });
  if (seat === null || !isActive) throw refused('Your account has been deactivated.');
  assertAdmits(connection, seat.role);
}

/**
 * Throws `sso_login_refused` for owners unless an owner has allowed them: the person who configures
 * the identity provider could otherwise log in as an owner.
 */
function assertAdmits(
  { admitsOwners }: Pick<SsoConnectionEntity, 'admitsOwners'>,
  role: OrganisationUserEntity['role'],
): void {
  if (role !== 'owner' || admitsOwners) return;
  throw refused('Owners log in by password until an owner sets admits_owners for this connection.');
}

/**
 * Throws `sso_login_refused` when the user is linked to another identity of this connection: an
 * address alone never moves an account.
 */
async function assertUnlinked(
  manager: EntityManager,
  { id: connectionId }: SsoConnectionEntity,
  userId: string,
): Promise<void> {
  if (!(await manager.existsBy(SsoLinkEntity, { connectionId, userId }))) return;
  throw refused('Your account is linked to another identity of your provider; ask an administrator.');
}

/**
 * Changes the user's address to the one that the provider now reports, when both addresses belong
 * to verified domains, the new one is free, SCIM does not manage the user, and the user belongs to
 * no other organisation.
 */
async function followAddress(
  write: Write<AuditCaller>,
  connection: SsoConnectionEntity,
  identity: OidcIdentity,
  userId: string,
): Promise<void> {
  const { manager } = write;
  const { organisationId } = connection;
  const { email } = identity;
  if (email === null || !isProven(connection, identity)) return;
  const user = await manager.findOneByOrFail(UserEntity, { id: userId });
  if (user.email === email || (await manager.existsBy(UserEntity, { email }))) return;
  if (await manager.existsBy(ScimUserEntity, { organisationId, userId })) return;
  // An administrator here could otherwise get the mails with which the user logs in elsewhere.
  if (await manager.existsBy(OrganisationUserEntity, { userId, organisationId: Not(organisationId) })) return;
  for (const address of [user.email, email]) {
    if (!(await hasVerifiedDomain(manager, organisationId, address))) return;
  }
  await manager.update(UserEntity, { id: userId }, { email });
  await limitLogins(manager, { organisationId, userId });
  write.audit({
    action: 'update',
    resourceType: 'users',
    resourceId: userId,
    before: { email: user.email },
    after: { email, source: 'sso' },
  });
}

/**
 * Throws `user_not_invited` for a user who may not join. An invited user of a verified domain may
 * always join. With only one of both, a user may join unless provisioning is restricted. When SCIM
 * manages users, only SCIM creates new ones.
 */
async function assertMayJoin(
  manager: EntityManager,
  { organisationId, autoProvision, disableAutoProvisionUser }: SsoConnectionEntity,
  { isOwnDomain, isInvited }: { readonly isOwnDomain: boolean; readonly isInvited: boolean },
): Promise<void> {
  if (isOwnDomain && isInvited) return;
  if (disableAutoProvisionUser) throw new GatewayError('user_not_invited');
  if (isInvited) return;
  if (!isOwnDomain) throw refused('Your address is of a domain that your organisation has not verified.');
  const isManaged = await manager.existsBy(ScimUserEntity, { organisationId });
  if (!autoProvision || isManaged) throw new GatewayError('user_not_invited');
}

const pendingInvite = (
  manager: EntityManager,
  organisationId: string,
  email: string,
): Promise<UserInviteEntity | null> =>
  manager.findOne(UserInviteEntity, {
    where: { organisationId, email, status: 'pending', expiresAt: MoreThan(new Date()) },
    lock: FOR_UPDATE,
  });

export const refused = (message: string): GatewayError => new GatewayError('sso_login_refused', { message });
