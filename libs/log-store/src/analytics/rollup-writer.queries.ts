import { LATENCY_BOUNDS } from '@gw/analytics';
import { storableJson } from '@gw/kernel';
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
 * Counts requests in the rollups, in the transaction that stores them. Pass only requests that are
 * new; `insertLogs` does this itself with the option `rollUp`. To correct a log row, remove its old
 * values (`sign` -1) and add the new ones in the same transaction. A request that is removed for
 * good still counts for the first and last time of its group. Requests without an owner are not
 * counted.
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

/** Maximum number of requests that one transaction merges. */
const MERGED_AT_ONCE = 50_000;

/**
 * Merges pending requests into the rollups of quarters of an hour, and into those of hours and six
 * hours that are already built. Returns the number of merged requests. It stops early while another
 * process changes the rollups.
 */
export async function mergeRollups(source: DataSource, atOnce = MERGED_AT_ONCE): Promise<number> {
  let merged = 0;
  for (let found = atOnce; found === atOnce; merged += found) {
    const rows = await inTurn(source, (query) => query<{ count: number }>(MERGE, [LATENCY_BOUNDS, atOnce]));
    found = rows?.[0]?.count ?? 0;
  }
  return merged;
}

/**
 * Number of requests in a row from which the merge compacts its histogram to one entry for each
 * bucket. Shorter histograms take less time to read than to compact.
 */
const COMPACTED_FROM = 32;

/**
 * Returns SQL that sums a histogram to one entry for each bucket. `buckets` may name a bucket
 * several times; the result is null for an empty histogram.
 */
const compacted = (buckets: string, counts: string): string =>
  `SELECT array_agg(bucket ORDER BY bucket) AS buckets, array_agg(counted ORDER BY bucket) AS counts
   FROM (SELECT bucket, sum(amount)::integer AS counted FROM unnest(${buckets}, ${counts}) AS entries (bucket, amount)
     GROUP BY bucket HAVING sum(amount) <> 0) AS merged`;

function mergeInto({ table, series, dimensions, metadata = 'metadata' }: RollupTable): string {
  const summed = [...SUMS, 'first_at', 'last_at'];
  const columns = ['organisation_id', 'grain', 'at', 'series', ...dimensions, ...summed];
  const anyValues = dimensions.map(
    (name) => `any_value(${name === 'metadata' ? metadata : name}) AS ${name}`,
  );
  const ifMany = (array: string): string =>
    `CASE WHEN added.requests >= ${String(COMPACTED_FROM)} THEN added.${array} END`;
  return `INSERT INTO ${table} AS stored (${columns.join(', ')}, latency_buckets, latency_counts)
    SELECT ${columns.map((name) => `added.${name}`).join(', ')}, coalesce(compact.buckets, added.buckets), coalesce(compact.counts, added.counts)
    FROM (
      SELECT organisation_id, grain, date_bin(grain * interval '1 minute', created_at, 'epoch') AS at, ${series} AS series, ${anyValues.join(', ')},
        sum(sign) AS requests, ${[...AMOUNTS, 'duration_us'].map((name) => `coalesce(sum(sign * ${name}), 0) AS ${name}`).join(', ')},
        min(created_at) AS first_at, max(created_at) AS last_at, array_agg(bucket) AS buckets, array_agg(sign::integer) AS counts
      FROM facts JOIN usage_built AS built ON facts.created_at < built.until
      WHERE ${series} IS NOT NULL
      GROUP BY organisation_id, grain, 3, ${series}
    ) AS added CROSS JOIN LATERAL (${compacted(ifMany('buckets'), ifMany('counts'))}) AS compact
    ON CONFLICT (organisation_id, grain, at, series) DO UPDATE SET
      ${SUMS.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')},
      first_at = least(stored.first_at, excluded.first_at),
      last_at = greatest(stored.last_at, excluded.last_at),
      (latency_buckets, latency_counts) = (
        SELECT coalesce(buckets, '{}'), coalesce(counts, '{}') FROM (${compacted(
          'stored.latency_buckets || excluded.latency_buckets',
          'stored.latency_counts || excluded.latency_counts',
        )}) AS combined)`;
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
