import { ApiKeyEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';

/** A list of up to so many rows is counted and read as it is at this moment. */
const NEAR = 2_000;
/** Rows between two marks; more where a list would have too many marks. */
const STRIDE = 500;
const MARKS_MAX = 5_000;
const FRESH_MS = 30_000;
/** Marks that took long are kept for so many times as long: to make them again takes a twentieth of one connection at most. */
const FRESH_TIMES = 20;
/** New rows that are counted on top of the marks; more, and the marks are made again at once. */
const NEWER_MAX = 10_000;
/** Lists whose marks are kept; the one that was read longest ago goes. */
const LISTS_MAX = 100;

interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** Where the rows of a long list were, newest first. */
interface Marks {
  readonly staleAtMs: number;
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
 * of a list beyond 2,000 rows the count and the places of some of its rows are kept, and looked up again in the background once
 * they are 30 seconds old, later where that takes long. New keys are counted on top, so that no page misses one; the count may be
 * late by what was deleted since.
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
    if (marks.staleAtMs < Date.now()) void this.mark(where, key).catch(() => undefined);
    let fresh = await countNewer(manager, where, marks.positions[0]);
    if (fresh === NEWER_MAX) {
      marks = (await this.mark(where, key)) ?? marks;
      fresh = await countNewer(manager, where, marks.positions[0]);
    }
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
    const marking = makeMarks(this.dataSource.manager, where)
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
  // The rows that are skipped are read from the index alone: to fetch them takes fifty times as long.
  const places = queryOf(manager, where).select('key.id');
  if (from) places.andWhere('(key.created_at, key.id) <= (:createdAt, :id)', from);
  newestFirst(places).offset(skip).limit(take);
  const query = manager
    .createQueryBuilder(ApiKeyEntity, 'row')
    .where(`row.id IN (${places.getQuery()})`)
    .setParameters(places.getParameters());
  return newestFirst(query).getMany();
}

const newestFirst = (query: SelectQueryBuilder<ApiKeyEntity>): SelectQueryBuilder<ApiKeyEntity> =>
  query.orderBy(`${query.alias}.createdAt`, 'DESC').addOrderBy(`${query.alias}.id`, 'DESC');

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
  newest ? countTo(manager, where, NEWER_MAX, newest) : Promise.resolve(0);

/** Null for a list of up to `NEAR` rows. Reads the index once. */
async function makeMarks(manager: EntityManager, where: Where): Promise<Marks | null> {
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
