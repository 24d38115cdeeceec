import { documentKey } from '@gw/contracts';
import { ScimGroupEntity, ScimGroupMemberEntity } from '@gw/entities';
import { changedMembers, memberChanges, memberIds, type MemberChange, type PatchOperation } from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { Write } from '../../platform/unit-of-work/writes';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ScimContext } from './scim-context';
import { ScimMemberships } from './scim-memberships.service';

/**
 * Manages the groups of a user. Identity providers write them here with SCIM_MEMBERSHIP_USER_MODE,
 * and can only read them without.
 */
@Injectable()
export class ScimUserGroups {
  private readonly isWritten: boolean;

  constructor(
    private readonly memberships: ScimMemberships,
    @Inject(SETTINGS) settings: Pick<AdminSettings, 'SCIM_MEMBERSHIP_USER_MODE'>,
  ) {
    this.isWritten = settings.SCIM_MEMBERSHIP_USER_MODE;
  }

  /**
   * Returns the operations on other attributes. When groups are read-only, returns all operations,
   * so that a change of groups is refused.
   */
  withoutGroups(operations: readonly PatchOperation[]): readonly PatchOperation[] {
    return this.isWritten ? operations.filter(({ path }) => path?.attribute.name !== 'groups') : operations;
  }

  /** Makes the user a member of the groups in the body; a body without groups changes none. */
  async replace(
    write: Write<AuditCaller>,
    context: ScimContext,
    userId: string,
    body: unknown,
  ): Promise<void> {
    const groups: unknown = Reflect.get(body as object, 'groups');
    if (!this.isWritten || groups === undefined) return;
    await this.change(write, context, userId, [{ kind: 'replace', ids: memberIds(groups) }]);
  }

  async patch(
    write: Write<AuditCaller>,
    context: ScimContext,
    userId: string,
    operations: readonly PatchOperation[],
  ): Promise<void> {
    if (!this.isWritten) return;
    await this.change(write, context, userId, memberChanges(operations, 'groups'));
  }

  /** Changes the groups of a user. Leaves out ids of groups that the organisation does not have. */
  private async change(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    userId: string,
    changes: readonly MemberChange[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const { manager } = write;
    const before = await groupsOf(manager, organisationId, userId);
    const after = changedMembers(before, changes);
    const known = await manager.find(ScimGroupEntity, {
      where: { organisationId, id: In([...after].filter(isUuid)) },
      select: { id: true },
    });
    const wanted = new Set(known.map(({ id }) => id));
    const left = [...before].filter((id) => !wanted.has(id));
    const joined = [...wanted].filter((id) => !before.has(id));
    if (left.length > 0) await manager.delete(ScimGroupMemberEntity, { userId, groupId: In(left) });
    if (joined.length > 0) {
      await manager.insert(
        ScimGroupMemberEntity,
        joined.map((groupId) => ({ groupId, userId })),
      );
    }
    if (left.length + joined.length === 0) return;
    write.changed(documentKey.user(organisationId, userId));
    await this.memberships.applyMappedRoles(write, organisationId, [userId]);
  }
}

async function groupsOf(
  manager: EntityManager,
  organisationId: string,
  userId: string,
): Promise<ReadonlySet<string>> {
  const members = await manager.findBy(ScimGroupMemberEntity, { userId });
  const groups = await manager.find(ScimGroupEntity, {
    where: { organisationId, id: In(members.map(({ groupId }) => groupId)) },
    select: { id: true },
  });
  return new Set(groups.map(({ id }) => id));
}
