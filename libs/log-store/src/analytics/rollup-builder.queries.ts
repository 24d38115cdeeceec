import { MINUTE_MS } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import type { Grain } from './rollup-grains';
import { ROLLUP_TABLES, SUMS, type RollupTable } from './rollup-tables';
import { inTurn } from './rollup-turn';
import type { BuiltUntil } from './sources';

/**
 * Returns, by grain, the time until which its rollups are complete, in Unix milliseconds. Rollups
 * of quarters of an hour are always complete (Infinity). Later records of a complete range are
 * merged directly into its rows.
 */
export async function rollupsBuiltUntil(source: DataSource | EntityManager): Promise<BuiltUntil> {
  const rows: { grain: Grain; until: string }[] = await source.query(
    'SELECT grain, extract(epoch FROM until) AS until FROM usage_built',
  );
  return Object.fromEntries(rows.map(({ grain, until }) => [grain, Number(until) * 1_000])) as Record<
    Grain,
    number
  >;
}

/**
 * Delay after the end of a range before its rollup is built. A record that arrives later costs one
 * more row to write.
 */
const BUILT_AFTER_MS = 600_000;
/** The finer grain from which each grain is built. */
const FROM_FINER: readonly (readonly [grain: Grain, finer: Grain])[] = [
  [60, 15],
  [360, 60],
];

/**
 * Builds the rollups of hours, and of six hours, whose time ended at least ten minutes before
 * `now`. It stops early while another process builds or merges rollups.
 */
export async function buildRollups(source: DataSource, now: Date): Promise<void> {
  for (const [grain, finer] of FROM_FINER) while (await buildNext(source, grain, finer, now));
}

/**
 * Builds the next range of a grain in one transaction. Returns false if that range is not over yet
 * or another process changes the rollups.
 */
async function buildNext(source: DataSource, grain: Grain, finer: Grain, now: Date): Promise<boolean> {
  const isBuilt = await inTurn(source, async (query, manager) => {
    const { [grain]: from, [finer]: finerUntil } = await rollupsBuiltUntil(manager);
    const end = from + grain * MINUTE_MS;
    if (end > Math.min(finerUntil, now.getTime() - BUILT_AFTER_MS)) return false;
    const range = [new Date(from), new Date(end)];
    for (const target of ROLLUP_TABLES) {
      // An older release, which does not know `usage_built`, may have left rows here.
      await query(
        `DELETE FROM ${target.table} WHERE grain = ${String(grain)} AND at >= $1 AND at < $2`,
        range,
      );
      await query(build(target, grain, finer), range);
    }
    await manager.query('UPDATE usage_built SET until = $2 WHERE grain = $1', [grain, range[1]]);
    return true;
  });
  return isBuilt === true;
}

function build({ table, dimensions }: RollupTable, grain: Grain, finer: Grain): string {
  const summed = SUMS.map((name) => `sum(${name}) AS ${name}`);
  const anyValues = dimensions.map((name) => `any_value(${name}) AS ${name}`);
  const columns = [...SUMS, 'first_at', 'last_at', ...dimensions].join(', ');
  return `WITH finer AS (
      SELECT * FROM ${table} WHERE grain = ${String(finer)} AND at >= $1 AND at < $2
    ), counted AS (
      SELECT organisation_id, series, bucket, sum(amount)::integer AS amount
      FROM finer CROSS JOIN LATERAL unnest(latency_buckets, latency_counts) AS counts (bucket, amount)
      GROUP BY 1, 2, 3 HAVING sum(amount) <> 0
    ), histograms AS (
      SELECT organisation_id, series, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(amount ORDER BY bucket) AS counts
      FROM counted GROUP BY 1, 2
    ), coarse AS (
      SELECT organisation_id, series, ${[...summed, 'min(first_at) AS first_at', 'max(last_at) AS last_at', ...anyValues].join(', ')}
      FROM finer GROUP BY organisation_id, series
    )
    INSERT INTO ${table} (organisation_id, grain, at, series, ${columns}, latency_buckets, latency_counts)
    SELECT organisation_id, ${String(grain)}, $1, series, ${columns}, coalesce(buckets, '{}'), coalesce(counts, '{}')
    FROM coarse LEFT JOIN histograms USING (organisation_id, series)`;
}
