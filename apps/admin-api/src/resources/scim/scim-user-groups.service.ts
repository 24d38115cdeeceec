import { documentKey } from '@gw/contracts';
import { ScimGroupEntity, ScimGroupMemberEntity } from '@gw/entities';
import { changedMembers, memberChanges, memberIds, type MemberChange, type PatchOperation } from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { Write } from '../../platform/unit-of-work/writes';
import { SETTINGS, type AdminSettings } from '../../settings';
import { groupIdsOf, lockGroupsOf, raiseVersions } from './scim-group-locks';
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

  /**
   * Locks the groups that a body or operations name, and those of the user. Call it before locking
   * the user, who is null when new.
   */
  async lock(
    { manager }: Write<AuditCaller>,
    { organisationId }: ScimContext,
    userId: string | null,
    source: { readonly body: unknown } | { readonly operations: readonly PatchOperation[] },
  ): Promise<void> {
    if (!this.isWritten) return;
    const changes = 'body' in source ? changesIn(source.body) : memberChanges(source.operations, 'groups');
    if (changes.length === 0) return;
    const more = [...changedMembers(new Set(), changes)];
    await lockGroupsOf(manager, organisationId, { userId, more });
  }

  /** Makes the user a member of the groups in the body; a body without groups changes none. */
  async replace(
    write: Write<AuditCaller>,
    context: ScimContext,
    userId: string,
    body: unknown,
  ): Promise<void> {
    if (!this.isWritten) return;
    await this.change(write, context, userId, changesIn(body));
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
    const before = await groupIdsOf(manager, organisationId, userId);
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
    await raiseVersions(manager, [...left, ...joined]);
    write.changed(documentKey.user(organisationId, userId));
    await this.memberships.applyMappedRoles(write, organisationId, [userId]);
  }
}

function changesIn(body: unknown): readonly MemberChange[] {
  const groups: unknown = Reflect.get(body as object, 'groups');
  return groups === undefined ? [] : [{ kind: 'replace', ids: memberIds(groups) }];
}
