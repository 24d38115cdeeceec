import type { AnalyticsQueryCase } from '@gw/analytics';
import { analyticsQueries, analyticsContract, analyticsSample, expectedRows } from '@gw/testing';
import { readSettings } from '@gw/kernel';
import { ClickHouseAnalytics } from './clickhouse-analytics';
import { ANALYTICS_STORE_SETTINGS } from './settings';
import { factsTable } from './facts-table';
import { startEngine, type Engine } from './spec-support/engine';

/** Folder of the installed engine; `npm run test:clickhouse` sets it. */
const { CLICKHOUSE_ENGINE: folder } = process.env;
const NO_PROXY = { HTTPS_PROXY: null, HTTP_PROXY: null, NO_PROXY: '' };

describe('ANALYTICS_STORE_SETTINGS', () => {
  it('defaults to Postgres, and refuses an invalid table name', () => {
    expect(readSettings(ANALYTICS_STORE_SETTINGS, {}).ANALYTICS_STORE).toBe('postgres');
    expect(() => readSettings(ANALYTICS_STORE_SETTINGS, { ANALYTICS_LOG_TABLE: 'a; DROP TABLE b' })).toThrow(
      'ANALYTICS_LOG_TABLE must be a plain name',
    );
  });

  it('requires an endpoint for ClickHouse', () => {
    const settings = readSettings(ANALYTICS_STORE_SETTINGS, { ANALYTICS_STORE: 'clickhouse' });
    expect(() => new ClickHouseAnalytics({ ...settings, ...NO_PROXY })).toThrow('ANALYTICS_STORE_ENDPOINT');
  });
});

// The engine has half a gigabyte and is no dependency; without it these tests do not run.
if (folder !== undefined) {
  describe('ClickHouseAnalytics, on the engine of ClickHouse', () => {
    let engine: Engine;
    let store: ClickHouseAnalytics;
    beforeAll(async () => {
      engine = await startEngine(folder);
      const settings = readSettings(ANALYTICS_STORE_SETTINGS, {
        ANALYTICS_STORE: 'clickhouse',
        ANALYTICS_STORE_ENDPOINT: engine.url,
      });
      store = new ClickHouseAnalytics({ ...settings, ...NO_PROXY });
      await store.prepare();
      await store.prepare();
    });
    afterAll(async () => {
      await engine.stop();
    });

    it('adds missing columns to a table of an earlier release, and counts its old rows by status only', async () => {
      const table = 'earlier_release';
      const command = async (statement: string): Promise<void> => {
        const { status } = await fetch(engine.url, { method: 'POST', body: statement });
        expect(status).toBe(200);
      };
      await command(factsTable(table).replace(/^ *outcome .*\n/m, ''));
      const settings = readSettings(ANALYTICS_STORE_SETTINGS, {
        ANALYTICS_STORE: 'clickhouse',
        ANALYTICS_STORE_ENDPOINT: engine.url,
        ANALYTICS_LOG_TABLE: table,
      });
      const earlier = new ClickHouseAnalytics({ ...settings, ...NO_PROXY });
      const now = Date.now();
      const rows = analyticsSample(50, now);
      const sample = analyticsQueries(now)['all of an organisation'] as AnalyticsQueryCase;
      const query = { ...sample, measures: ['errors', 'successes'] as const };
      const byStatus = rows.map((row) => ({ ...row, outcome: '' as typeof row.outcome }));
      await command(`ALTER TABLE ${table} ADD COLUMN outcome String`);
      await earlier.add(rows);
      await command(`ALTER TABLE ${table} DROP COLUMN outcome`);
      await earlier.prepare();
      expect(await earlier.rows(query)).toEqual(expectedRows(query, byStatus));
      const later = analyticsSample(50, now, 2);
      await earlier.add(later);
      expect(await earlier.rows(query)).toEqual(expectedRows(query, [...byStatus, ...later]));
    });

    analyticsContract(
      () => store,
      async (rows) => {
        // Simulates re-pricing: the newest row of a request counts.
        await store.add(rows.slice(0, 100).map((row) => ({ ...row, cost: 1 })));
        await store.add(rows);
        // A batch may be repeated, completely or in part.
        await store.add(rows.slice(100, 300));
      },
    );
  });
}
