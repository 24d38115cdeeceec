import type { PlainRow } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { windowOf, type PageQuery } from '@gw/web';
import type { DeepPartial, EntityManager, FindOptionsOrder, FindOptionsWhere } from 'typeorm';
import { found, isUuid } from '../auth/tenancy';
import type { Principal } from '../common/principal';

export interface VersionRow extends PlainRow {
  readonly id: string;
  /** Version number; the first is 1. */
  readonly number: number;
  readonly createdBy: string | null;
}

/** The versions of a resource: rows that are written once and numbered from 1. */
export interface Versions<V extends VersionRow> {
  readonly entity: new () => V;
  /** The column that holds the id of the resource: `configId`. */
  readonly owner: keyof V & string;
  /** Maximum number of versions of one resource; no maximum when absent. */
  readonly max?: number;
}

/** Returns the id of the user, else of the API key; null when the caller is neither. */
export const actorOf = ({ userId, apiKeyId }: Pick<Principal, 'userId' | 'apiKeyId'>): string | null =>
  userId ?? apiKeyId;

const ofOwner = <V extends VersionRow>({ owner }: Versions<V>, id: string): FindOptionsWhere<V> =>
  ({ [owner]: id }) as FindOptionsWhere<V>;

/**
 * Inserts the next version. The row of its resource must be locked or new. Throws `conflict` at the
 * maximum number of versions.
 */
export async function addVersion<V extends VersionRow>(
  manager: EntityManager,
  caller: Principal,
  versions: Versions<V>,
  ownerId: string,
  { id = uuidv7(), ...content }: DeepPartial<V>,
): Promise<V> {
  const { entity, owner, max = Infinity } = versions;
  const last = (await manager.maximum(entity, 'number' as never, ofOwner(versions, ownerId))) ?? 0;
  if (last >= max) {
    throw new GatewayError('conflict', {
      message: `The resource has ${String(max)} versions, which is the maximum; create another resource.`,
    });
  }
  const values = { ...content, id, [owner]: ownerId, number: last + 1, createdBy: actorOf(caller) };
  return manager.save(manager.create(entity, values as DeepPartial<V>));
}

/** Returns a version by its id, such as the current version of a resource. */
export const versionNamed = <V extends VersionRow>(
  manager: EntityManager,
  { entity }: Versions<V>,
  id: string,
): Promise<V> => manager.findOneByOrFail(entity, { id } as FindOptionsWhere<V>);

/** Returns the version that a path names by id. Throws `not_found`. */
export async function findVersion<V extends VersionRow>(
  manager: EntityManager,
  versions: Versions<V>,
  ownerId: string,
  id: string,
): Promise<V> {
  if (!isUuid(id)) throw new GatewayError('not_found');
  const where = { ...ofOwner(versions, ownerId), id: id.toLowerCase() } as FindOptionsWhere<V>;
  return found(await manager.findOneBy(versions.entity, where));
}

/** Returns a page of versions, newest first, and the number of all versions. */
export const listVersions = <V extends VersionRow>(
  manager: EntityManager,
  versions: Versions<V>,
  ownerId: string,
  page: PageQuery,
): Promise<[V[], number]> =>
  manager.findAndCount(versions.entity, {
    where: ofOwner(versions, ownerId),
    order: { number: 'DESC' } as FindOptionsOrder<V>,
    ...windowOf(page),
  });
