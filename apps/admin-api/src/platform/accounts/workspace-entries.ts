import {
  WorkspaceEntity,
  WorkspaceUserEntity,
  type InvitedApiKey,
  type InvitedWorkspace,
} from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { UserKeysService } from '../keys/user-keys.service';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import type { OrganisationMembership } from './organisation-membership';

interface Entry {
  /**
   * How the membership was created; absent to leave the stored source unchanged (`manual` for a new
   * row).
   */
  readonly source?: WorkspaceUserEntity['source'];
  /** Key that an invite promised to the user, in place of the key that the settings require. */
  readonly promisedKey?: InvitedApiKey | null;
}

/** Adds new members of an organisation to its workspaces. */
@Injectable()
export class WorkspaceEntries {
  constructor(private readonly userKeys: UserKeysService) {}

  /**
   * Adds a user to the workspaces, with keys and audit entries. Skips workspaces that have been
   * archived in the meantime.
   */
  async enter(
    write: Write<AuditCaller>,
    seat: OrganisationMembership,
    workspaces: readonly InvitedWorkspace[],
    { source, promisedKey = null }: Entry,
  ): Promise<void> {
    const { manager } = write;
    const { organisationId, userId } = seat;
    const activeWorkspaces = await manager.find(WorkspaceEntity, {
      where: { id: In(workspaces.map(({ id }) => id)), organisationId, status: 'active' },
      select: { id: true },
    });
    for (const { id: workspaceId } of activeWorkspaces) {
      const role = workspaces.find(({ id }) => id === workspaceId)?.role ?? 'member';
      const membership = { role, ...(source === undefined ? {} : { source }) };
      await manager.upsert(WorkspaceUserEntity, { workspaceId, userId, ...membership }, [
        'workspaceId',
        'userId',
      ]);
      write.audit({
        action: 'create',
        resourceType: 'members',
        resourceId: userId,
        workspaceId,
        after: membership,
      });
      const at = { ...seat, workspaceId };
      if (promisedKey === null) await this.userKeys.provision(write, at);
      else await this.userKeys.makePromised(write, at, promisedKey);
    }
  }
}
