import { documentKey } from '@gw/contracts';
import { ScimGroupEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import {
  applyPatch,
  changedMembers,
  fault,
  GROUP_KIND,
  memberChanges,
  memberIds,
  project,
  readPatch,
  readResource,
  ScimError,
  type MemberChange,
  type PatchOperation,
  textOf,
  type ScimDocument,
} from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager, type FindOneOptions } from 'typeorm';
import { lockManaged } from '../../platform/accounts/managed-users';
import { isUuid } from '../../platform/auth/tenancy';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { SETTINGS, type AdminSettings } from '../../settings';
import { STORED_GROUPS } from './scim-columns';
import type { ScimContext } from './scim-context';
import { assertTagMatches, groupDocument, scimTag, type Reference, type Written } from './scim-documents';
import { listIds, listOf, projectionOf, type ListParameters, type ScimList } from './scim-list';
import { addressesOf, ScimGroupMembers } from './scim-group-members.service';
import { ScimMappingsService } from './scim-mappings.service';
import { ScimMemberships } from './scim-memberships.service';

@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly members: ScimGroupMembers,
    private readonly memberships: ScimMemberships,
    private readonly mappings: ScimMappingsService,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SCIM_MEMBERSHIP_USER_MODE'>,
  ) {}

  /**
   * Returns a page of groups. It ends early after the group with which it has 10,000 members; RFC
   * 7644 allows fewer groups than requested.
   */
  async list(context: ScimContext, parameters: ListParameters): Promise<ScimList> {
    const { manager } = this.dataSource;
    const { page, total, ids } = await listIds(manager, STORED_GROUPS, context.organisationId, parameters);
    const rows = await manager.findBy(ScimGroupEntity, { id: In([...ids]) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const listed = ids.flatMap((id) => byId.get(id) ?? []);
    const documents: object[] = [];
    let members = 0;
    for (const row of listed) {
      const document = await this.shown(manager, context, row, parameters);
      documents.push(document);
      members += (document['members'] as readonly object[] | undefined)?.length ?? 0;
      if (members >= LISTED_MEMBERS_MAX) break;
    }
    return listOf(page, total, documents);
  }

  async get(context: ScimContext, id: string, parameters: ListParameters): Promise<Written> {
    const { manager } = this.dataSource;
    const row = await find(manager, context, id);
    return this.response(manager, context, row, parameters, false);
  }

  create(context: ScimContext, body: unknown, parameters: ListParameters): Promise<Written> {
    const document = readResource(GROUP_KIND, body);
    const ids = memberIds(Reflect.get(body as object, 'members'));
    return this.run(context, async (write) => {
      const { manager } = write;
      const { organisationId } = context;
      await assertFree(manager, organisationId, document, null);
      const row = await manager.save(
        ScimGroupEntity,
        manager.create(ScimGroupEntity, { id: uuidv7(), organisationId, ...columnsOf(document) }),
      );
      write.audit({ action: 'create', resourceType: 'scim_groups', resourceId: row.id, after: document });
      await this.mappings.followName(write, row);
      await this.changeMembers(write, context, row, {
        changes: [{ kind: 'replace', ids }],
        isRemapped: false,
      });
      return this.response(manager, context, row, parameters, true);
    });
  }

  /** Replaces a group. A body without members removes all members. */
  replace(context: ScimContext, id: string, body: unknown, ifMatch: string | undefined): Promise<Written> {
    const document = readResource(GROUP_KIND, body);
    const ids = memberIds(Reflect.get(body as object, 'members'));
    return this.run(context, async (write) => {
      const row = await lockGroup(write.manager, context, id, ifMatch);
      const isRemapped = await this.rename(write, context, row, document);
      await this.changeMembers(write, context, row, { changes: [{ kind: 'replace', ids }], isRemapped });
      return this.response(write.manager, context, row, {}, false);
    });
  }

  patch(
    context: ScimContext,
    id: string,
    body: unknown,
    { ifMatch, parameters }: { readonly ifMatch: string | undefined; readonly parameters: ListParameters },
  ): Promise<Written> {
    const operations: readonly PatchOperation[] = readPatch(GROUP_KIND, body);
    const changes = memberChanges(operations, 'members');
    return this.run(context, async (write) => {
      const row = await lockGroup(write.manager, context, id, ifMatch);
      const document = applyPatch(GROUP_KIND, documentOf(row), operations);
      const isRemapped = await this.rename(write, context, row, document);
      await this.changeMembers(write, context, row, { changes, isRemapped });
      return this.response(write.manager, context, row, parameters, false);
    });
  }

  /**
   * Deletes the group with its mappings. The workspaces stay, and members keep the roles that other
   * groups give them.
   */
  remove(context: ScimContext, id: string, ifMatch: string | undefined): Promise<void> {
    return this.run(context, async (write) => {
      const { manager } = write;
      const row = await lockGroup(manager, context, id, ifMatch);
      const { organisationId } = context;
      const members = [...(await this.members.of(manager, row.id))];
      await lockManaged(manager, organisationId, members);
      await manager.delete(ScimGroupEntity, { id: row.id });
      write.audit({
        action: 'delete',
        resourceType: 'scim_groups',
        resourceId: row.id,
        before: { ...documentOf(row), members: members.length },
      });
      write.changed(members.map((userId) => documentKey.user(organisationId, userId)));
      await this.memberships.applyOrDefer(write, organisationId, members);
    });
  }

  private run<T>(context: ScimContext, work: (write: Write<AuditCaller>) => Promise<T>): Promise<T> {
    return this.writes.run<T, AuditCaller>(context.caller, work);
  }

  /**
   * Stores a new name or external id. Returns whether this changes the group's mapping, because the
   * new name matches or no longer matches the pattern of names that give a role. The caller must
   * then apply the mapped roles of all members.
   */
  private async rename(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    row: ScimGroupEntity,
    document: ScimDocument,
  ): Promise<boolean> {
    const before = documentOf(row);
    const columns = columnsOf(document);
    if (columns.displayName === row.displayName && columns.externalId === row.externalId) return false;
    await assertFree(write.manager, organisationId, document, row.id);
    await write.manager.save(ScimGroupEntity, Object.assign(row, columns));
    write.audit({
      action: 'update',
      resourceType: 'scim_groups',
      resourceId: row.id,
      before,
      after: document,
    });
    return this.mappings.followName(write, row);
  }

  /**
   * Changes the members of a group and applies the mapped roles of the affected users: of all
   * members if the group's mapping has changed. With SCIM_MEMBERSHIP_USER_MODE, members are derived
   * from the users' groups, so `changes` is ignored.
   */
  private async changeMembers(
    write: Write<AuditCaller>,
    context: ScimContext,
    row: ScimGroupEntity,
    { changes, isRemapped }: { readonly changes: readonly MemberChange[]; readonly isRemapped: boolean },
  ): Promise<void> {
    const isLeftAlone = this.settings.SCIM_MEMBERSHIP_USER_MODE || changes.length === 0;
    if (isLeftAlone && !isRemapped) return;
    const { organisationId } = context;
    const { manager } = write;
    const before = await this.members.of(manager, row.id);
    const after = isLeftAlone ? before : changedMembers(before, changes);
    const difference = await this.members.difference(manager, context, { before, after });
    const { joined, left } = difference;
    const concerned = [...new Set([...(isRemapped ? before : []), ...left, ...joined])];
    await lockManaged(manager, organisationId, concerned);
    await this.members.store(write, context, row, difference);
    await this.members.activate(write, organisationId, joined);
    await this.memberships.applyOrDefer(write, organisationId, concerned);
  }

  private async response(
    manager: EntityManager,
    context: ScimContext,
    row: ScimGroupEntity,
    parameters: ListParameters,
    created: boolean,
  ): Promise<Written> {
    const document = await this.shown(manager, context, row, parameters);
    return { created, id: row.id, version: scimTag(row), document };
  }

  /**
   * Returns the group as a response shows it; reads the members only if the response contains them.
   */
  private async shown(
    manager: EntityManager,
    context: ScimContext,
    row: ScimGroupEntity,
    parameters: ListParameters,
  ): Promise<ScimDocument> {
    const projection = projectionOf(parameters);
    const probe = project(GROUP_KIND, groupDocument(context.base, row, [ANY_MEMBER]), projection);
    if (probe['members'] === undefined) return probe;
    return project(
      GROUP_KIND,
      groupDocument(context.base, row, await this.references(manager, row)),
      projection,
    );
  }

  private async references(manager: EntityManager, row: ScimGroupEntity): Promise<Reference[]> {
    const ids = [...(await this.members.of(manager, row.id))];
    const addresses = await addressesOf(manager, ids);
    return ids.map((value) => ({ value, display: addresses.get(value) ?? '' }));
  }
}

/** Number of members after which a page of groups ends. */
const LISTED_MEMBERS_MAX = 10_000;
const ANY_MEMBER: Reference = { value: '', display: '' };
const NAME_MAX = 255;

const documentOf = ({ displayName, externalId }: ScimGroupEntity): ScimDocument => ({
  displayName,
  ...(externalId === null ? {} : { externalId }),
});

function columnsOf(
  document: ScimDocument,
): Pick<ScimGroupEntity, 'displayName' | 'displayNameKey' | 'externalId'> {
  const displayName = textOf(document, 'displayName');
  const externalId = (document['externalId'] as string | undefined) ?? null;
  if (displayName.length > NAME_MAX || (externalId?.length ?? 0) > NAME_MAX) {
    throw fault('invalidValue', `displayName and externalId have at most ${String(NAME_MAX)} characters.`);
  }
  return { displayName, displayNameKey: displayName.toLowerCase(), externalId };
}

/** Returns a group by its id. Throws 404. */
async function find(
  manager: EntityManager,
  { organisationId }: ScimContext,
  id: string,
  options: Pick<FindOneOptions, 'lock'> = {},
): Promise<ScimGroupEntity> {
  const row = isUuid(id)
    ? await manager.findOne(ScimGroupEntity, { where: { organisationId, id }, ...options })
    : null;
  if (row === null) throw new ScimError(404, `There is no group ${id.slice(0, 64)}.`);
  return row;
}

async function lockGroup(
  manager: EntityManager,
  context: ScimContext,
  id: string,
  ifMatch: string | undefined,
): Promise<ScimGroupEntity> {
  const row = await find(manager, context, id, { lock: FOR_UPDATE });
  assertTagMatches(ifMatch, row);
  return row;
}

/** Throws `uniqueness` when another group has the name or the external id. */
async function assertFree(
  manager: EntityManager,
  organisationId: string,
  document: ScimDocument,
  ownId: string | null,
): Promise<void> {
  const { displayNameKey, externalId } = columnsOf(document);
  const named = await manager.findBy(ScimGroupEntity, [
    { organisationId, displayNameKey },
    ...(externalId === null ? [] : [{ organisationId, externalId }]),
  ]);
  const other = named.find(({ id }) => id !== ownId);
  if (other === undefined) return;
  const what = other.displayNameKey === displayNameKey ? 'displayName' : 'externalId';
  throw new ScimError(409, `Another group has this ${what}.`, 'uniqueness');
}
