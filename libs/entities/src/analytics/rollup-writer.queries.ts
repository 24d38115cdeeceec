import { latencyBucket } from '@gw/analytics';
import { createHash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { storableJson } from '../logs/log-writer.queries';
import type { RequestLogRow } from '../logs/request-log-row';

/** Minutes that one row stands for. */
export const GRAINS = [15, 60] as const;
export type Grain = (typeof GRAINS)[number];

/** Days that rows of each grain are kept. */
export const ROLLUP_RETENTION_DAYS: Readonly<Record<Grain, number>> = { 15: 32, 60: 366 };

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

/** Columns that add up. */
const SUMS = [
  'requests',
  'cost',
  'saved_cost',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'duration_us',
] as const;

/** What of a log row is rolled up. */
export type RolledUpRow = Pick<
  RequestLogRow,
  | (typeof DIMENSIONS)[number]
  | Exclude<(typeof SUMS)[number], 'requests' | 'duration_us'>
  | 'organisation_id'
  | 'created_at'
  | 'metadata'
  | 'duration_ms'
>;

interface Cell {
  readonly place: readonly [organisationId: string, grain: number, at: number, series: string];
  readonly row: RolledUpRow;
  readonly sums: Record<(typeof SUMS)[number], number>;
  first: number;
  last: number;
  readonly latencies: Map<number, number>;
}

type Table = 'usage_rollups' | 'usage_metadata_rollups';

/**
 * Adds requests to the rollups, in the transaction that stores them; give only those that are new. A log row that is corrected later is
 * taken out as it was (`sign` -1) and put in as it is, in the transaction that corrects it; what was taken out for good still counts for when
 * its group was first and last seen. Requests of nobody are left out.
 */
export async function addToRollups(
  manager: EntityManager,
  rows: readonly RolledUpRow[],
  sign: 1 | -1 = 1,
): Promise<void> {
  const owned = rows.filter(({ organisation_id: organisationId }) => organisationId !== null);
  await merge(manager, 'usage_rollups', cellsOf(owned, false, sign));
  const described = owned.filter(({ metadata }) => Object.keys(metadata).length > 0);
  await merge(manager, 'usage_metadata_rollups', cellsOf(described, true, sign));
}

function cellsOf(rows: readonly RolledUpRow[], byMetadata: boolean, sign: 1 | -1): Cell[] {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const createdAt = Date.parse(row.created_at);
    const series = seriesOf(row, byMetadata);
    for (const grain of GRAINS) {
      const size = grain * 60_000;
      const place = [row.organisation_id ?? '', grain, Math.floor(createdAt / size) * size, series] as const;
      const key = place.join(' ');
      let cell = cells.get(key);
      if (!cell) cells.set(key, (cell = emptyCell(place, row, createdAt)));
      add(cell, row, createdAt, sign);
    }
  }
  // In one order, so that two writers never wait for each other's rows.
  return [...cells].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, cell]) => cell);
}

const emptyCell = (place: Cell['place'], row: RolledUpRow, createdAt: number): Cell => ({
  place,
  row,
  sums: Object.fromEntries(SUMS.map((name) => [name, 0])) as Cell['sums'],
  first: createdAt,
  last: createdAt,
  latencies: new Map(),
});

function add(cell: Cell, row: RolledUpRow, createdAt: number, sign: 1 | -1): void {
  const { sums, latencies } = cell;
  sums.requests += sign;
  sums.cost += sign * (row.cost ?? 0);
  sums.saved_cost += sign * (row.saved_cost ?? 0);
  sums.input_tokens += sign * (row.input_tokens ?? 0);
  sums.output_tokens += sign * (row.output_tokens ?? 0);
  sums.total_tokens += sign * (row.total_tokens ?? 0);
  sums.duration_us += sign * Math.round(row.duration_ms * 1_000);
  cell.first = Math.min(cell.first, createdAt);
  cell.last = Math.max(cell.last, createdAt);
  const bucket = latencyBucket(row.duration_ms);
  latencies.set(bucket, (latencies.get(bucket) ?? 0) + sign);
}

/** A UUID in form: 128 bits of a digest, so that two series are never taken for one. */
function seriesOf(row: RolledUpRow, byMetadata: boolean): string {
  const told: unknown[] = DIMENSIONS.map((name) => row[name]);
  if (byMetadata) told.push(Object.entries(row.metadata).sort(([one], [other]) => (one < other ? -1 : 1)));
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 32);
}

async function merge(manager: EntityManager, table: Table, cells: readonly Cell[]): Promise<void> {
  if (cells.length === 0) return;
  const columns = [
    ...['organisation_id', 'grain', 'at', 'series', ...DIMENSIONS],
    ...(table === 'usage_metadata_rollups' ? ['metadata'] : []),
    ...[...SUMS, 'first_at', 'last_at', 'latency_buckets', 'latency_counts'],
  ].join(', ');
  await manager.query(
    `INSERT INTO ${table} AS known (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)
     ON CONFLICT (organisation_id, grain, at, series) DO UPDATE SET
       ${SUMS.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')},
       first_at = least(known.first_at, excluded.first_at),
       last_at = greatest(known.last_at, excluded.last_at),
       (latency_buckets, latency_counts) = (
         SELECT coalesce(array_agg(bucket ORDER BY bucket), '{}'), coalesce(array_agg(counted ORDER BY bucket), '{}')
         FROM (SELECT bucket, sum(amount)::integer AS counted
           FROM unnest(known.latency_buckets || excluded.latency_buckets, known.latency_counts || excluded.latency_counts)
             AS both_of (bucket, amount) GROUP BY bucket HAVING sum(amount) <> 0) AS merged)`,
    [storableJson(cells.map(recordOf))],
  );
}

function recordOf({ place, row, sums, first, last, latencies }: Cell): object {
  const [organisationId, grain, at, series] = place;
  const counted = [...latencies].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other);
  return {
    ...Object.fromEntries(DIMENSIONS.map((name) => [name, row[name]])),
    organisation_id: organisationId,
    grain,
    at: new Date(at).toISOString(),
    series,
    metadata: row.metadata,
    ...sums,
    first_at: new Date(first).toISOString(),
    last_at: new Date(last).toISOString(),
    latency_buckets: counted.map(([bucket]) => bucket),
    latency_counts: counted.map(([, count]) => count),
  };
}

/** Rows of one statement. */
const DROPPED_AT_ONCE = 10_000;

/** Removes rows that are older than their grain is kept, in small steps; what `steps` leaves is for the next time. */
export async function dropOldRollups(source: DataSource, now: Date, steps = 1_000): Promise<number> {
  let [dropped, left] = [0, steps];
  for (const table of ['usage_rollups', 'usage_metadata_rollups'] as const) {
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
