import { dropMail, OrganisationUserEntity, UserInviteEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { WorkspaceEntries } from './workspace-entries';

/** Topic of the mail that has the link of an invite. */
export const inviteTopic = (id: string): string => `invite/${id}`;

/** Removes the mail of an invite from the queue if it is not sent yet. */
export const dropInviteMail = (manager: EntityManager, id: string): Promise<void> =>
  dropMail(manager, inviteTopic(id));

/** Makes invited users members, however they show who they are: by the link of the invite, or at an identity provider. */
@Injectable()
export class InviteEntries {
  constructor(private readonly entries: WorkspaceEntries) {}

  /**
   * Gives the user what the invite promises: the role, the workspaces and the key. The invite ends with it. The caller holds the lock of
   * the invite's row. Skips workspaces that are archived since.
   */
  async accept(write: Write<AuditCaller>, invite: UserInviteEntity, userId: string): Promise<void> {
    const { manager } = write;
    const { organisationId, role, email } = invite;
    await manager.upsert(OrganisationUserEntity, { organisationId, userId, role, status: 'active' }, [
      'organisationId',
      'userId',
    ]);
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
