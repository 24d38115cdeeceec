// How the log store answers and takes records: fills a database of its own with logs of 30 days, then times pages of lists by filter and
// the ingest of batches. `npm run bench:logs -- [--rows 1000000] [--seconds 10] [--keep <folder>]`; a busy machine makes the figures larger.
const { mkdtempSync, rmSync, mkdirSync, chmodSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { performance } = require('node:perf_hooks');
const { parseArgs } = require('node:util');
require('../tools/typescript.cjs');
require('reflect-metadata');
const { DataSource } = require('typeorm');
const { EmbeddedPostgres } = require('../libs/embedded-postgres/src/index.ts');
const {
  dataSourceOptions,
  dayOf,
  ensureLogPartitions,
  findLog,
  listLogs,
} = require('../libs/entities/src/index.ts');
const { uuidv7 } = require('../libs/kernel/src/index.ts');
const { decodeFrames, encodeFrame } = require('../libs/telemetry/src/index.ts');
const { createLog } = require('../libs/web/src/index.ts');
const { LogBodyPacker } = require('../apps/worker/src/ingest/log-bodies.ts');
const { LogIngest } = require('../apps/worker/src/ingest/log-ingest.ts');
const { LogPartitions } = require('../apps/worker/src/ingest/log-partitions.service.ts');
const { LedgerBook } = require('../apps/worker/src/ledger/ledger-book.ts');

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '10' },
    keep: { type: 'string' },
  },
});
const ROWS = Number(options.rows);
const INGEST_MS = Number(options.seconds) * 1_000;
const DAYS = 30;
const PAGES = 40;
const ORGANISATION = '11111111-1111-4111-8111-111111111111';
const workspace = (n) => `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`;
const key = (n) => `33333333-3333-4333-8333-${String(n).padStart(12, '0')}`;
/** A hundred workspaces; the first has a fifth of all logs, the last hardly any. */
const WORKSPACES = 100;

const note = (text) => process.stderr.write(`${text}\n`);

/** Rows of one day. Ten models by use, one failure in twenty, times that grow with the tokens. */
const FILL = (table) => `
INSERT INTO ${table} (id, created_at, organisation_id, workspace_id, api_key_id, user_id, trace_id, span_id, parent_span_id,
  method, url, route, status, outcome, error_type, provider, credential, model, response_model, streamed, input_tokens,
  output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, input_audio_tokens, output_audio_tokens,
  cost, priced, config_id, target_path, retries, cache_status, metadata, duration_ms, first_byte_ms, overhead_ms,
  request_bytes, response_bytes, request_content_type, response_content_type, request_body_truncated, response_body_truncated,
  gateway_id, decision)
SELECT gen_random_uuid(), $1::timestamptz + s * interval '1 day', '${ORGANISATION}',
  ('22222222-2222-4222-8222-' || lpad(w::text, 12, '0'))::uuid,
  ('33333333-3333-4333-8333-' || lpad((w * 10 + floor(a * 10)::int)::text, 12, '0'))::uuid,
  NULL, md5((n / 3)::text || $1), 'span-' || n, CASE WHEN n % 3 = 0 THEN NULL ELSE 'span-' || (n - n % 3) END,
  'POST', '/v1/chat/completions', CASE WHEN a < 0.8 THEN 'chat.completions' WHEN a < 0.95 THEN 'embeddings' ELSE 'messages' END,
  CASE WHEN b < 0.95 THEN 200 WHEN b < 0.97 THEN 429 WHEN b < 0.99 THEN 500 ELSE 401 END,
  CASE WHEN b < 0.95 THEN 'ok' WHEN b < 0.99 THEN 'provider_error' ELSE 'denied' END,
  CASE WHEN b < 0.95 THEN NULL WHEN b < 0.99 THEN 'provider_error' ELSE 'api_key_invalid' END,
  CASE WHEN m < 5 THEN 'openai' WHEN m < 8 THEN 'anthropic' ELSE 'mistral-ai' END, 'main-' || m, 'model-' || m, 'model-' || m,
  c < 0.4, floor(c * 4000)::int, floor(d * 800)::int, floor(c * 4000)::int + floor(d * 800)::int, 0, 0, 0, 0, 0,
  floor(c * 500000)::bigint, 'priced', 'pc-main', 'config', CASE WHEN d > 0.97 THEN 1 ELSE 0 END,
  CASE WHEN d < 0.1 THEN 'HIT' WHEN d < 0.4 THEN 'MISS' ELSE 'DISABLED' END,
  jsonb_build_object('_user', 'user-' || floor(d * 1000)::int, 'team', 'team-' || floor(a * 20)::int, 'environment', 'production'),
  200 + d * 4000, 150 + c * 300, 0.4 + a, floor(c * 8000)::int, floor(d * 4000)::int, 'application/json', 'application/json',
  false, false, 'gateway-' || floor(a * 3)::int,
  '{"config":{"source":"key","slug":"pc-main","versionId":null},"strategy":["fallback"],"matchedCondition":null,"attempts":[],"limits":[],"guardrails":[],"cache":{"status":"DISABLED","key":null},"price":null,"stages":{"accept":0.1}}'
FROM (SELECT n, random() s, random() a, random() b, random() c, random() d,
        floor(random() * random() * ${WORKSPACES})::int w, floor(random() * random() * 10)::int m
      FROM generate_series(1, $2::int) n) rows`;

