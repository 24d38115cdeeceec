import { isDeepStrictEqual } from 'node:util';
import { ScimGroupEntity, ScimGroupMemberEntity, ScimUserEntity } from '@gw/entities';
import {
  applyPatch,
  fault,
  project,
  readPatch,
  readResource,
  ScimError,
  USER_KIND,
  textOf,
  type ScimDocument,
} from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager, type FindOneOptions } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { SETTINGS, type AdminSettings } from '../../settings';
import { activeMembersAmong } from './active-members';
import { byUser } from './by-user';
import { STORED_USERS } from './scim-columns';
import type { ScimContext } from './scim-context';
import {
  assertTagMatches,
  attributesOf,
  scimTag,
  userDocument,
  writtenDocument,
  type Reference,
  type Written,
} from './scim-documents';
import { lockGroupsOf } from './scim-group-locks';
import { listIds, listOf, projectionOf, type ListParameters, type ScimList } from './scim-list';
import { ScimSeats } from './scim-seats.service';
import { ScimUserGroups } from './scim-user-groups.service';

@Injectable()
export class ScimUsersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly seats: ScimSeats,
    private readonly groups: ScimUserGroups,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SCIM_CREATE_UPSERT'>,
  ) {}

  async list(context: ScimContext, parameters: ListParameters): Promise<ScimList> {
    const { manager } = this.dataSource;
    const { page, total, ids } = await listIds(manager, STORED_USERS, context.organisationId, parameters);
    const documents = await this.documentsOf(manager, context, ids);
    const projection = projectionOf(parameters);
    return listOf(
      page,
      total,
      documents.map((document) => project(USER_KIND, document, projection)),
    );
  }

  async get(context: ScimContext, id: string, parameters: ListParameters): Promise<Written> {
    const { manager } = this.dataSource;
    const row = await find(manager, context, id);
    return this.response(manager, context, row, parameters, false);
  }

  /**
   * Creates a user, or takes over an existing user of the organisation. Throws `uniqueness` for an
   * active user with the same name.
   */
  create(context: ScimContext, body: unknown, parameters: ListParameters): Promise<Written> {
    const document = readResource(USER_KIND, body);
    assertSize(document);
    return this.run(context, async (write) => {
      const { manager } = write;
      const { organisationId } = context;
      const userName = textOf(document, 'userName');
      const named = await namedUser(manager, organisationId, userName);
      await this.groups.lock(write, context, named?.userId ?? null, { body });
      const known = await namedUser(manager, organisationId, userName, { lock: FOR_UPDATE });
      const isNew = known === null || !(await this.seats.isShownActive(manager, known));
      if (!isNew && !this.settings.SCIM_CREATE_UPSERT) {
        throw new ScimError(409, `A user with the userName ${known.userName} exists.`, 'uniqueness');
      }
      await assertFree(manager, organisationId, document, known?.userId ?? null);
      const isActive = document['active'] !== false;
      const row =
        known === null
          ? await this.seats.open(write, context, document, isActive)
          : await this.changed(write, context, known, { ...document, active: isActive });
      await this.groups.replace(write, context, row.userId, body);
      return this.response(manager, context, row, parameters, isNew);
    });
  }

  /**
   * Replaces all attributes. An absent `active` stays as it is, so that no user is reactivated by
   * mistake.
   */
  replace(context: ScimContext, id: string, body: unknown, ifMatch: string | undefined): Promise<Written> {
    const document = readResource(USER_KIND, body);
    return this.run(context, async (write) => {
      await this.groups.lock(write, context, id, { body });
      const row = await lockUser(write.manager, context, id, ifMatch);
      await assertFree(write.manager, context.organisationId, document, row.userId);
      const after = await this.changed(write, context, row, document);
      await this.groups.replace(write, context, row.userId, body);
      return this.response(write.manager, context, after, {}, false);
    });
  }

  /** Applies all operations or none. A repeated request changes nothing. */
  patch(
    context: ScimContext,
    id: string,
    body: unknown,
    { ifMatch, parameters }: { readonly ifMatch: string | undefined; readonly parameters: ListParameters },
  ): Promise<Written> {
    const operations = readPatch(USER_KIND, body);
    return this.run(context, async (write) => {
      await this.groups.lock(write, context, id, { operations });
      const row = await lockUser(write.manager, context, id, ifMatch);
      const own = this.groups.withoutGroups(operations);
      const { active: _stored, ...written } = writtenDocument(row);
      const document = applyPatch(USER_KIND, written, own);
      await assertFree(write.manager, context.organisationId, document, row.userId);
      const after = await this.changed(write, context, row, document);
      await this.groups.patch(write, context, row.userId, operations);
      return this.response(write.manager, context, after, parameters, false);
    });
  }

  /** Ends the user's membership of the organisation and deletes the SCIM data of the user. */
  remove(context: ScimContext, id: string, ifMatch: string | undefined): Promise<void> {
    return this.run(context, async (write) => {
      await lockGroupsOf(write.manager, context.organisationId, { userId: id });
      const row = await lockUser(write.manager, context, id, ifMatch);
      await this.seats.forget(write, row);
    });
  }

  private run<T>(context: ScimContext, work: (write: Write<AuditCaller>) => Promise<T>): Promise<T> {
    return this.writes.run<T, AuditCaller>(context.caller, work);
  }

  /**
   * Stores the changed attributes and applies their effects on the user; writes nothing when
   * nothing has changed. A document without `active` leaves the user active or inactive. Ends the
   * membership of an inactive user who is a member for any reason.
   */
  private async changed(
    write: Write<AuditCaller>,
    context: ScimContext,
    row: ScimUserEntity,
    document: ScimDocument,
  ): Promise<ScimUserEntity> {
    const { manager } = write;
    const wasActive = await this.seats.isShownActive(manager, row);
    const sent = document['active'] as boolean | undefined;
    const isActive = sent ?? wasActive;
    const before = { ...writtenDocument(row), active: wasActive };
    const after = { ...document, active: isActive };
    const isEnding = !isActive && (await this.seats.isActive(manager, row));
    // A user whom an administrator has removed is inactive, but the provider has not said so.
    const isConfirmed = sent === undefined || sent === row.active;
    if (isDeepStrictEqual(before, after) && isConfirmed && !isEnding) return row;
    if (!isDeepStrictEqual(row.attributes, attributesOf(document))) assertSize(document);
    await this.seats.rename(write, context, { row, document: after, isActivated: isActive && !wasActive });
    await manager.save(ScimUserEntity, withDocument(row, document));
    if (isActive !== wasActive || isEnding) await this.seats.setActive(write, row, isActive);
    write.audit({
      action: 'update',
      resourceType: 'users',
      resourceId: row.userId,
      before: { ...before, source: 'scim' },
      after: { ...after, source: 'scim' },
    });
    const { organisationId, userId } = row;
    return manager.findOneByOrFail(ScimUserEntity, { organisationId, userId });
  }

  private async response(
    manager: EntityManager,
    context: ScimContext,
    row: ScimUserEntity,
    parameters: ListParameters,
    created: boolean,
  ): Promise<Written> {
    const groups = await groupsOf(manager, context.organisationId, [row.userId]);
    const active = await this.seats.isShownActive(manager, row);
    const shown = { ...row, active };
    const document = userDocument(context.base, shown, groups.get(row.userId) ?? []);
    const projected = project(USER_KIND, document, projectionOf(parameters));
    return { created, id: row.userId, version: scimTag(row), document: projected };
  }

  private async documentsOf(
    manager: EntityManager,
    context: ScimContext,
    ids: readonly string[],
  ): Promise<ScimDocument[]> {
    const { organisationId, base } = context;
    const rows = await manager.findBy(ScimUserEntity, { organisationId, userId: In([...ids]) });
    const seated = await activeMembersAmong(manager, organisationId, ids);
    const shown = rows.map((row) => ({ ...row, active: row.active && seated.has(row.userId) }));
    const byId = new Map(shown.map((row) => [row.userId, row]));
    const groups = await groupsOf(manager, organisationId, ids);
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row === undefined ? [] : [userDocument(base, row, groups.get(id) ?? [])];
    });
  }
}

