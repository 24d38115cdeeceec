import { documentKey } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimGroupMemberEntity,
  ScimUserEntity,
  type ScimGroupEntity,
} from '@gw/entities';
import { fault } from '@gw/scim';
import { Injectable } from '@nestjs/common';
import { Any, In, Not, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { scimSettingsOf } from '../../platform/tenant-settings/scim-settings';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { Write } from '../../platform/unit-of-work/writes';
import type { ScimContext } from './scim-context';
import { ScimSeats } from './scim-seats.service';

/** Number of rows in one statement. */
const BATCH = 1_000;
/** Maximum number of unknown ids in an audit record. */
const NAMED_MAX = 20;

interface Change {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** Users whom a change of a group has added and removed. */
export interface ChangedMembers {
  readonly joined: readonly string[];
  readonly left: readonly string[];
}

/** Reads and changes the members of groups. */
@Injectable()
export class ScimGroupMembers {
  constructor(private readonly seats: ScimSeats) {}

  async of(manager: EntityManager, groupId: string): Promise<ReadonlySet<string>> {
    const rows = await manager.find(ScimGroupMemberEntity, {
      where: { groupId },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
    return new Set(rows.map(({ userId }) => userId));
  }

  /**
   * Stores the members and returns the users whom it added and removed. Leaves out unknown ids and
   * names them in the audit log, since identity providers never repeat a refused request. Throws
   * `invalidValue` for a user of another organisation.
   */
  async change(
    write: Write<AuditCaller>,
    context: ScimContext,
    { id: groupId }: ScimGroupEntity,
    { before, after }: Change,
  ): Promise<ChangedMembers> {
    const { manager } = write;
    const addedIds = [...after].filter((id) => !before.has(id));
    const knownIds = await this.known(manager, context, addedIds);
    const joined = [...knownIds];
    const removedIds = [...before].filter((id) => !after.has(id));
    const skipped = addedIds.filter((id) => !knownIds.has(id));
    for (let at = 0; at < removedIds.length; at += BATCH) {
      await manager.delete(ScimGroupMemberEntity, { groupId, userId: In(removedIds.slice(at, at + BATCH)) });
    }
    for (let at = 0; at < joined.length; at += BATCH) {
      const rows = joined.slice(at, at + BATCH).map((userId) => ({ groupId, userId }));
      await manager.insert(ScimGroupMemberEntity, rows);
    }
    if (removedIds.length + addedIds.length > 0) {
      write.audit({
        action: 'update',
        resourceType: 'scim_groups',
        resourceId: groupId,
        after: {
          members_added: joined.length,
          members_removed: removedIds.length,
          ...(skipped.length === 0 ? {} : { unknown_members: skipped.slice(0, NAMED_MAX) }),
        },
      });
    }
    const changed = [...removedIds, ...joined];
    write.changed(changed.map((userId) => documentKey.user(context.organisationId, userId)));
    return { joined, left: removedIds };
  }

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
   * Activates users whom a group contains, if the organisation has enabled that. The caller must
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
    const inactive = await write.manager.findBy(ScimUserEntity, {
      organisationId,
      userId: Any(userIds),
      active: false,
    });
    for (const row of inactive) {
      row.active = true;
      await write.manager.save(ScimUserEntity, row);
      await this.seats.setActive(write, row, true);
    }
  }
}
