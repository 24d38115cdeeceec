import { isUniqueViolation } from '@gw/entities';
import type { EntityManager, QueryRunner } from 'typeorm';
import { ROLLED_UP_COLUMNS } from '../analytics/rollup-writer.queries';
import { copyRows } from './copy';
import { encodeLogBodies, type LogBodies } from './log-body';
import { JSON_COLUMNS, REQUEST_LOG_COLUMNS, type RequestLogRow } from './log-columns';
import { zonesOf, type LogZone } from '../zones/log-zone';
import { widenLogZones } from '../zones/log-zones.queries';

export interface LogEntry extends LogBodies {
  /** Row of the record. `body_ref` is null if the entry contains the bodies. */
  readonly row: RequestLogRow;
  /**
   * True for a second record of a request that only adds verdicts; its first record may arrive
   * before or after it.
   */
  readonly amends?: true;
}

export interface InsertLogsOptions {
  /** Whether new records are counted in the rollups. */
  readonly rollUp?: boolean;
  /** Zones that must be widened for these records; absent: all zones of the records. */
  readonly zones?: readonly LogZone[];
}

const COLUMNS = REQUEST_LOG_COLUMNS.join(', ');
const FACTS = ROLLED_UP_COLUMNS.join(', ');

/**
 * Inserts log records with their bodies. Records that exist already stay unchanged, so that a batch
 * can be inserted again. Returns the ids of the new records.
 */
export async function insertLogs(
  manager: EntityManager,
  entries: readonly LogEntry[],
  { rollUp = false, zones }: InsertLogsOptions = {},
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const runner = manager.queryRunner;
  if (runner?.isTransactionActive !== true)
    return manager.transaction((inner) => insertLogs(inner, entries, { rollUp, ...(zones && { zones }) }));
  const fresh = (await copyNew(runner, entries, rollUp))
    ? new Set(entries.map(({ row }) => row.id))
    : await insertOthers(manager, runner, entries, rollUp);
  // Zones are written last, because this blocks other writers of the same zones until the commit.
  await widenLogZones(manager, zones ?? zonesOf(entries.map(({ row }) => row)));
  return fresh;
}

/**
 * Copies all records directly into their tables, which works if none of them exists. Returns false,
 * and changes nothing, if one exists.
 */
async function copyNew(runner: QueryRunner, entries: readonly LogEntry[], rollUp: boolean): Promise<boolean> {
  await runner.query('SAVEPOINT all_are_new');
  try {
    await copyRows(runner, { ...LOGS, table: 'request_logs' }, rowsOf(entries));
    if (rollUp) await copyRows(runner, PENDING, pendingOf(entries));
    const kept = entries.filter(hasBodies);
    if (kept.length > 0) await copyRows(runner, { ...BODIES, table: 'request_log_bodies' }, bodiesOf(kept));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await runner.query('ROLLBACK TO SAVEPOINT all_are_new');
    return false;
  }
  await runner.query('RELEASE SAVEPOINT all_are_new');
  return true;
}

/**
 * Creates the session's temporary tables. They are empty when a transaction begins. After an
 * earlier call in the same transaction they still hold its rows, which are stored already.
 */
const INCOMING = ['request_logs', 'request_log_bodies']
  .map(
    (table) => `CREATE TEMP TABLE IF NOT EXISTS incoming_${table}
      (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE) ON COMMIT DELETE ROWS`,
  )
  .join(';');
const TAKE = `INSERT INTO request_logs (${COLUMNS}) SELECT ${COLUMNS} FROM incoming_request_logs
  ON CONFLICT (id, created_at) DO NOTHING RETURNING`;

/** Inserts through a temporary table, which skips rows that exist already. */
async function insertOthers(
  manager: EntityManager,
  runner: QueryRunner,
  entries: readonly LogEntry[],
  rollUp: boolean,
): Promise<ReadonlySet<string>> {
  await manager.query(INCOMING);
  await copyRows(runner, { ...LOGS, table: 'incoming_request_logs' }, rowsOf(entries));
  const inserted: { id: string }[] = await manager.query(
    rollUp
      ? `WITH fresh AS (${TAKE} id, ${FACTS}), added AS (
           INSERT INTO usage_pending (${FACTS}, sign) SELECT ${FACTS}, 1 FROM fresh WHERE organisation_id IS NOT NULL
         ) SELECT id FROM fresh`
      : `WITH fresh AS (${TAKE} id) SELECT id FROM fresh`,
  );
  await insertBodies(manager, runner, entries);
  const fresh = new Set(inserted.map(({ id }) => id));
  if (fresh.size < entries.length) await fillBodyReferences(manager);
  return fresh;
}

const LOGS = { columns: REQUEST_LOG_COLUMNS, json: JSON_COLUMNS };
const BODIES = { columns: ['id', 'created_at', 'content'] };
const PENDING = {
  table: 'usage_pending',
  columns: [...ROLLED_UP_COLUMNS, 'sign'],
  json: new Set(['metadata'] satisfies (keyof RequestLogRow)[]) as ReadonlySet<string>,
};

function* rowsOf(entries: readonly LogEntry[]): Generator<readonly unknown[]> {
  for (const { row } of entries) yield REQUEST_LOG_COLUMNS.map((name) => row[name]);
}

/** Requests without an owner are not rolled up. */
function* pendingOf(entries: readonly LogEntry[]): Generator<readonly unknown[]> {
  for (const { row } of entries)
    if (row.organisation_id !== null) yield [...ROLLED_UP_COLUMNS.map((name) => row[name]), 1];
}

const hasBodies = ({ request, response }: LogEntry): boolean => request !== null || response !== null;

async function insertBodies(
  manager: EntityManager,
  runner: QueryRunner,
  entries: readonly LogEntry[],
): Promise<void> {
  const kept = entries.filter(hasBodies);
  if (kept.length === 0) return;
  await copyRows(runner, { ...BODIES, table: 'incoming_request_log_bodies' }, bodiesOf(kept));
  await manager.query(
    `INSERT INTO request_log_bodies (id, created_at, content)
     SELECT id, created_at, content FROM incoming_request_log_bodies ON CONFLICT (id, created_at) DO NOTHING`,
  );
}

function* bodiesOf(entries: readonly LogEntry[]): Generator<readonly unknown[]> {
  for (const entry of entries) yield [entry.row.id, entry.row.created_at, encodeLogBodies(entry)];
}

/**
 * Sets the missing references to bodies of records whose late verdicts were stored before the
 * record itself.
 */
async function fillBodyReferences(manager: EntityManager): Promise<void> {
  await manager.query(
    `UPDATE request_logs log SET body_ref = late.body_ref FROM incoming_request_logs late
     WHERE log.id = late.id AND log.created_at = late.created_at AND log.body_ref IS NULL AND late.body_ref IS NOT NULL`,
  );
}