/** Maximum size of the attributes of one user, in bytes. */
const ATTRIBUTES_MAX = 16_384;

function assertSize(document: ScimDocument): void {
  if (Buffer.byteLength(JSON.stringify(document)) <= ATTRIBUTES_MAX) return;
  throw fault('invalidValue', `The attributes of a user have at most ${String(ATTRIBUTES_MAX)} bytes.`);
}

/** Sets the columns of a user; a document without `active` leaves that column. */
function withDocument(row: ScimUserEntity, document: ScimDocument): ScimUserEntity {
  const { externalId, active } = document as { readonly externalId?: string; readonly active?: boolean };
  const userName = textOf(document, 'userName');
  return Object.assign(row, {
    ...{ userName, userNameKey: userName.toLowerCase(), externalId: externalId ?? null },
    ...{ active: active ?? row.active, attributes: attributesOf(document) },
  });
}

/** Returns a user by id. Throws 404. */
async function find(
  manager: EntityManager,
  { organisationId }: ScimContext,
  id: string,
  options: Pick<FindOneOptions, 'lock'> = {},
): Promise<ScimUserEntity> {
  const row = isUuid(id)
    ? await manager.findOne(ScimUserEntity, { where: { organisationId, userId: id }, ...options })
    : null;
  if (row === null) throw new ScimError(404, `There is no user ${id.slice(0, 64)}.`);
  return row;
}

