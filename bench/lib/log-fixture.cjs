'use strict';

/** A database for benchmarks of the log, and a generator of logs of 30 days with their rollups. */
const { chmodSync, mkdirSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
require('../../tools/typescript.cjs');
require('reflect-metadata');
const { DataSource } = require('typeorm');
const { EmbeddedPostgres } = require('../../libs/embedded-postgres/src/index.ts');
const { dataSourceOptions } = require('../../libs/entities/src/index.ts');
const {
  buildRollups,
  dayOf,
  ensureLogPartitions,
  mergeRollups,
  ROLLED_UP_COLUMNS,
  zoneDay,
} = require('../../libs/log-store/src/index.ts');
const { ORGANISATION, WORKSPACES } = require('./log-records.cjs');

const DAYS = 30;
/** Longer than the time after its end until a range of the rollups is built. */
const BUILT_AFTER_MS = 1_000_000;

/**
 * Inserts the rows of one day, in the order of time: workspaces and models of different use, ten members for each workspace, each with
 * a key, a user, a team, one route and three models; one failure in twenty, times that grow with the tokens.
 * @param {string} table
 */
const FILL = (table) => `
INSERT INTO ${table} (id, created_at, organisation_id, workspace_id, api_key_id, user_id, trace_id, span_id, parent_span_id,
  method, url, route, status, outcome, error_type, provider, credential, model, response_model, streamed, input_tokens,
  output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, input_audio_tokens, output_audio_tokens,
  cost, priced, config_id, target_path, retries, cache_status, metadata, duration_ms, first_byte_ms, overhead_ms,
  request_bytes, response_bytes, request_content_type, response_content_type, request_body_truncated, response_body_truncated,
  gateway_id, decision)
SELECT gen_random_uuid(), $1::timestamptz + s * interval '1 day', '${ORGANISATION}',
  ('22222222-2222-4222-8222-' || lpad(w::text, 12, '0'))::uuid,
  ('33333333-3333-4333-8333-' || lpad((w * 10 + member)::text, 12, '0'))::uuid,
  NULL, md5((n / 3)::text || $1), 'span-' || n, CASE WHEN n % 3 = 0 THEN NULL ELSE 'span-' || (n - n % 3) END,
  'POST', '/v1/chat/completions', CASE WHEN member < 8 THEN 'chat.completions' WHEN member < 9 THEN 'embeddings' ELSE 'messages' END,
  CASE WHEN b < 0.95 THEN 200 WHEN b < 0.97 THEN 429 WHEN b < 0.99 THEN 500 ELSE 401 END,
  CASE WHEN b < 0.95 THEN 'ok' WHEN b < 0.99 THEN 'provider_error' ELSE 'denied' END,
  CASE WHEN b < 0.95 THEN NULL WHEN b < 0.99 THEN 'provider_error' ELSE 'api_key_invalid' END,
  CASE WHEN m < 5 THEN 'openai' WHEN m < 8 THEN 'anthropic' ELSE 'mistral-ai' END, 'main-' || m, 'model-' || m, 'model-' || m,
  c < 0.4, floor(c * 4000)::int, floor(d * 800)::int, floor(c * 4000)::int + floor(d * 800)::int, 0, 0, 0, 0, 0,
  floor(c * 500000)::bigint, 'priced', CASE WHEN w = 0 THEN 'pc-main' ELSE 'pc-others' END, 'config', CASE WHEN d > 0.97 THEN 1 ELSE 0 END,
  CASE WHEN member > 3 THEN 'DISABLED' WHEN d < 0.2 THEN 'HIT' ELSE 'MISS' END,
  jsonb_build_object('_user', 'user-' || (w * 10 + member), 'team', 'team-' || w % 20, 'environment', 'production'),
  200 + d * 4000, 150 + c * 300, 0.4 + a, floor(c * 8000)::int, floor(d * 4000)::int, 'application/json', 'application/json',
  false, false, 'gateway-' || floor(a * 3)::int,
  '{"config":{"source":"key","slug":"pc-main","versionId":null},"strategy":["fallback"],"matchedCondition":null,"attempts":[],"limits":[],"guardrails":[],"cache":{"status":"DISABLED","key":null},"price":null,"stages":{"accept":0.1}}'
FROM (SELECT *, (w * 7 + member + floor(e * e * 3)::int) % 10 AS m
  FROM (SELECT n, random() s, random() a, random() b, random() c, random() d, random() e, floor(random() * 10)::int AS member,
        floor(random() * random() * random() * ${WORKSPACES})::int w
      FROM generate_series(1, $2::int) n) drawn) rows
ORDER BY s`;

/** @param {number} day Days since 1970. */
const isoOf = (day) => new Date(day * 86_400_000).toISOString();

/**
 * Creates `rows` logs in 30 days; rollups and zone maps are built by the product's code. Returns the rows per second.
 * @param {DataSource} source
 * @param {number} rows
 * @param {(line: string) => void} note
 */
async function fillLogs(source, rows, note) {
  const today = dayOf(new Date());
  const startedAt = performance.now();
  const columns = ROLLED_UP_COLUMNS.join(', ');
  const first = new Date((today - DAYS) * 86_400_000);
  await source.query('UPDATE usage_built SET until = $1 WHERE grain > 15', [first]);
  for (let day = today - DAYS; day < today; day += 1) {
    const [from, to] = [isoOf(day), isoOf(day + 1)];
    const table = `request_logs_${from.slice(0, 10).replaceAll('-', '')}`;
    // Indexes are built when the day is attached: ten times as fast as row by row.
    await source.query(`CREATE TABLE ${table} (LIKE request_logs INCLUDING DEFAULTS INCLUDING STORAGE)`);
    await source.query(FILL(table), [from, Math.ceil(rows / DAYS)]);
    await source.query(
      `ALTER TABLE request_logs ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
    await source.query(
      `INSERT INTO usage_pending (${columns}, sign) SELECT ${columns}, 1 FROM ${table} ORDER BY created_at`,
    );
    await mergeRollups(source, 500_000);
    await buildRollups(source, new Date((day + 1) * 86_400_000 + BUILT_AFTER_MS));
    await source.query('VACUUM usage_pending');
    // Without statistics, each of the next steps would sort the day.
    await source.query(`ANALYZE ${table}`);
    await zoneDay(source, new Date(from));
    note(`filled ${from.slice(0, 10)}`);
  }
  await ensureLogPartitions(source, [today]);
  await source.query('VACUUM (ANALYZE)');
  return (rows / (performance.now() - startedAt)) * 1_000;
}

/**
 * Runs a function with a Postgres that has the schema of the product, in the folder `keep` or in one that is removed afterwards.
 * @param {{ keep?: string | undefined, poolSize?: number, settings?: Record<string, string> }} options
 * @param {(source: DataSource, server: EmbeddedPostgres) => Promise<void>} run
 */
async function withLogDatabase({ keep, poolSize = 12, settings = {} }, run) {
  const folder = keep === undefined ? mkdtempSync(join(tmpdir(), 'tollgate-bench-logs-')) : resolve(keep);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711);
  const server = new EmbeddedPostgres({
    home: join(folder, 'postgres'),
    password: 'bench-only',
    logFile: join(folder, 'postgres.log'),
    settings,
  });
  await server.start();
  const options = { url: server.url, poolSize, applicationName: 'bench', statementTimeoutMs: 0 };
  const source = new DataSource(dataSourceOptions(options));
  try {
    await source.initialize();
    await source.runMigrations();
    await run(source, server);
  } finally {
    if (source.isInitialized) await source.destroy();
    await server.stop();
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { DAYS, fillLogs, isoOf, withLogDatabase };
