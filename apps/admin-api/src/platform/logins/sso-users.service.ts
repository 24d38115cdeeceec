import {
  OrganisationUserEntity,
  ScimUserEntity,
  SsoLinkEntity,
  UserEntity,
  UserInviteEntity,
  type SsoConnectionEntity,
} from '@gw/entities';
import type { OidcIdentity } from '@gw/federation';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { MoreThan, type EntityManager } from 'typeorm';
import { hasVerifiedDomain } from '../accounts/verified-domains';
import { WorkspaceEntries } from '../accounts/workspace-entries';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';

/** Who may come in by a connection, and as whom. */
@Injectable()
export class SsoUsers {
  constructor(private readonly entries: WorkspaceEntries) {}

  /**
   * The user of an identity. A known subject is its user, whatever its address is now. An unknown one becomes linked to the user of its
   * proven address, or a new member where the connection allows that. Throws `sso_login_refused` and `user_not_invited`.
   */
  async userOf(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
  ): Promise<string> {
    const { manager } = write;
    const { subject } = identity;
    const link = { connectionId: connection.id, subject };
    const known = await manager.findOne(SsoLinkEntity, { where: link, lock: FOR_UPDATE });
    const lastLoginAt = new Date();
    if (known !== null) {
      await assertMember(manager, connection, known.userId);
      await manager.update(SsoLinkEntity, link, { lastLoginAt });
      return known.userId;
    }
    const userId = await this.newcomer(write, connection, identity);
    await manager.insert(SsoLinkEntity, { ...link, userId, lastLoginAt });
    write.audit({
      action: 'link',
      resourceType: 'users',
      resourceId: userId,
      after: { sso_client_id: connection.id, subject },
    });
    return userId;
  }

  private async newcomer(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
  ): Promise<string> {
    const { manager } = write;
    const { organisationId } = connection;
    const { email } = identity;
    if (email === null || !(identity.isEmailVerified || connection.trustEmail)) {
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
      return seat.userId;
    }
    const invite = await pendingInvite(manager, organisationId, email);
    await assertMayJoin(manager, connection, { isOwnDomain, isInvited: invite !== null });
    return this.join(write, connection, identity, { email, user, invite });
  }

  /** Makes a member of a newcomer: with what the invite says, else with the role of a member and the default workspaces. */
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
    const role = invite?.role ?? 'member';
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role });
    write.audit({
      action: 'create',
      resourceType: 'users',
      resourceId: userId,
      after: { email, role, source: 'sso' },
    });
    if (invite !== null) {
      const accepted = { status: 'accepted' as const, acceptedAt: new Date() };
      await manager.update(UserInviteEntity, { id: invite.id }, accepted);
    }
    const workspaces = invite?.workspaces ?? connection.defaultWorkspaces;
    const source = invite === null ? 'sso' : 'manual';
    await this.entries.enter(write, { organisationId, userId }, workspaces, { source });
    return userId;
  }
}

/** Throws `sso_login_refused` for a user who has been deactivated. */
export async function assertMember(
  manager: EntityManager,
  { organisationId }: Pick<SsoConnectionEntity, 'organisationId'>,
  userId: string,
): Promise<void> {
  const isMember = await manager.existsBy(OrganisationUserEntity, {
    organisationId,
    userId,
    status: 'active',
  });
  const isActive = await manager.existsBy(UserEntity, { id: userId, status: 'active' });
  if (!isMember || !isActive) throw refused('Your account has been deactivated.');
}

/**
 * Invited and of a verified domain: always. One of the two: where provisioning is not restricted. Where SCIM manages users it makes
 * the new ones.
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
