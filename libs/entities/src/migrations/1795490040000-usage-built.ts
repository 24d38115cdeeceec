import type { MigrationInterface, QueryRunner } from 'typeorm';
import { summarise, USAGE_COLUMNS } from './1795490010000-usage-pending';

const TABLES = ['usage_rollups', 'usage_metadata_rollups', 'usage_overviews', 'usage_users'] as const;

/**
 * Until when the rows of hours and six hours are made. Before, each request was added to a row of every grain; now to its quarter alone, and
 * the others are made of those once they are over.
 */
const BUILT = `CREATE TABLE usage_built (grain smallint PRIMARY KEY, until timestamptz NOT NULL)`;

const COARSE = [
  [60, '1 hour'],
  [360, '6 hours'],
] as const;

export class UsageBuilt1795490040000 implements MigrationInterface {
  readonly name = 'UsageBuilt1795490040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BUILT);
    await runner.query(`INSERT INTO usage_built (grain, until) VALUES (15, 'infinity'),
      ${COARSE.map(([grain, size]) => `(${String(grain)}, date_bin('${size}', now(), 'epoch'))`).join(', ')}`);
    for (const table of TABLES) {
      await runner.query(
        `DELETE FROM ${table} USING usage_built AS built WHERE ${table}.grain = built.grain AND ${table}.at >= built.until`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      for (const [grain, size] of COARSE) {
        const left = `at >= (SELECT until FROM usage_built WHERE grain = ${String(grain)})`;
        await runner.query(`DELETE FROM ${table} WHERE grain = ${String(grain)} AND ${left}`);
        await runner.query(
          summarise({
            into: table,
            from: `${table} WHERE grain = 15 AND ${left}`,
            columns: USAGE_COLUMNS[table],
            series: 'series',
            grain: `${String(grain)}::smallint`,
            at: `date_bin('${size}', at, 'epoch')`,
          }),
        );
      }
    }
    await runner.query('DROP TABLE usage_built');
  }
}
