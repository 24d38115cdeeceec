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
  /** Absent: as it is stored, at first `manual`. */
  readonly source?: WorkspaceUserEntity['source'];
  /** Key that the user gets instead of the one that the settings require. */
  readonly promisedKey?: InvitedApiKey | null;
}

/** Makes new members of an organisation members of its workspaces. */
@Injectable()
export class WorkspaceEntries {
  constructor(private readonly userKeys: UserKeysService) {}

  /** Adds a user to the workspaces, with keys and audit entries. Skips workspaces that are archived since they were named. */
  async enter(
    write: Write<AuditCaller>,
    seat: OrganisationMembership,
    workspaces: readonly InvitedWorkspace[],
    { source, promisedKey = null }: Entry,
  ): Promise<void> {
    const { manager } = write;
    const { organisationId, userId } = seat;
    const live = await manager.find(WorkspaceEntity, {
      where: { id: In(workspaces.map(({ id }) => id)), organisationId, status: 'active' },
      select: { id: true },
    });
    for (const { id: workspaceId } of live) {
      const role = workspaces.find(({ id }) => id === workspaceId)?.role ?? 'member';
      const given = { role, ...(source === undefined ? {} : { source }) };
      await manager.upsert(WorkspaceUserEntity, { workspaceId, userId, ...given }, ['workspaceId', 'userId']);
      write.audit({
        action: 'create',
        resourceType: 'members',
        resourceId: userId,
        workspaceId,
        after: given,
      });
      const at = { ...seat, workspaceId };
      if (promisedKey === null) await this.userKeys.provision(write, at);
      else await this.userKeys.makePromised(write, at, promisedKey);
    }
  }
}
