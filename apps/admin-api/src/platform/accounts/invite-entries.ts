import { documentKey } from '@gw/contracts';
import { OrganisationUserEntity, UserEntity, UserInviteEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';
import { lockManaged, touchManaged } from './managed-users';
import type { OrganisationMembership } from './organisation-membership';
import { dropInviteMail, isDeactivatedByScim } from './pending-invites';
import { WorkspaceEntries } from './workspace-entries';

/**
 * Turns invited users into members, whether they accept by the link of the invite or log in at an
 * identity provider.
 */
@Injectable()
export class InviteEntries {
  constructor(private readonly entries: WorkspaceEntries) {}

  /**
   * Gives the user the role, the workspaces and the key that the invite promises, and marks the
   * invite as accepted. The caller must hold the lock of the invite's row. Skips workspaces that
   * have been archived since the invite was sent. Throws `not_found` for a user who is already a
   * member, because the role may have been changed in the meantime, and for a user whom the
   * identity provider has deactivated over SCIM.
   */
  async accept(write: Write<AuditCaller>, invite: UserInviteEntity, userId: string): Promise<void> {
    const { manager } = write;
    const { organisationId, role, email } = invite;
    const seat = await lockSeat(manager, { organisationId, userId });
    if (seat?.status === 'active' || (await isDeactivatedByScim(manager, invite))) throw endedInvite();
    const values = { organisationId, userId, role, roleSource: 'manual', status: 'active' } as const;
    await manager.upsert(OrganisationUserEntity, values, ['organisationId', 'userId']);
    await touchManaged(manager, { organisationId, userId });
    write.changed(documentKey.user(organisationId, userId));
    write.audit({ action: 'create', resourceType: 'users', resourceId: userId, after: { email, role } });
    const { workspaces, apiKeyDetails: promisedKey } = invite;
    await this.entries.enter(write, { organisationId, userId }, workspaces, { promisedKey });
    const accepted = { status: 'accepted' as const, acceptedAt: new Date() };
    await manager.update(UserInviteEntity, { id: invite.id }, accepted);
    await dropInviteMail(manager, invite.id);
    write.audit({
      action: 'update',
      resourceType: 'invites',
      resourceId: invite.id,
      after: { status: 'accepted', email, role, user_id: userId },
    });
  }
}

/**
 * Locks the user, with the row of SCIM, and the user's membership. Returns the membership; null
 * when there is none. SCIM and logins also lock the user before they add a membership. Call this
 * before locking an invite, because the end of a membership takes the locks in this order.
 */
export async function lockSeat(
  manager: EntityManager,
  { organisationId, userId }: OrganisationMembership,
): Promise<OrganisationUserEntity | null> {
  await lockManaged(manager, organisationId, [userId]);
  await manager.findOne(UserEntity, { where: { id: userId }, lock: FOR_UPDATE });
  return manager.findOne(OrganisationUserEntity, { where: { organisationId, userId }, lock: FOR_UPDATE });
}

/**
 * Error for an invite that is unknown, used, replaced, cancelled or expired, or that is no longer
 * needed.
 */
export const endedInvite = (): GatewayError =>
  new GatewayError('not_found', { message: 'The invite is no longer valid; ask for a new invite.' });
