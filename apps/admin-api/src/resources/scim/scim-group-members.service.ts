import { documentKey } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimGroupEntity,
  ScimGroupMemberEntity,
  ScimUserEntity,
  UserEntity,
} from '@gw/entities';
import { fault } from '@gw/scim';
import { Injectable } from '@nestjs/common';
import { Any, In, Not, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { scimSettingsOf } from '../../platform/tenant-settings/scim-settings';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { Write } from '../../platform/unit-of-work/writes';
import { activeMembersAmong } from './active-members';
import { raiseVersions } from './scim-group-locks';
import type { ScimContext } from './scim-context';
import { ScimSeats } from './scim-seats.service';

/** Number of rows in one statement. */
const BATCH = 1_000;
/** Maximum number of unknown ids that an audit record names. */
const NAMED_MAX = 20;

/** Ids of the members before and after a change; those after it are unchecked. */
interface Change {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** Effect of a change on the members of a group, by user id. */
export interface MemberDifference {
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** Ids that belong to no user of the organisation, which the change leaves out. */
  readonly skipped: readonly string[];
}

/** Reads and changes the members of groups. */
@Injectable()
export class ScimGroupMembers {
  constructor(private readonly seats: ScimSeats) {}

  /** Returns the user ids of the members in the order in which they were added. */
  async of(manager: EntityManager, groupId: string): Promise<ReadonlySet<string>> {
    const rows = await manager.find(ScimGroupMemberEntity, {
      where: { groupId },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
    return new Set(rows.map(({ userId }) => userId));
  }

  /**
   * Returns the users whom a change adds and removes, and stores nothing. Throws `invalidValue` for
   * a user of only another organisation.
   */
  async difference(
    manager: EntityManager,
    context: ScimContext,
    { before, after }: Change,
  ): Promise<MemberDifference> {
    const added = [...after].filter((id) => !before.has(id));
    const known = await this.known(manager, context, added);
    return {
      joined: [...known],
      left: [...before].filter((id) => !after.has(id)),
      skipped: added.filter((id) => !known.has(id)),
    };
  }

  /**
   * Stores the change of a group's members. Names the first `NAMED_MAX` unknown ids in the audit
   * log, since identity providers never repeat a refused request. The SCIM users must be locked
   * (`lockManaged`), because a new member locks the user.
   */
  async store(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    group: ScimGroupEntity,
    { joined, left, skipped }: MemberDifference,
  ): Promise<void> {
    const { manager } = write;
    const { id: groupId } = group;
    for (let at = 0; at < left.length; at += BATCH) {
      await manager.delete(ScimGroupMemberEntity, { groupId, userId: In(left.slice(at, at + BATCH)) });
    }
    for (let at = 0; at < joined.length; at += BATCH) {
      const rows = joined.slice(at, at + BATCH).map((userId) => ({ groupId, userId }));
      await manager.insert(ScimGroupMemberEntity, rows);
    }
    if (left.length + joined.length + skipped.length > 0) {
      write.audit({
        action: 'update',
        resourceType: 'scim_groups',
        resourceId: groupId,
        after: {
          members_added: joined.length,
          members_removed: left.length,
          ...(skipped.length === 0 ? {} : { unknown_members: skipped.slice(0, NAMED_MAX) }),
        },
      });
    }
    const changed = [...left, ...joined];
    if (changed.length === 0) return;
    write.changed(changed.map((userId) => documentKey.user(organisationId, userId)));
    await raiseVersions(manager, [groupId]);
    Object.assign(group, await manager.findOneByOrFail(ScimGroupEntity, { id: groupId }));
  }

  /**
   * Returns those of the ids that belong to users of the organisation, active or not. Throws
   * `invalidValue` for a user of only another organisation.
   */
  private async known(
    manager: EntityManager,
    { organisationId }: ScimContext,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const wanted = ids.filter(isUuid);
    if (wanted.length === 0) return new Set();
    const seats = await manager.find(OrganisationUserEntity, {
      where: { organisationId, userId: Any(wanted) },
      select: { userId: true },
    });
    const memberIds = new Set(seats.map(({ userId }) => userId));
    const others = wanted.filter((id) => !memberIds.has(id));
    const foreign = await manager.existsBy(OrganisationUserEntity, {
      userId: Any(others),
      organisationId: Not(organisationId),
    });
    if (others.length > 0 && foreign) {
      throw fault('invalidValue', 'A member is no user of this organisation.');
    }
    return memberIds;
  }

  /**
   * Activates those of a group's new members whom SCIM manages and who are inactive, if the
   * organisation has enabled that and has verified the domains of their addresses. The caller must
   * have locked them.
   */
  async activate(
    write: Write<AuditCaller>,
    organisationId: string,
    userIds: readonly string[],
  ): Promise<void> {
    if (userIds.length === 0) return;
    const { group_based_user_provisioning: groupsActivate } = await scimSettingsOf(
      write.manager,
      organisationId,
    );
    if (!groupsActivate) return;
    const { manager } = write;
    const seated = await activeMembersAmong(manager, organisationId, userIds);
    const managed = await manager.findBy(ScimUserEntity, { organisationId, userId: Any(userIds) });
    for (const row of managed.filter(({ active, userId }) => !active || !seated.has(userId))) {
      if (!(await this.seats.hasOwnAddress(manager, row))) continue;
      await this.seats.setActive(write, row, true);
      write.audit({
        action: 'update',
        resourceType: 'users',
        resourceId: row.userId,
        before: { active: false, source: 'scim' },
        after: { active: true, source: 'scim' },
      });
    }
  }
}

/** Returns the email addresses of users by user id, without unknown users. */
export async function addressesOf(
  manager: EntityManager,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await manager.find(UserEntity, {
    where: { id: Any(userIds) },
    select: { id: true, email: true },
  });
  return new Map(rows.map(({ id, email }) => [id, email]));
}
