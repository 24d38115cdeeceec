import { ApiKeyEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';

/** A list of up to so many rows is counted and read as it is at this moment. */
const NEAR = 10_000;
/** Rows between two marks; more where a list would have too many marks. */
const STRIDE = 1_000;
const MARKS_MAX = 5_000;
const FRESH_MS = 30_000;
/** Lists whose marks are kept; the one that was read longest ago goes. */
const LISTS_MAX = 100;

interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** Where the rows of a long list were, newest first. */
interface Marks {
  readonly madeAtMs: number;
  readonly total: number;
  readonly stride: number;
  /** The newest row, then each `stride`th. */
  readonly positions: readonly Position[];
}

export interface Window {
  readonly skip: number;
  readonly take: number;
}

type Where = FindOptionsWhere<ApiKeyEntity>;

/**
 * Pages of keys, newest first, however many there are. To count a million rows, or to walk past them to a late page, takes a second:
 * of a list beyond 10,000 rows the count and the places of some of its rows are kept, and looked up again in the background once
 * they are 30 seconds old. New keys are counted on top, so that no page misses one; the count may be late by what was deleted since.
 */
@Injectable()
export class ApiKeyPages {
  private readonly marks = new LRUCache<string, Marks>({ max: LISTS_MAX });
  private readonly marking = new Map<string, Promise<Marks | null>>();

  constructor(private readonly dataSource: DataSource) {}

  async page(where: Where, key: string, window: Window): Promise<[ApiKeyEntity[], number]> {
    const { manager } = this.dataSource;
    let marks: Marks | null | undefined = this.marks.get(key);
    if (!marks) {
      const count = await countTo(manager, where, NEAR + 1);
      if (count > NEAR) marks = await this.mark(where, key);
      if (!marks) return [await rowsOf(manager, where, window), count];
    }
    if (marks.madeAtMs < Date.now() - FRESH_MS) void this.mark(where, key).catch(() => undefined);
    const fresh = await countNewer(manager, where, marks.positions[0]);
    const total = marks.total + fresh;
    const at = window.skip - fresh;
    if (at < NEAR) return [await rowsOf(manager, where, window), total];
    const nearest = Math.min(Math.floor(at / marks.stride), marks.positions.length - 1);
    const skip = at - nearest * marks.stride;
    if (at >= marks.total) return [[], total];
    return [await rowsOf(manager, where, { skip, take: window.take }, marks.positions[nearest]), total];
  }

  /** Once for all who ask meanwhile. Null for a list that has become too short for it. */
  private mark(where: Where, key: string): Promise<Marks | null> {
    const known = this.marking.get(key);
    if (known) return known;
    const marking = this.dataSource
      // Count and places are of one moment.
      .transaction('REPEATABLE READ', (manager) => makeMarks(manager, where))
      .then((marks) => {
        if (marks) this.marks.set(key, marks);
        else this.marks.delete(key);
        return marks;
      })
      .finally(() => this.marking.delete(key));
    this.marking.set(key, marking);
    return marking;
  }
}

const queryOf = (manager: EntityManager, where: Where): SelectQueryBuilder<ApiKeyEntity> =>
  manager.createQueryBuilder(ApiKeyEntity, 'key').where(where);

function rowsOf(
  manager: EntityManager,
  where: Where,
  { skip, take }: Window,
  from?: Position,
): Promise<ApiKeyEntity[]> {
  const query = queryOf(manager, where);
  if (from) query.andWhere('(key.created_at, key.id) <= (:createdAt, :id)', from);
  return query.orderBy('key.createdAt', 'DESC').addOrderBy('key.id', 'DESC').skip(skip).take(take).getMany();
}

/** No further than `limit`. */
async function countTo(
  manager: EntityManager,
  where: Where,
  limit: number,
  newerThan?: Position,
): Promise<number> {
  const query = queryOf(manager, where).select('1', 'one').limit(limit);
  if (newerThan) query.andWhere('(key.created_at, key.id) > (:createdAt, :id)', newerThan);
  const [sql, parameters] = query.getQueryAndParameters();
  const [row] = await manager.query<{ count: string }[]>(
    `SELECT count(*) AS count FROM (${sql}) few`,
    parameters,
  );
  return Number(row?.count ?? 0);
}

const countNewer = (manager: EntityManager, where: Where, newest: Position | undefined): Promise<number> =>
  newest ? countTo(manager, where, NEAR, newest) : Promise.resolve(0);

async function makeMarks(manager: EntityManager, where: Where): Promise<Marks | null> {
  const madeAtMs = Date.now();
  const total = await countTo(manager, where, Number.MAX_SAFE_INTEGER);
  if (total <= NEAR) return null;
  const stride = Math.max(STRIDE, Math.ceil(total / MARKS_MAX));
  const [sql, parameters] = queryOf(manager, where)
    .select('key.createdAt', 'created_at')
    .addSelect('key.id', 'id')
    .addSelect('row_number() OVER (ORDER BY key.created_at DESC, key.id DESC)', 'place')
    .getQueryAndParameters();
  const rows = await manager.query<{ created_at: Date; id: string }[]>(
    `SELECT created_at, id FROM (${sql}) numbered WHERE place % ${String(stride)} = 1 ORDER BY place`,
    parameters,
  );
  const positions = rows.map(({ created_at: createdAt, id }) => ({ createdAt, id }));
  return { madeAtMs, total, stride, positions };
}
