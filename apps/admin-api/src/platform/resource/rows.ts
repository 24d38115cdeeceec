import type { DocumentKey } from '@gw/contracts';
import type { Row } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assertTag, etagOf, windowOf, type PageQuery } from '@gw/web';
import { type DeepPartial, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { byReference, found, reach } from '../auth/tenancy';
import type { ResourceReference } from './resource-reference';
import type { Principal } from '../common/principal';
import { containing } from '../common/text';
import { orderRows, type ListOrder } from './list-order';
import { FOR_CHANGE, FOR_UPDATE, type Write } from '../unit-of-work/writes';

type Where<R> = FindOptionsWhere<R> | FindOptionsWhere<R>[];

export interface ResourceRow extends Row {
  readonly id?: string;
  readonly workspaceId?: string | null;
}

type Soon<T> = T | Promise<T>;

type ResourceTarget = Pick<ResourceReference, 'caller' | 'reference'>;

/** Describes a resource to the functions of this file. */
export interface Resource<R extends ResourceRow> {
  readonly entity: new () => R;
  /** Resource type in the audit log; plural, as in the path. */
  readonly type: string;
  /** Returns the public form, which the audit log stores before and after a change. */
  readonly view: (row: R, caller: Principal, manager: EntityManager) => Soon<object>;
  /**
   * Condition for the active rows that this caller may name in a path. Default: by id or slug,
   * within reach of the caller.
   */
  readonly where?: (caller: Principal, reference: string) => Where<R>;
  /** Finds and locks the row in place of `where`, for a write that must also lock other rows. */
  readonly find?: (manager: EntityManager, at: ResourceTarget) => Promise<R>;
  /** Returns the id of a row whose id column has another name. */
  readonly idOf?: (row: R) => string;
  /**
   * Returns the etag of a row that is shown with columns of other rows. Default: that of its
   * version.
   */
  readonly tag?: (row: R, manager: EntityManager) => Soon<string>;
  /** Throws when the caller may not change or delete a row that it can read. */
  readonly allow?: (row: R, caller: Principal, action: 'update' | 'delete') => void;
  /** Returns the workspace of the audit record. Default: the row's `workspaceId`. */
  readonly workspaceOf?: (row: R) => string;
  /**
   * Returns documents of other rows that gateways must read again after each change of this row.
   */
  readonly changes?: (row: R, manager: EntityManager) => Soon<readonly DocumentKey[]>;
  /**
   * Returns the documents of the row itself. They change with it, and are removed when it is
   * archived or deleted.
   */
  readonly documents?: (row: R, manager: EntityManager) => Soon<readonly DocumentKey[]>;
}

type Work<R, T = void> = (row: R) => Soon<T>;

const defaultWhere = <R extends ResourceRow>(caller: Principal, reference: string): Where<R> =>
  ({ ...reach(caller), ...byReference(reference), status: 'active' }) as unknown as Where<R>;

/**
 * Returns the row that a path names. Throws `not_found` both for a row of another tenant and for a
 * missing one.
 */
export async function findRow<R extends ResourceRow>(
  manager: EntityManager,
  resource: Pick<Resource<R>, 'entity' | 'where'>,
  { caller, reference }: ResourceTarget,
  options: { readonly lock?: typeof FOR_UPDATE | typeof FOR_CHANGE } = {},
): Promise<R> {
  const where = (resource.where ?? defaultWhere<R>)(caller, reference);
  return found(await manager.findOne(resource.entity, { where, ...options }));
}

/**
 * Finds and locks a row until the transaction ends, and checks that the caller may change it and
 * that `If-Match` matches its version.
 */
export async function lockRow<R extends ResourceRow>(
  write: Write,
  resource: Found<R>,
  at: ResourceReference,
  action: 'update' | 'delete' = 'update',
): Promise<R> {
  const { manager } = write;
  const lock = action === 'delete' ? FOR_UPDATE : FOR_CHANGE;
  const row = await (resource.find?.(manager, at) ?? findRow(manager, resource, at, { lock }));
  resource.allow?.(row, at.caller, action);
  assertTag(at.ifMatch, (await resource.tag?.(row, manager)) ?? etagOf(row));
  if (action === 'update') concern(write, resource, row);
  return row;
}

type Found<R extends ResourceRow> = Pick<Resource<R>, 'entity' | 'where' | 'find' | 'idOf' | 'tag' | 'allow'>;

const idIn = <R extends ResourceRow>({ idOf }: Pick<Resource<R>, 'idOf'>, row: R): string =>
  idOf?.(row) ?? (row.id as string);

function concern<R extends ResourceRow>(write: Write, resource: Found<R>, row: R): void {
  const { tag } = resource;
  const id = idIn(resource, row);
  write.concerns(tag ? { id, tag: async () => tag(row, write.manager) } : (row as R & { id: string }));
}

/**
 * Inserts a row, with a new id unless `values` has one. `finish` inserts dependent rows; the object
 * that it returns is added to the audit record.
 */
export async function createRow<R extends ResourceRow>(
  write: Write<Principal>,
  resource: Resource<R>,
  values: NoInfer<DeepPartial<R>>,
  finish?: Work<R, object | void>,
): Promise<R> {
  const row = await write.manager.save(
    write.manager.create(resource.entity, { id: uuidv7(), ...values } as DeepPartial<R>),
  );
  concern(write, resource, row);
  const more = await finish?.(row);
  const after = { ...(await resource.view(row, write.caller, write.manager)), ...(more ?? {}) };
  audit(write, resource, 'create', row, { after });
  await publish(write, resource, row);
  return row;
}

/**
 * Locks a row, changes and saves it, and returns it. The object that `change` returns is added to
 * the audit record after the change; `false` means that there is nothing to change. `action` names
 * the change in the audit log.
 */
export async function changeRow<R extends ResourceRow>(
  write: Write<Principal>,
  resource: Resource<R>,
  at: ResourceReference,
  change: Work<R, object | void | false>,
  action = 'update',
): Promise<R> {
  const row = await lockRow(write, resource, at);
  const before = await resource.view(row, write.caller, write.manager);
  const more = await change(row);
  if (more === false) return row;
  const saved = await write.manager.save(row);
  const after = { ...(await resource.view(saved, write.caller, write.manager)), ...(more ?? {}) };
  audit(write, resource, action, row, { before, after });
  await publish(write, resource, saved);
  return saved;
}

/** Runs `changeRow` for a route that responds with `{}`. */
export async function patchRow<R extends ResourceRow>(
  ...parameters: Parameters<typeof changeRow<R>>
): Promise<object> {
  await changeRow(...parameters);
  return {};
}

/**
 * Locks a row and archives it, so that no path finds it any more. `prepare` refuses or removes uses
 * of the row.
 */
export async function archiveRow<R extends ResourceRow & { status: string }>(
  write: Write<Principal>,
  resource: Resource<R>,
  at: ResourceReference,
  prepare?: Work<R>,
): Promise<object> {
  return endRow(write, resource, at, async (row) => {
    await prepare?.(row);
    await write.manager.save(Object.assign(row, { status: 'archived' }));
  });
}

/** Locks and deletes a row. */
export async function deleteRow<R extends ResourceRow>(
  write: Write<Principal>,
  resource: Resource<R>,
  at: ResourceReference,
  prepare?: Work<R>,
): Promise<object> {
  return endRow(write, resource, at, async (row) => {
    await prepare?.(row);
    await write.manager.delete(resource.entity, idIn(resource, row));
  });
}

/** Locks a row and calls `end`, which archives or deletes it. */
export async function endRow<R extends ResourceRow>(
  write: Write<Principal>,
  resource: Resource<R>,
  at: ResourceReference,
  end: (row: R) => Promise<void>,
): Promise<object> {
  const row = await lockRow(write, resource, at, 'delete');
  const before = await resource.view(row, write.caller, write.manager);
  await end(row);
  audit(write, resource, 'delete', row, { before });
  write.changed((await resource.changes?.(row, write.manager)) ?? []);
  write.removed((await resource.documents?.(row, write.manager)) ?? []);
  return {};
}

/** Records a change of the row in the audit log, for changes made without the functions above. */
export function audit<R extends ResourceRow>(
  write: Write<Principal>,
  resource: Resource<R>,
  action: string,
  row: R,
  views: { readonly before?: object; readonly after?: object },
): void {
  const workspaceId = resource.workspaceOf?.(row) ?? row.workspaceId;
  write.audit({
    action,
    resourceType: resource.type,
    resourceId: idIn(resource, row),
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...views,
  });
}

/** Marks the documents that the row affects as changed. */
export async function publish<R extends ResourceRow>(
  write: Write<Principal>,
  { changes, documents }: Resource<R>,
  row: R,
): Promise<void> {
  write.changed((await changes?.(row, write.manager)) ?? []);
  write.changed((await documents?.(row, write.manager)) ?? []);
}

export interface ListOptions<R> {
  /** Spread `reach(caller)` or `inWorkspace(caller)` into each condition. */
  readonly where: Where<R>;
  /** Text that one of the columns must contain. */
  readonly search?: { readonly text: string | undefined; readonly in: readonly (keyof R & string)[] };
}

/**
 * Returns a page of rows, newest first unless the query has another order, and the number of all
 * matching rows.
 */
export function listRows<R extends ResourceRow>(
  manager: EntityManager,
  { entity }: Pick<Resource<R>, 'entity'>,
  page: PageQuery & ListOrder,
  { where, search }: ListOptions<R>,
): Promise<[R[], number]> {
  const each = Array.isArray(where) ? where : [where];
  const { text } = search ?? {};
  const like = text === undefined ? undefined : containing(text);
  const searched =
    like === undefined || !search
      ? each
      : each.flatMap((one) => search.in.map((column) => ({ ...one, [column]: like })));
  const { skip, take } = windowOf(page);
  const rows = manager.createQueryBuilder<ResourceRow>(entity, 'row').where(searched);
  return orderRows(rows, page).offset(skip).limit(take).getManyAndCount() as Promise<[R[], number]>;
}

/** Returns the filters that are not undefined, for `where`. */
export const present = <T extends object>(filters: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
