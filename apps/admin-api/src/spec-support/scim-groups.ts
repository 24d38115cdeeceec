import { ScimGroupEntity, ScimGroupMemberEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

/** Inserts a SCIM group, and returns its id. */
export async function insertGroup(
  manager: EntityManager,
  organisationId: string,
  members: readonly string[] = [],
): Promise<string> {
  const groupId = uuidv7();
  const displayName = `Group ${groupId}`;
  const group = { id: groupId, organisationId, displayName, displayNameKey: displayName.toLowerCase() };
  await manager.insert(ScimGroupEntity, group);
  for (const userId of members) await manager.insert(ScimGroupMemberEntity, { groupId, userId });
  return groupId;
}
