'use strict';

/**
 * Measures the time and memory of an export of many logs, and tests that it survives the end of its worker. Fills its own database, then
 * the built worker writes two exports of each format: one undisturbed, one during which the worker is killed twice. Compares their bytes
 * and reads the Parquet file with another reader. Exits with 1 when the files differ, a row is missing, or a worker used 256 MB.
 *
 *     npm run bench:exports -- [--rows 1000000] [--bodies 10] [--flags '…'] [--keep <folder>]
 *
 * `--bodies 10`: every tenth log has bodies. `--flags`: flags of the workers' Node.js instead of the launcher's. `--keep`: the database
 * stays in the folder, and the next run uses it again.
 */
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const { mkdtempSync, rmSync, mkdirSync, chmodSync, readFileSync, existsSync, openSync } = require('node:fs');
const { open } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
require('../tools/typescript.cjs');
require('reflect-metadata');
const { DataSource } = require('typeorm');
const { EmbeddedPostgres } = require('../libs/embedded-postgres/src/index.ts');
const {
  dataSourceOptions,
  LogExportEntity,
  LogExportPartEntity,
  OrganisationEntity,
  WorkspaceEntity,
} = require('../libs/entities/src/index.ts');
const { encodeLogBodies, LOG_EXPORT_FIELDS } = require('../libs/log-store/src/index.ts');
const { DatabaseObjectStore } = require('../libs/object-store/src/index.ts');
const { uuidv7 } = require('../libs/kernel/src/index.ts');
const { freePort } = require('../libs/testing/src/free-port.ts');
const { NODE_FLAGS } = require('../apps/launcher/src/node-flags.ts');
const { ROOT, runtimePath } = require('../tools/runtime.cjs');
const { isoOf } = require('./lib/log-fixture.cjs');

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {LogExportEntity['format']} LogExportFormat */

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    bodies: { type: 'string', default: '10' },
    flags: { type: 'string' },
    keep: { type: 'string' },
  },
});
const ROWS = Number(options.rows);
const BODIES_EVERY = Number(options.bodies);
/** 256 MB. */
const MEMORY_MAX_MIB = 256e6 / 1_048_576;
const EXPORT_MS = 3_600_000;
const SAMPLE_MS = 100;
const DAYS = 3;
const organisationId = '11111111-1111-4111-8111-111111111111';
const workspaceId = '22222222-2222-4222-8222-222222222222';

/** @param {string} text */
const note = (text) => process.stderr.write(`${text}\n`);

/** @param {string} table */
const FILL = (table) => `
INSERT INTO ${table} (id, created_at, organisation_id, workspace_id, trace_id, method, url, route, status, outcome, provider,
  credential, model, response_model, streamed, input_tokens, output_tokens, total_tokens, cache_read_tokens, cache_write_tokens,
  reasoning_tokens, input_audio_tokens, output_audio_tokens, cost, priced, target_path, retries, cache_status, metadata, duration_ms,
  overhead_ms, request_bytes, response_bytes, request_content_type, response_content_type, request_body_truncated,
  response_body_truncated, gateway_id, decision)
SELECT gen_random_uuid(), $1::timestamptz + n * interval '1 millisecond', '${organisationId}', '${workspaceId}', md5((n / 3)::text || $1),
  'POST', '/v1/chat/completions', 'chat.completions', CASE WHEN n % 20 = 0 THEN 429 ELSE 200 END, 'ok', 'openai', 'main',
  'model-' || n % 10, 'model-' || n % 10, false, n % 4000, n % 800, n % 4000 + n % 800, 0, 0, 0, 0, 0, n % 500000, 'priced', 'config', 0,
  'MISS', jsonb_build_object('_user', 'user-' || n % 1000, 'team', 'team-' || n % 20, 'note', repeat(md5(n::text), 4)), 200 + n % 4000,
  0.5, 600, 900, 'application/json', 'application/json', false, false, 'gateway-1', '{"attempts":[]}'
FROM generate_series(1, $2::int) n`;

/** @param {string} text */
const bodyOf = (text) =>
  Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: `${text} `.repeat(40) }] }));

/**
 * Creates logs of `DAYS` days, with bodies for some of them.
 * @param {DataSource} source
 */
