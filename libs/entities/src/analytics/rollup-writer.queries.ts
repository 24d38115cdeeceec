import { LATENCY_BOUNDS } from '@gw/analytics';
import type { DataSource, EntityManager } from 'typeorm';
import { storableJson } from '../logs/storable';
import type { RequestLogRow } from '../logs/request-log-row';

/** Minutes that one row stands for. */
export const GRAINS = [15, 60, 360] as const;
export type Grain = (typeof GRAINS)[number];

/** Days that rows of each grain are kept. */
export const ROLLUP_RETENTION_DAYS: Readonly<Record<Grain, number>> = {
  15: 32,
  60: 366,
  360: 366,
};

/** Columns that tell rows apart, beside the organisation, the time and the metadata. */
const DIMENSIONS = [
  'workspace_id',
  'api_key_id',
  'user_id',
  'provider',
  'credential',
  'model',
  'config_id',
  'prompt_slug',
  'route',
  'request_type',
  'status',
  'cache_status',
  'retries',
  'fell_back',
] as const satisfies readonly (keyof RequestLogRow)[];

/** Those of graphs and summaries that name no key, user, config or prompt: they tell few rows apart. */
export const OVERVIEW_DIMENSIONS = [
  'workspace_id',
  'provider',
  'credential',
  'model',
  'request_type',
  'status',
  'cache_status',
  'retries',
  'fell_back',
] as const satisfies readonly (typeof DIMENSIONS)[number][];

/** Columns that add up and are found in the log as they are. */
const AMOUNTS = ['cost', 'saved_cost', 'input_tokens', 'output_tokens', 'total_tokens'] as const;

/** What of a log row is rolled up. */
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
 * Adds requests up, in the transaction that stores them; give only those that are new (`insertLogs` does it by itself where it is told to). A log
 * row that is corrected later is taken out as it was (`sign` -1) and put in as it is, in the transaction that corrects it; what was
 * taken out for good still counts for when its group was first and last seen. Requests of nobody are left out.
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
/** Of one transaction. It stands in nobody's way, and one that a busy machine cut short would never be done. */
const MERGE_TIMEOUT = '10min';
const MERGER = 'tollgate:usage-pending';

/** Merges what is pending into the rollups; what another merges at the same time is left to it. Returns how many requests that were. */
export async function mergeRollups(source: DataSource, atOnce = MERGED_AT_ONCE): Promise<number> {
  let merged = 0;
  for (let found = atOnce; found === atOnce; merged += found) {
    found = await source.transaction(async (manager) => {
      const [lock]: { free: boolean }[] = await manager.query(
        'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free',
        [MERGER],
      );
      if (!lock?.free) return 0;
      // With little memory the groups of a large merge go to the disk.
      await manager.query(`SET LOCAL work_mem = '64MB'; SET LOCAL statement_timeout = '${MERGE_TIMEOUT}'`);
      const [taken]: { count: number }[] = await manager.query(MERGE, [LATENCY_BOUNDS, atOnce]);
      return taken?.count ?? 0;
    });
  }
  return merged;
}

/** A digest of what tells series apart; of two spellings of one series, both would be counted, and none twice. */
const seriesOf = (columns: readonly string[]): string => `md5(ROW(${columns.join(', ')})::text)::uuid`;

const SUMS = ['requests', ...AMOUNTS, 'duration_us'];

/** Facts whose `series` is null have no place in the table. */
interface Target {
  readonly table: string;
  readonly series: string;
  readonly dimensions: readonly string[];
  /** Where it is not the column of the facts. */
  readonly metadata?: string;
}

/** Requests of one row from which on each bucket of its histogram is named once. Fewer take less time to read than to put together. */
const COMPACTED_FROM = 32;

/** One element for each bucket, from `buckets` and `counts` that may name it many times; null for nothing. */
const compacted = (buckets: string, counts: string): string =>
  `SELECT array_agg(bucket ORDER BY bucket) AS buckets, array_agg(counted ORDER BY bucket) AS counts
   FROM (SELECT bucket, sum(amount)::integer AS counted FROM unnest(${buckets}, ${counts}) AS both_of (bucket, amount)
     GROUP BY bucket HAVING sum(amount) <> 0) AS merged`;

function mergeInto({ table, series, dimensions, metadata = 'metadata' }: Target): string {
  const summed = [...SUMS, 'first_at', 'last_at'];
  const columns = ['organisation_id', 'grain', 'at', 'series', ...dimensions, ...summed];
  const told = dimensions.map((name) => `any_value(${name === 'metadata' ? metadata : name}) AS ${name}`);
  const manyOf = (array: string): string =>
    `CASE WHEN added.requests >= ${String(COMPACTED_FROM)} THEN added.${array} END`;
  return `INSERT INTO ${table} AS known (${columns.join(', ')}, latency_buckets, latency_counts)
    SELECT ${columns.map((name) => `added.${name}`).join(', ')}, coalesce(few.buckets, added.buckets), coalesce(few.counts, added.counts)
    FROM (
      SELECT organisation_id, grain, date_bin(grain * interval '1 minute', created_at, 'epoch') AS at, ${series} AS series, ${told.join(', ')},
        sum(sign) AS requests, ${[...AMOUNTS, 'duration_us'].map((name) => `coalesce(sum(sign * ${name}), 0) AS ${name}`).join(', ')},
        min(created_at) AS first_at, max(created_at) AS last_at, array_agg(bucket) AS buckets, array_agg(sign::integer) AS counts
      FROM facts CROSS JOIN (VALUES ${GRAINS.map((grain) => `(${String(grain)}::smallint)`).join(', ')}) AS grains (grain)
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

const TARGETS: readonly Target[] = [
  { table: 'usage_rollups', series: 'series', dimensions: DIMENSIONS },
  { table: 'usage_metadata_rollups', series: 'described', dimensions: [...DIMENSIONS, 'metadata'] },
  { table: 'usage_overviews', series: 'overview', dimensions: OVERVIEW_DIMENSIONS },
  {
    table: 'usage_users',
    series: 'user_series',
    dimensions: ['workspace_id', 'metadata'],
    metadata: 'user_metadata',
  },
];

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
  ), ${TARGETS.map((target) => `into_${target.table} AS (${mergeInto(target)})`).join(', ')}
  SELECT count(*)::integer AS count FROM taken`;

/** Rows of one statement. */
const DROPPED_AT_ONCE = 10_000;

/** Removes rows that are older than their grain is kept, in small steps; what `steps` leaves is for the next time. */
export async function dropOldRollups(source: DataSource, now: Date, steps = 1_000): Promise<number> {
  let [dropped, left] = [0, steps];
  for (const { table } of TARGETS) {
    for (const grain of GRAINS) {
      const before = new Date(now.getTime() - ROLLUP_RETENTION_DAYS[grain] * 86_400_000);
      for (let found = DROPPED_AT_ONCE; found === DROPPED_AT_ONCE && left > 0; left -= 1) {
        const [, count]: [unknown, number] = await source.query(
          `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM ${table} WHERE grain = $1 AND at < $2 LIMIT ${String(DROPPED_AT_ONCE)}))`,
          [grain, before],
        );
        dropped += count;
        found = count;
      }
    }
  }
  return dropped;
}