async function lockUser(
  manager: EntityManager,
  context: ScimContext,
  id: string,
  ifMatch: string | undefined,
): Promise<ScimUserEntity> {
  const row = await find(manager, context, id, { lock: FOR_UPDATE });
  assertTagMatches(ifMatch, row);
  return row;
}

/** Returns the user with this name, active or inactive; null when there is none. */
function namedUser(
  manager: EntityManager,
  organisationId: string,
  userName: string,
  options: Pick<FindOneOptions, 'lock'> = {},
): Promise<ScimUserEntity | null> {
  const where = { organisationId, userNameKey: userName.toLowerCase() };
  return manager.findOne(ScimUserEntity, { where, ...options });
}

/** Throws `uniqueness` when another user has the name or the external id. */
async function assertFree(
  manager: EntityManager,
  organisationId: string,
  document: ScimDocument,
  ownId: string | null,
): Promise<void> {
  const userNameKey = textOf(document, 'userName').toLowerCase();
  const externalId = document['externalId'] as string | undefined;
  if (userNameKey.length > 320) throw fault('invalidValue', 'userName has at most 320 characters.');
  if (externalId !== undefined && externalId.length > 255) {
    throw fault('invalidValue', 'externalId has at most 255 characters.');
  }
  const named = await manager.findBy(ScimUserEntity, [
    { organisationId, userNameKey },
    ...(externalId === undefined ? [] : [{ organisationId, externalId }]),
  ]);
  const other = named.find(({ userId }) => userId !== ownId);
  if (other === undefined) return;
  const what = other.userNameKey === userNameKey ? 'userName' : 'externalId';
  throw new ScimError(409, `Another user has this ${what}.`, 'uniqueness');
}

async function groupsOf(
  manager: EntityManager,
  organisationId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Reference[]>> {
  const members = await manager.findBy(ScimGroupMemberEntity, { userId: In([...userIds]) });
  const groups = await manager.findBy(ScimGroupEntity, {
    organisationId,
    id: In([...new Set(members.map(({ groupId }) => groupId))]),
  });
  const names = new Map(groups.map(({ id, displayName }) => [id, displayName]));
  const own = members.flatMap(({ userId, groupId }) => {
    const display = names.get(groupId);
    return display === undefined ? [] : [{ userId, value: groupId, display }];
  });
  return byUser(own);
}
