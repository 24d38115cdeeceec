import { dropMail, ScimUserEntity, UserEntity, UserInviteEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';

/** Topic of the mail that contains the link of an invite. */
export const inviteTopic = (id: string): string => `invite/${id}`;

/** Removes the mail of an invite from the queue if it is not sent yet. */
export const dropInviteMail = (manager: EntityManager, id: string): Promise<void> =>
  dropMail(manager, inviteTopic(id));

interface Invited {
  readonly organisationId: string;
  /** Address in lower case. */
  readonly email: string;
}

/**
 * Cancels the pending invite of an address and its mail. Called when the identity provider
 * provisions the user over SCIM, and when the user leaves the organisation.
 */
export async function cancelInvite(
  write: Write<AuditCaller>,
  { organisationId, email }: Invited,
): Promise<void> {
  const { manager } = write;
  const pending = await manager.findBy(UserInviteEntity, { organisationId, email, status: 'pending' });
  for (const { id, role } of pending) {
    await manager.update(UserInviteEntity, { id }, { status: 'cancelled' });
    await dropInviteMail(manager, id);
    write.audit({ action: 'delete', resourceType: 'invites', resourceId: id, before: { email, role } });
  }
}

/**
 * Whether the identity provider has deactivated the user with this address over SCIM. Then only the
 * provider may reactivate the user.
 */
export async function isDeactivatedByScim(
  manager: EntityManager,
  { organisationId, email }: Invited,
): Promise<boolean> {
  const user = await manager.findOne(UserEntity, { where: { email }, select: { id: true } });
  if (user === null) return false;
  return manager.existsBy(ScimUserEntity, { organisationId, userId: user.id, active: false });
}
