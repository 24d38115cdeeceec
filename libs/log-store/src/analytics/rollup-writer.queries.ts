import { LATENCY_BOUNDS } from '@gw/analytics';
import { storableJson } from '@gw/entities';
import type { DataSource, EntityManager } from 'typeorm';
import type { RequestLogRow } from '../rows/log-columns';
import {
  AMOUNTS,
  DIMENSIONS,
  OVERVIEW_DIMENSIONS,
  ROLLUP_TABLES,
  seriesOf,
  SUMS,
  type RollupTable,
} from './rollup-tables';
import { inTurn } from './rollup-turn';

/** Columns of a log row that are rolled up. */
export const ROLLED_UP_COLUMNS = [
  'organisation_id',
  'created_at',
  ...DIMENSIONS,
  'metadata',
  ...AMOUNTS,
  'duration_ms',
] as const satisfies readonly (keyof RequestLogRow)[];

export type RolledUpRow = Pick<RequestLogRow, (typeof ROLLED_UP_COLUMNS)[number]>;

/**
 * Adds requests up, in the transaction that stores them; give only those that are new (`insertLogs` does it by itself where its options say so). A log
 * row that is corrected later is taken out as it was (`sign` -1) and put in as it is, in the transaction that corrects it; what was
 * taken out for good still counts for when its group was first and last seen. Requests without an owner are left out.
 */
export async function addToRollups(
  manager: EntityManager,
  rows: readonly RolledUpRow[],
  sign: 1 | -1 = 1,
): Promise<void> {
  const owned = rows.filter(({ organisation_id: organisationId }) => organisationId !== null);
  if (owned.length === 0) return;
  const columns = ROLLED_UP_COLUMNS.join(', ');
  await manager.query(
    `INSERT INTO usage_pending (${columns}, sign)
     SELECT ${columns}, $2::smallint FROM json_populate_recordset(NULL::usage_pending, $1::json)`,
    [storableJson(owned), sign],
  );
}

/** Rows that one transaction merges. */
const MERGED_AT_ONCE = 50_000;

/**
 * Merges what is pending into the rollups of quarters of an hour, and into those of hours and six hours that are made already; what another
 * merges at the same time is left to it. Returns how many requests that were.
 */
export async function mergeRollups(source: DataSource, atOnce = MERGED_AT_ONCE): Promise<number> {
  let merged = 0;
  for (let found = atOnce; found === atOnce; merged += found) {
    const taken = await inTurn(source, (query) => query<{ count: number }>(MERGE, [LATENCY_BOUNDS, atOnce]));
    found = taken?.[0]?.count ?? 0;
  }
  return merged;
}

/** Requests of one row from which on each bucket of its histogram is named once. Fewer take less time to read than to put together. */
const COMPACTED_FROM = 32;

/** One element for each bucket, from `buckets` and `counts` that may name it many times; null for nothing. */
const compacted = (buckets: string, counts: string): string =>
  `SELECT array_agg(bucket ORDER BY bucket) AS buckets, array_agg(counted ORDER BY bucket) AS counts
   FROM (SELECT bucket, sum(amount)::integer AS counted FROM unnest(${buckets}, ${counts}) AS both_of (bucket, amount)
     GROUP BY bucket HAVING sum(amount) <> 0) AS merged`;

function mergeInto({ table, series, dimensions, metadata = 'metadata' }: RollupTable): string {
  const summed = [...SUMS, 'first_at', 'last_at'];
  const columns = ['organisation_id', 'grain', 'at', 'series', ...dimensions, ...summed];
  const reported = dimensions.map((name) => `any_value(${name === 'metadata' ? metadata : name}) AS ${name}`);
  const manyOf = (array: string): string =>
    `CASE WHEN added.requests >= ${String(COMPACTED_FROM)} THEN added.${array} END`;
  return `INSERT INTO ${table} AS known (${columns.join(', ')}, latency_buckets, latency_counts)
    SELECT ${columns.map((name) => `added.${name}`).join(', ')}, coalesce(few.buckets, added.buckets), coalesce(few.counts, added.counts)
    FROM (
      SELECT organisation_id, grain, date_bin(grain * interval '1 minute', created_at, 'epoch') AS at, ${series} AS series, ${reported.join(', ')},
        sum(sign) AS requests, ${[...AMOUNTS, 'duration_us'].map((name) => `coalesce(sum(sign * ${name}), 0) AS ${name}`).join(', ')},
        min(created_at) AS first_at, max(created_at) AS last_at, array_agg(bucket) AS buckets, array_agg(sign::integer) AS counts
      FROM facts JOIN usage_built AS built ON facts.created_at < built.until
      WHERE ${series} IS NOT NULL
      GROUP BY organisation_id, grain, 3, ${series}
    ) AS added CROSS JOIN LATERAL (${compacted(manyOf('buckets'), manyOf('counts'))}) AS few
    ON CONFLICT (organisation_id, grain, at, series) DO UPDATE SET
      ${SUMS.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')},
      first_at = least(known.first_at, excluded.first_at),
      last_at = greatest(known.last_at, excluded.last_at),
      (latency_buckets, latency_counts) = (
        SELECT coalesce(buckets, '{}'), coalesce(counts, '{}') FROM (${compacted(
          'known.latency_buckets || excluded.latency_buckets',
          'known.latency_counts || excluded.latency_counts',
        )}) AS all_of)`;
}

const MERGE = `WITH taken AS (
    DELETE FROM usage_pending WHERE ctid = ANY(ARRAY(SELECT ctid FROM usage_pending LIMIT $2)) RETURNING *
  ), described AS (
    SELECT *, CASE WHEN metadata ? '_user' THEN jsonb_build_object('_user', metadata -> '_user') END AS user_metadata FROM taken
  ), facts AS MATERIALIZED (
    SELECT *, width_bucket(duration_ms, $1::double precision[])::smallint AS bucket,
      round(duration_ms::numeric * 1000)::bigint AS duration_us,
      ${seriesOf(DIMENSIONS)} AS series,
      ${seriesOf(OVERVIEW_DIMENSIONS)} AS overview,
      CASE WHEN metadata <> '{}' THEN ${seriesOf([...DIMENSIONS, 'metadata'])} END AS described,
      CASE WHEN user_metadata IS NOT NULL THEN ${seriesOf(['workspace_id', 'user_metadata'])} END AS user_series
    FROM described
  ), ${ROLLUP_TABLES.map((target) => `into_${target.table} AS (${mergeInto(target)})`).join(', ')}
  SELECT count(*)::integer AS count FROM taken`;
