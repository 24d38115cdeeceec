import {
  OauthConsentEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { Any, type EntityManager } from 'typeorm';
import { endSessionsWhere } from '../auth/session-ends';
import { UserKeysService } from '../keys/user-keys.service';
import { endAgentAccess } from '../rows/agent-rows';
import { endMcpAccess } from '../rows/mcp-rows';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { touchManaged } from './managed-users';
import type { OrganisationMembership } from './organisation-membership';
import { cancelInvite } from './pending-invites';

/** Ends memberships of organisations, together with everything that the user has through them. */
@Injectable()
export class MembershipEnds {
  constructor(private readonly userKeys: UserKeysService) {}

  /**
   * Archives the membership and ends the user's workspace memberships, user keys, connections to
   * MCP servers, access exceptions at MCP servers and agents, sessions, OAuth grants and pending
   * invites in the organisation. The user account stays, since it may belong to other
   * organisations. The caller of this method writes the audit entry of the membership, and has
   * locked the user's row of SCIM.
   */
  async end(write: Write<AuditCaller>, seat: OrganisationMembership): Promise<void> {
    const { manager } = write;
    const { organisationId, userId } = seat;
    await manager.update(OrganisationUserEntity, { organisationId, userId }, { status: 'archived' });
    await touchManaged(manager, seat);
    await leaveWorkspaces(manager, seat);
    await this.userKeys.archive(write, { organisationId, userId });
    await endMcpAccess(write, seat);
    await endAgentAccess(write, seat);
    await endSessions(write, seat);
    // Codes and tokens of a consent end with it.
    await manager.delete(OauthConsentEntity, { organisationId, userId });
    const { email } = await manager.findOneByOrFail(UserEntity, { id: userId });
    await cancelInvite(write, { organisationId, email });
  }
}

/**
 * Revokes the sessions of a user in an organisation, with their playground keys. The access tokens
 * of the sessions stop working immediately.
 */
export async function endSessions(
  write: Pick<Write, 'manager' | 'removed'>,
  { organisationId, userId }: OrganisationMembership,
): Promise<void> {
  const { documents: playgroundKeys } = await endSessionsWhere(write.manager, { organisationId, userId });
  write.removed(playgroundKeys);
}

async function leaveWorkspaces(
  manager: EntityManager,
  { organisationId, userId }: OrganisationMembership,
): Promise<void> {
  const workspaces = await manager.find(WorkspaceEntity, { where: { organisationId }, select: { id: true } });
  const workspaceId = Any(workspaces.map(({ id }) => id));
  await manager.delete(WorkspaceUserEntity, { userId, workspaceId });
}