async function fill(source) {
  const today = dayOf(new Date());
  const days = Array.from({ length: DAYS }, (_, i) => today - DAYS + i);
  const startedAt = performance.now();
  for (const day of days) {
    const [from, to] = [day, day + 1].map((each) => new Date(each * 86_400_000).toISOString());
    const table = `request_logs_${from.slice(0, 10).replaceAll('-', '')}`;
    // Indexes are built at once when the day is attached: ten times as fast as row by row.
    await source.query(`CREATE TABLE ${table} (LIKE request_logs INCLUDING DEFAULTS INCLUDING STORAGE)`);
    await source.query(FILL(table), [from, Math.ceil(ROWS / DAYS)]);
    await source.query(
      `ALTER TABLE request_logs ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
    note(`filled ${from.slice(0, 10)}`);
  }
  await ensureLogPartitions(source, [today]);
  await source.query('VACUUM (ANALYZE) request_logs');
  return (ROWS / (performance.now() - startedAt)) * 1_000;
}

const percentile = (times, share) => [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)];

const filterOf = (changes, owner = {}) => ({
  owner: { organisationId: ORGANISATION, workspaceId: workspace(0), ...owner },
  values: {},
  ranges: {},
  statuses: [],
  streamed: null,
  metadata: {},
  after: null,
  ...changes,
});
const someDay = () => new Date(Date.now() - Math.random() * DAYS * 86_400_000);
const lastDays = (days) => ({ created_at: { min: new Date(Date.now() - days * 86_400_000) } });

/** By name: filters of a page, another one each time. */
const LISTS = {
  'newest of a workspace': () => filterOf({}),
  'newest of the organisation': () => filterOf({}, { workspaceId: null }),
  'newest of a small workspace': () => filterOf({}, { workspaceId: workspace(90) }),
  'page from anywhere': () => filterOf({ after: { createdAt: someDay(), id: uuidv7() } }),
  'one day': () => {
    const min = someDay();
    return filterOf({ ranges: { created_at: { min, max: new Date(min.getTime() + 86_400_000) } } });
  },
  'by status 401, 1 %': () => filterOf({ statuses: [[401, 401]] }),
  'by class 5xx': () => filterOf({ statuses: [[500, 599]] }),
  'by model': () => filterOf({ values: { model: [`model-${Math.floor(Math.random() * 10)}`] } }),
  'by key': () => filterOf({ values: { api_key_id: [key(Math.floor(Math.random() * 10))] } }),
  'by key of the organisation': () => filterOf({ values: { api_key_id: [key(500)] } }, { workspaceId: null }),
  'by metadata, 1 of 20': () => filterOf({ metadata: { team: 'team-7' } }),
  'by metadata, 1 of 1,000': () =>
    filterOf({ metadata: { _user: `user-${Math.floor(Math.random() * 1_000)}` } }),
  'by metadata that nobody has': () => filterOf({ metadata: { _user: 'nobody' } }),
  'by metadata that nobody has, 7 days': () =>
    filterOf({ metadata: { _user: 'nobody' }, ranges: lastDays(7) }),
  'by cost and tokens': () => filterOf({ ranges: { cost: { min: 480_000 }, total_tokens: { min: 4_000 } } }),
  'by a model that nobody has': () => filterOf({ values: { model: ['nothing'] } }),
  'by prompt that nobody has': () => filterOf({ values: { prompt_slug: ['nothing'] } }),
};

async function time(run) {
  const times = [];
  for (let i = 0; i < PAGES; i += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function lists(source) {
  const report = {};
  for (const [name, filter] of Object.entries(LISTS))
    report[name] = await time(() => listLogs(source.manager, filter(), 51));
  const traces = await source.query(
    'SELECT id, trace_id FROM request_logs TABLESAMPLE SYSTEM (0.1) LIMIT 200',
  );
  const some = () => traces[Math.floor(Math.random() * traces.length)];
  const owner = { organisationId: ORGANISATION, workspaceId: null };
  report['one trace'] = await time(() =>
    listLogs(source.manager, filterOf({ values: { trace_id: [some().trace_id] } }, owner), 51),
  );
  report['one log by its id'] = await time(() => findLog(source.manager, owner, some().id));
  return report;
}

const record = () => ({
  id: uuidv7(),
  createdAt: new Date().toISOString(),
  organisationId: ORGANISATION,
  workspaceId: workspace(Math.floor(Math.random() * WORKSPACES)),
  apiKeyId: key(1),
  userId: null,
  traceId: uuidv7(),
  method: 'POST',
  url: '/v1/chat/completions',
  route: 'chat.completions',
  status: 200,
  outcome: 'ok',
  provider: 'openai',
  credential: 'main-1',
  integrationId: null,
  model: 'model-1',
  responseModel: 'model-1',
  usage: { inputTokens: 100, outputTokens: 50 },
  cost: 45_000,
  priced: 'priced',
  configId: null,
  configVersionId: null,
  targetPath: 'config',
  metadata: { team: 'team-1', _user: 'user-1' },
  durationMs: 420.5,
  overheadMs: 0.5,
  requestBytes: 600,
  responseBytes: 900,
  requestContentType: 'application/json',
  responseContentType: 'application/json',
  gatewayId: 'gateway-1',
  decision: {
    config: { source: 'none', slug: null, versionId: null },
    attempts: [],
    stages: { accept: 0.1 },
  },
});
const BODY = Buffer.from(
  JSON.stringify({ messages: [{ role: 'user', content: 'Tell me about the weather. '.repeat(20) }] }),
);
const BATCH = 500;
const batchOf = (withBodies) =>
  Buffer.concat(
    Array.from({ length: BATCH }, () =>
      encodeFrame(JSON.stringify(record()), withBodies ? BODY : null, withBodies ? BODY : null),
    ),
  );

/** Records in a second, and the CPU of this process for each. Two batches are at work at a time, as two gateways make them. */
async function ingest(source, withBodies) {
  const log = createLog('bench', 'silent');
  const partitions = new LogPartitions(source);
  await partitions.prepareAhead();
  const store = new LogIngest(source, partitions, new LedgerBook(source), new LogBodyPacker(null, log), log);
  let stored = 0;
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const work = async () => {
    while (performance.now() - startedAt < INGEST_MS)
      stored += (await store.store(decodeFrames(batchOf(withBodies)).frames)).accepted;
  };
  await Promise.all([work(), work()]);
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (stored / (performance.now() - startedAt)) * 1_000, cpuUs: (user + system) / stored };
}

async function main() {
  const folder =
    options.keep === undefined ? mkdtempSync(join(tmpdir(), 'tollgate-bench-logs-')) : resolve(options.keep);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711);
  const server = new EmbeddedPostgres({
    home: join(folder, 'postgres'),
    password: 'bench-only',
    logFile: join(folder, 'postgres.log'),
  });
  await server.start();
  const source = new DataSource(
    dataSourceOptions({ url: server.url, poolSize: 4, applicationName: 'bench', statementTimeoutMs: 0 }),
  );
  try {
    await source.initialize();
    await source.runMigrations();
    const [{ count }] = await source.query(
      'SELECT count(*)::int AS count FROM (SELECT 1 FROM request_logs LIMIT 1) one',
    );
    if (count === 0) note(`filled at ${Math.round(await fill(source))} rows/s`);
    const [{ size }] = await source.query(
      `SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) AS size FROM pg_inherits WHERE inhparent = 'request_logs'::regclass`,
    );
    console.log(`${ROWS} rows, ${size}`);
    console.log('pages of 50, ms'.padEnd(44), 'p50'.padStart(8), 'p95'.padStart(8));
    for (const [name, times] of Object.entries(await lists(source)))
      console.log(
        name.padEnd(44),
        percentile(times, 0.5).toFixed(1).padStart(8),
        percentile(times, 0.95).toFixed(1).padStart(8),
      );
    for (const withBodies of [false, true]) {
      const { rate, cpuUs } = await ingest(source, withBodies);
      console.log(
        `ingest ${withBodies ? 'with' : 'without'} bodies: ${Math.round(rate)} records/s, ${cpuUs.toFixed(0)} µs of CPU each in this process`,
      );
    }
  } finally {
    if (source.isInitialized) await source.destroy();
    await server.stop();
    if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
