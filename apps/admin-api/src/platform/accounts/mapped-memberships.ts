import { WorkspaceUserEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { UserKeysService } from '../keys/user-keys.service';
import { endAgentAccess } from '../rows/agent-rows';
import { endMcpAccess } from '../rows/mcp-rows';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import type { MappedRole, MembershipChanges, MembershipSource } from './membership-changes';
import type { OrganisationMembership } from './organisation-membership';

/**
 * Applies changes of the workspace memberships to which groups of an identity provider are mapped,
 * and updates the user's keys.
 */
@Injectable()
export class MappedMemberships {
  constructor(private readonly userKeys: UserKeysService) {}

  async apply(
    write: Write<AuditCaller>,
    seat: OrganisationMembership,
    source: MembershipSource,
    { added, changed, removed }: MembershipChanges,
  ): Promise<void> {
    const { manager } = write;
    const { userId } = seat;
    const audit = (action: string, { workspaceId, role }: MappedRole): void => {
      const after = action === 'delete' ? {} : { after: { role, source } };
      write.audit({ action, resourceType: 'members', resourceId: userId, workspaceId, ...after });
    };
    for (const each of removed) {
      const { workspaceId } = each;
      await manager.delete(WorkspaceUserEntity, { workspaceId, userId });
      await this.userKeys.archive(write, { ...seat, workspaceId });
      await endMcpAccess(write, { ...seat, workspaceId });
      await endAgentAccess(write, { ...seat, workspaceId });
      audit('delete', each);
    }
    for (const each of changed) {
      const { workspaceId, role } = each;
      await manager.update(WorkspaceUserEntity, { workspaceId, userId }, { role });
      await this.userKeys.touch(write, { ...seat, workspaceId });
      audit('update', each);
    }
    for (const each of added) {
      const { workspaceId, role } = each;
      await manager.insert(WorkspaceUserEntity, { workspaceId, userId, role, source });
      await this.userKeys.provision(write, { ...seat, workspaceId });
      audit('create', each);
    }
  }
}
