import { ApiKeyEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import { isNewestFirst, orderRows, type ListOrder } from '../../platform/resource/list-order';

/** Lists of at most this many rows are counted and read directly, without marks. */
const NEAR = 2_000;
/**
 * Number of rows between two marks. A list that would need more than `MARKS_MAX` marks uses a
 * multiple of it.
 */
const STRIDE = 500;
const MARKS_MAX = 5_000;
const FRESH_MS = 30_000;
/**
 * Marks stay fresh for at least this multiple of the time that it took to compute them, so that
 * computing uses at most 1/20 of one connection.
 */
const FRESH_TIMES = 20;
/**
 * Maximum number of new rows that are counted in addition to the marks. When it is reached, the
 * marks are computed again immediately.
 */
const NEWER_MAX = 10_000;
/** Maximum number of lists with cached marks; the least recently used list is evicted. */
const LISTS_MAX = 100;

interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** Positions of some rows of a long list, newest first, at the time when they were computed. */
interface Marks {
  readonly staleAtMs: number;
  readonly total: number;
  readonly stride: number;
  /** The newest row, then every `stride`-th row. */
  readonly positions: readonly Position[];
}

export interface Window {
  readonly skip: number;
  readonly take: number;
}

type Where = FindOptionsWhere<ApiKeyEntity>;

/**
 * Reads pages of keys from lists of any length, newest first unless the query has another order.
 * Counting a million rows, or skipping them to reach a late page, takes about a second. For lists
 * of more than 2,000 rows this class therefore caches the count and the positions of some rows
 * (marks). It refreshes them in the background when they are 30 seconds old, or later if computing
 * them is slow. New keys are counted in addition, so no page misses them. Until the next refresh, the
 * total may include keys that no longer match, and pages may miss an older key that began to match,
 * for example because its status has changed.
 */
@Injectable()
export class ApiKeyPages {
  private readonly marks = new LRUCache<string, Marks>({ max: LISTS_MAX });
  private readonly marking = new Map<string, Promise<Marks | null>>();

  constructor(private readonly dataSource: DataSource) {}

  async page(
    where: Where,
    key: string,
    window: Window,
    order: ListOrder = {},
  ): Promise<[ApiKeyEntity[], number]> {
    const { manager } = this.dataSource;
    let marks: Marks | null | undefined = this.marks.get(key);
    if (!marks) {
      const count = await countTo(manager, where, NEAR + 1);
      if (count > NEAR) marks = await this.mark(where, key);
      if (!marks) return [await rowsOf(manager, where, window, order), count];
    }
    if (marks.staleAtMs < Date.now()) void this.mark(where, key).catch(() => undefined);
    let fresh = await countNewer(manager, where, marks.positions[0]);
    if (fresh === NEWER_MAX) {
      marks = (await this.mark(where, key)) ?? marks;
      fresh = await countNewer(manager, where, marks.positions[0]);
    }
    const total = marks.total + fresh;
    const at = window.skip - fresh;
    // Marks exist only for the order of creation.
    if (at < NEAR || !isNewestFirst(order)) return [await rowsOf(manager, where, window, order), total];
    const nearest = Math.min(Math.floor(at / marks.stride), marks.positions.length - 1);
    const skip = at - nearest * marks.stride;
    if (at >= marks.total) return [[], total];
    return [
      await rowsOf(manager, where, { skip, take: window.take }, order, marks.positions[nearest]),
      total,
    ];
  }

  /**
   * Computes the marks once for all concurrent callers. Returns null for a list that has become too
   * short for marks.
   */
  private mark(where: Where, key: string): Promise<Marks | null> {
    const running = this.marking.get(key);
    if (running) return running;
    const marking = computeMarks(this.dataSource.manager, where)
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
  order: ListOrder,
  from?: Position,
): Promise<ApiKeyEntity[]> {
  // The inner query reads skipped rows from the index only; reading them from the table takes fifty
  // times as long.
  const places = queryOf(manager, where).select('key.id');
  if (from) places.andWhere('(key.created_at, key.id) <= (:createdAt, :id)', from);
  orderRows(places, order).offset(skip).limit(take);
  const query = manager
    .createQueryBuilder(ApiKeyEntity, 'row')
    .where(`row.id IN (${places.getQuery()})`)
    .setParameters(places.getParameters());
  return orderRows(query, order).getMany();
}

/** Counts the rows, at most up to `limit`. */
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
  newest ? countTo(manager, where, NEWER_MAX, newest) : Promise.resolve(0);

/**
 * Computes the marks of a list with one scan of the index; null for a list of at most `NEAR` rows.
 */
async function computeMarks(manager: EntityManager, where: Where): Promise<Marks | null> {
  const startedAtMs = Date.now();
  const [sql, parameters] = queryOf(manager, where)
    .select('key.createdAt', 'created_at')
    .addSelect('key.id', 'id')
    .getQueryAndParameters();
  const rows = await manager.query<{ created_at: Date; id: string; place: string }[]>(
    `SELECT created_at, id, place
     FROM (SELECT created_at, id, row_number() OVER newest AS place, lead(id) OVER newest IS NULL AS is_last
           FROM (${sql}) listed WINDOW newest AS (ORDER BY created_at DESC, id DESC)) numbered
     WHERE place % ${String(STRIDE)} = 1 OR is_last
     ORDER BY place`,
    parameters,
  );
  const total = Number(rows.at(-1)?.place ?? 0);
  if (total <= NEAR) return null;
  const marked = rows.filter(({ place }) => Number(place) % STRIDE === 1);
  const every = Math.ceil(marked.length / MARKS_MAX);
  const positions = marked
    .filter((_row, index) => index % every === 0)
    .map(({ created_at: createdAt, id }) => ({ createdAt, id }));
  const tookMs = Date.now() - startedAtMs;
  const staleAtMs = startedAtMs + Math.max(FRESH_MS, tookMs * FRESH_TIMES);
  return { staleAtMs, total, stride: STRIDE * every, positions };
}
