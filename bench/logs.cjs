'use strict';

/**
 * Measures the log at scale: fills its own database with logs of 30 days and their rollups, then times pages of lists by filter, graphs
 * over 30 days, and the ingest of batches. A busy machine raises the figures. Exits with 1 when one is over its bar.
 *
 *     npm run bench:logs -- [--rows 1000000] [--runs 40] [--seconds 10] [--keep <folder>]
 *
 * `--keep`: the database stays in the folder, and the next run uses it again. It takes 25 GB for ten million rows.
 */
const { parseArgs } = require('node:util');
const { fillLogs, withLogDatabase } = require('./lib/log-fixture.cjs');
const { timeGraphs, timePages } = require('./lib/log-pages.cjs');
const { batchOf } = require('./lib/log-records.cjs');
const { cpuSince } = require('./lib/proc-stat.cjs');
const { mergeRollups } = require('../libs/log-store/src/index.ts');
const { decodeFrames } = require('../libs/journal/src/index.ts');
const { createLog } = require('../libs/web/src/index.ts');
const { LogBodyPacker } = require('../apps/worker/src/ingest/log-bodies.ts');
const { LogIngest } = require('../apps/worker/src/ingest/log-ingest.ts');
const { LogPartitions } = require('../apps/worker/src/ingest/log-partitions.service.ts');
const { LedgerBook } = require('../apps/worker/src/ledger/ledger-book.ts');

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '10' },
    keep: { type: 'string' },
  },
});
const ROWS = Number(options.rows);
const RUNS = Number(options.runs);
const INGEST_MS = Number(options.seconds) * 1_000;
const BARS = { pageMs: 300, graphMs: 500, recordsPerSecond: 5_000 };
/** Records with bodies in one mebibyte, and gateway processes that send them. */
const [BATCH, SENDERS] = [250, 8];
const MERGE_EVERY_MS = 10_000;

/** @param {string} text */
const note = (text) => process.stderr.write(`logs: ${text}\n`);
/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

/**
 * Ingests batches. Returns the records per second, including merges, and the CPU microseconds of this process and of Postgres per record,
 * without the creation of the records.
 * @param {import('typeorm').DataSource} source
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 * @param {boolean} withBodies
 */
async function ingest(source, server, withBodies) {
  const log = createLog('bench', 'silent');
  const partitions = new LogPartitions(source);
  await partitions.prepareAhead();
  const store = new LogIngest(source, partitions, new LedgerBook(source), new LogBodyPacker(null, log), log);
  // The code is compiled then, as that of a busy worker is.
  for (let i = 0; i < SENDERS; i += 1) await store.store(decodeFrames(batchOf(BATCH, withBodies)).frames);
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const postgresCpu = cpuSince([/** @type {number} */ (server.child.pid)]);
  let stored = 0;
  let makingUs = 0;
  const isOver = () => performance.now() - startedAt >= INGEST_MS;
  const send = async () => {
    while (!isOver()) {
      const from = process.cpuUsage();
      const batch = batchOf(BATCH, withBodies);
      const { user, system } = process.cpuUsage(from);
      makingUs += user + system;
      // Read again after the wait: the senders add to one sum.
      const { accepted } = await store.store(decodeFrames(batch).frames);
      stored += accepted;
    }
  };
  /** @type {Promise<unknown>} */
  let merging = Promise.resolve();
  const merges = setInterval(() => {
    merging = merging.then(() => mergeRollups(source));
  }, MERGE_EVERY_MS);
  await Promise.all(Array.from({ length: SENDERS }, send));
  clearInterval(merges);
  await merging;
  await mergeRollups(source);
  const seconds = (performance.now() - startedAt - makingUs / 1_000) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    rate: stored / seconds,
    workerUs: (user + system - makingUs) / stored,
    postgresUs: postgresCpu() / stored,
  };
}

/** Figures over their bar. @type {string[]} */
const over = [];

/**
 * Prints the times of a report, and keeps those over the bar.
 * @param {string} title
 * @param {import('./lib/log-pages.cjs').Report} report
 * @param {number} barMs
 */
function printTimes(title, report, barMs) {
  say(`\n${title.padEnd(44)} ${'p50'.padStart(8)} ${'p95'.padStart(8)}`);
  for (const [name, { p50, p95 }] of Object.entries(report)) {
    say(`${name.padEnd(44)} ${p50.toFixed(1).padStart(8)} ${p95.toFixed(1).padStart(8)}`);
    if (p95 > barMs) over.push(`${name}: p95 ${p95.toFixed(0)} ms, at most ${barMs}`);
  }
}

/**
 * @param {import('typeorm').DataSource} source
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 */
async function main(source, server) {
  /** @type {[{ filled: boolean }]} */
  const [{ filled }] = await source.query('SELECT EXISTS (SELECT FROM usage_overviews) AS filled');
  if (!filled) note(`filled at ${Math.round(await fillLogs(source, ROWS, note))} rows/s`);
  /** @type {[{ rows: string, size: string, rollups: string }]} */
  const [{ rows, size, rollups }] = await source.query(
    `SELECT sum(reltuples)::bigint AS rows, pg_size_pretty(sum(pg_total_relation_size(pg_class.oid))) AS size,
       (SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'usage_%') AS rollups
     FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'request_logs'::regclass`,
  );
  say(`${rows} logs, ${size}; rollups ${rollups}`);
  printTimes('pages of 50, ms', await timePages(source, RUNS), BARS.pageMs);
  printTimes('graphs over 30 days, ms', await timeGraphs(source, RUNS), BARS.graphMs);
  say('');
  for (const withBodies of INGEST_MS > 0 ? [false, true] : []) {
    const { rate, workerUs, postgresUs } = await ingest(source, server, withBodies);
    const kind = withBodies ? 'with bodies of 3 KB' : 'without bodies';
    say(
      `ingest ${kind}: ${Math.round(rate)} records/s; CPU per record: ${workerUs.toFixed(0)} µs in this process, ${postgresUs.toFixed(0)} µs in Postgres`,
    );
    if (rate < BARS.recordsPerSecond)
      over.push(`ingest ${kind}: ${Math.round(rate)} records/s, at least ${BARS.recordsPerSecond}`);
  }
  for (const line of over) note(line);
  if (over.length > 0) process.exitCode = 1;
}

withLogDatabase({ keep: options.keep }, main).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
