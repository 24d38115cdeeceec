import type { UpstreamServer } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import type { Principal } from '../common/principal';
import { audit, publish, type Resource } from '../resource/rows';
import type { Write } from '../unit-of-work/writes';
import { memberIds, type ServerMember, type ServerUserRow } from './server-members.queries';
import type { MemberAccessResponse, UpdateUserAccessDto } from './user-access.dto';

/** Returns the access of a member to the server as a response shows it. */
export const toMemberAccess = (
  { defaultUserAccess }: Pick<UpstreamServer, 'defaultUserAccess'>,
  { user_id, first_name, last_name, exception }: ServerMember,
): MemberAccessResponse => ({
  ...{ user_id, first_name, last_name, has_override: exception !== null },
  enabled: exception ?? defaultUserAccess === 'allow',
});

/**
 * Sets exceptions for members of the workspace of a locked server, and its default. Throws
 * `validation_failed` for users who are not members.
 */
export async function setUserAccess<S extends UpstreamServer>(
  write: Write<Principal>,
  { resource, users }: { readonly resource: Resource<S>; readonly users: new () => ServerUserRow },
  row: S,
  input: UpdateUserAccessDto,
): Promise<void> {
  const { manager } = write;
  const wanted = input.user_access ?? [];
  const ids = wanted.map(({ user_id }) => user_id.toLowerCase());
  await assertMembers(manager, row, ids);
  const before = { default_user_access: row.defaultUserAccess };
  const rows = wanted.map(({ enabled }, index) => ({
    ...{ serverId: row.id, userId: ids[index] as string, enabled },
  }));
  await manager.upsert(users, rows, ['serverId', 'userId']);
  row.defaultUserAccess = input.default_user_access ?? row.defaultUserAccess;
  await saveWithNewVersion(manager, resource.entity, row);
  const after = { default_user_access: row.defaultUserAccess, user_access: wanted };
  audit(write, resource, 'update', row, { before, after });
  await publish(write, resource, row);
}

/**
 * Increments the version of a server after a change of its parts and saves its default for users.
 */
export async function saveWithNewVersion<S extends UpstreamServer>(
  manager: EntityManager,
  entity: new () => S,
  { id, defaultUserAccess }: Pick<UpstreamServer, 'id' | 'defaultUserAccess'>,
): Promise<void> {
  const where: FindOptionsWhere<UpstreamServer> = { id };
  const saved: QueryDeepPartialEntity<UpstreamServer> = { defaultUserAccess };
  await manager.update(entity, where, saved as QueryDeepPartialEntity<S>);
}

async function assertMembers(
  manager: EntityManager,
  row: UpstreamServer,
  ids: readonly string[],
): Promise<void> {
  const members = await memberIds(manager, row, ids);
  const faults: ErrorDetail[] = ids.flatMap((id, index) => {
    const isKnown = members.has(id) && ids.indexOf(id) === index;
    const path = `user_access.${String(index)}.user_id`;
    return isKnown ? [] : [{ path, message: 'must be a member of the workspace, and not occur twice' }];
  });
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}