async function fill(source) {
  await source.manager.insert(OrganisationEntity, { id: organisationId, name: 'o', slug: 'o' });
  await source.manager.insert(WorkspaceEntity, { id: workspaceId, organisationId, name: 'w', slug: 'w' });
  const content = encodeLogBodies({ request: bodyOf('weather'), response: bodyOf('rain') });
  const today = Math.floor(Date.now() / 86_400_000);
  for (let day = today - DAYS; day < today; day += 1) {
    const [from, to] = [isoOf(day), isoOf(day + 1)];
    const name = from.slice(0, 10).replaceAll('-', '');
    for (const kind of ['request_logs', 'request_log_bodies'])
      await source.query(`CREATE TABLE ${kind}_${name} (LIKE ${kind} INCLUDING DEFAULTS INCLUDING STORAGE)`);
    await source.query(FILL(`request_logs_${name}`), [from, Math.ceil(ROWS / DAYS)]);
    await source.query(
      `INSERT INTO request_log_bodies_${name} (id, created_at, content)
       SELECT id, created_at, $1 FROM request_logs_${name} WHERE input_tokens % $2::int = 0`,
      [content, BODIES_EVERY],
    );
    for (const kind of ['request_logs', 'request_log_bodies'])
      await source.query(
        `ALTER TABLE ${kind} ATTACH PARTITION ${kind}_${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    note(`filled ${from.slice(0, 10)}`);
  }
  await source.query('VACUUM (ANALYZE) request_logs');
  await source.query('VACUUM (ANALYZE) request_log_bodies');
}

/**
 * Starts a worker as `npm start` does. `log`: a file descriptor for its output.
 * @param {string} databaseUrl
 * @param {string} dataDir
 * @param {number} log
 * @returns {Promise<ChildProcess>}
 */
async function startWorker(databaseUrl, dataDir, log) {
  const flags = options.flags?.split(' ') ?? NODE_FLAGS.worker;
  const port = String(await freePort());
  const entry = join(ROOT, 'dist/worker/apps/worker/src/main.js');
  return spawn(runtimePath(), ['--enable-source-maps', ...flags, entry], {
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
      ...{ SERVICE_TOKEN: 'a service token of the bench', WORKER_PORT: port, LOG_LEVEL: 'warn' },
    },
    stdio: ['ignore', log, log],
  });
}

/**
 * Returns the resident memory of a process and its maximum so far, in MiB; null on systems other than Linux.
 * @param {number} pid
 */
function memoryOf(pid) {
  const path = `/proc/${String(pid)}/status`;
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  /** @param {string} name */
  const mebibytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1_024;
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
}

class Bench {
  /**
   * @param {DataSource} source
   * @param {string} databaseUrl
   * @param {string} dataDir
   * @param {number} log
   */
  constructor(source, databaseUrl, dataDir, log) {
    this.source = source;
    this.databaseUrl = databaseUrl;
    this.dataDir = dataDir;
    this.log = log;
  }

  /**
   * Saves an export that the next worker writes. Returns its id.
   * @param {LogExportFormat} format
   * @param {Date} until
   */
  async begin(format, until) {
    const id = uuidv7();
    await this.source.manager.insert(LogExportEntity, {
      ...{ id, organisationId, workspaceId, format, status: 'in_progress', filters: {}, run: 1, until },
      requestedData: LOG_EXPORT_FIELDS,
    });
    return id;
  }

  /**
   * Has workers write an export, and kills the worker at every row count of `kills`. Returns the duration and the memory of all workers.
   * @param {LogExportFormat} format
   * @param {Date} until
   * @param {readonly number[]} kills
   */
  async write(format, until, kills) {
    const id = await this.begin(format, until);
    const startedAt = performance.now();
    const left = [...kills];
    /** @type {number[]} */
    const samples = [];
    let most = 0;
    let worker = await startWorker(this.databaseUrl, this.dataDir, this.log);
    try {
      for (;;) {
        if (performance.now() - startedAt > EXPORT_MS)
          throw new Error('The export did not end within an hour.');
        if (worker.exitCode !== null) throw new Error('The worker ended; see its log.');
        const memory = worker.pid === undefined ? null : memoryOf(worker.pid);
        if (memory) {
          samples.push(memory.now);
          most = Math.max(most, memory.most);
        }
        const row = await this.source.manager.findOneByOrFail(LogExportEntity, { id });
        if (row.status === 'success') break;
        if (row.status === 'failed') throw new Error(row.failure ?? 'The export failed.');
        if (row.rowsDone >= (left[0] ?? Infinity)) {
          left.shift();
          note(`  killed at ${String(row.rowsDone)} rows`);
          worker = await this.replaced(worker, id);
        }
        await delay(SAMPLE_MS);
      }
    } finally {
      await ended(worker);
    }
    const median = samples.sort((a, b) => a - b)[samples.length >> 1] ?? NaN;
    return { id, seconds: (performance.now() - startedAt) / 1_000, most, median };
  }

  /**
   * Kills a worker, ends its lease of the export, and starts another worker.
   * @param {ChildProcess} worker
   * @param {string} id
   */
  async replaced(worker, id) {
    await ended(worker);
    await this.source.manager.update(LogExportEntity, { id }, { leaseUntil: new Date(0) });
    return startWorker(this.databaseUrl, this.dataDir, this.log);
  }

  /**
   * Writes the parts of an export into one file. Returns its digest and sizes.
   * @param {string} id
   * @param {string} path
   */
  async digest(id, path) {
    const parts = await this.source.manager.find(LogExportPartEntity, {
      where: { exportId: id },
      order: { number: 'ASC' },
    });
    const store = new DatabaseObjectStore((sql, parameters) => this.source.query(sql, parameters));
    const [hash, file] = [createHash('sha256'), await open(path, 'w')];
    let bytes = 0;
    for (const { key } of parts) {
      const part = await store.get(key);
      if (part === null) throw new Error(`The export has no object ${key}.`);
      hash.update(part);
      bytes += part.length;
      await file.write(part);
    }
    await file.close();
    return { sha256: hash.digest('hex'), bytes, parts: parts.length };
  }
}

/**
 * Kills a process and waits for its end.
 * @param {ChildProcess} child
 */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/**
 * Returns the number of different ids in a Parquet file.
 * @param {string} path
 */
async function readParquet(path) {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const ids = new Set();
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd })) ids.add(row.id);
    rowStart = rowEnd;
  }
  return ids.size;
}

/**
 * Measures every format, and returns what is wrong.
 * @param {Bench} bench
 * @param {string} folder
 */
async function measure(bench, folder) {
  const until = new Date();
  /** @type {string[]} */
  const problems = [];
  for (const format of /** @type {const} */ (['jsonl', 'parquet'])) {
    /** @type {{ sha256: string, path: string }[]} */
    const files = [];
    for (const kills of [[], [ROWS / 3, (2 * ROWS) / 3]]) {
      note(`${format}, killed ${String(kills.length)} times`);
      const run = await bench.write(format, until, kills);
      const path = join(folder, `${String(kills.length)}.${format}`);
      const file = await bench.digest(run.id, path);
      files.push({ ...file, path });
      console.log(
        `${format.padEnd(8)} killed ${String(kills.length)}×: ${run.seconds.toFixed(0)} s, ${String(file.parts)} parts, ` +
          `${(file.bytes / 1e6).toFixed(0)} MB, memory at most ${run.most.toFixed(0)} MiB, median ${run.median.toFixed(0)} MiB`,
      );
      if (run.most >= MEMORY_MAX_MIB) problems.push(`${format}: ${run.most.toFixed(0)} MiB`);
    }
    const isSame = files.every(({ sha256 }) => sha256 === files[0]?.sha256);
    if (!isSame) problems.push(`${format}: the files differ`);
    console.log(`${format.padEnd(8)} ${isSame ? 'identical bytes' : 'DIFFERENT BYTES'}`);
    if (format === 'parquet') {
      const rows = await readParquet(files.at(-1)?.path ?? '');
      console.log(`parquet  ${String(rows)} rows with different ids, read by hyparquet`);
      if (rows < ROWS) problems.push(`parquet: ${String(rows)} rows`);
    }
  }
  return problems;
}

async function main() {
  await require('../tools/build.cjs').ensureBuilt();
  const folder =
    options.keep === undefined
      ? mkdtempSync(join(tmpdir(), 'tollgate-bench-exports-'))
      : resolve(options.keep);
  mkdirSync(join(folder, 'data'), { recursive: true });
  chmodSync(folder, 0o711);
  const server = new EmbeddedPostgres({
    home: join(folder, 'postgres'),
    password: 'bench-only',
    logFile: join(folder, 'postgres.log'),
  });
  await server.start();
  const source = new DataSource(
    dataSourceOptions({ url: server.url, poolSize: 2, applicationName: 'bench', statementTimeoutMs: 0 }),
  );
  try {
    await source.initialize();
    await source.runMigrations();
    /** @type {[{ known: number }]} */
    const [{ known }] = await source.query('SELECT count(*)::int AS known FROM organisations');
    if (known === 0) await fill(source);
    const log = openSync(join(folder, 'worker.log'), 'a');
    const problems = await measure(new Bench(source, server.url, join(folder, 'data'), log), folder);
    if (problems.length > 0) {
      console.error(`Failed: ${problems.join('; ')}`);
      process.exitCode = 1;
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
