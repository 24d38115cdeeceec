import type { EntityManager, QueryRunner } from 'typeorm';
import { ROLLED_UP_COLUMNS } from '../analytics/rollup-writer.queries';
import { copyRows } from './copy';
import { encodeLogBodies, type LogBodies } from './log-body';
import { REQUEST_LOG_COLUMNS, type RequestLogRow } from './request-log-row';

export interface LogEntry extends LogBodies {
  /** Its `body_ref` is null while the bodies are here. */
  readonly row: RequestLogRow;
  /** The record has come before, or will: only its verdicts are news. Absent: it has not. */
  readonly amends?: true;
}

export interface InsertLogsOptions {
  /** Adds those that are new to the rollups. */
  readonly rollUp?: boolean;
}

const COLUMNS = REQUEST_LOG_COLUMNS.join(', ');
const FACTS = ROLLED_UP_COLUMNS.join(', ');

/** Of the session, and empty when a transaction begins; what an earlier call of the same one has left is known, and stays out. */
const INCOMING = ['request_logs', 'request_log_bodies']
  .map(
    (table) => `CREATE TEMP TABLE IF NOT EXISTS incoming_${table}
      (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE) ON COMMIT DELETE ROWS`,
  )
  .join(';');
const TAKE = `INSERT INTO request_logs (${COLUMNS}) SELECT ${COLUMNS} FROM incoming_request_logs
  ON CONFLICT (id, created_at) DO NOTHING RETURNING`;

/**
 * Inserts log records with their bodies; what is there already stays as it is, so that a batch may be inserted again. All travel by
 * `COPY` into a table of the session, since Postgres reads that at half the cost of parameters. Returns the ids of those that are new.
 */
export async function insertLogs(
  manager: EntityManager,
  entries: readonly LogEntry[],
  { rollUp = false }: InsertLogsOptions = {},
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  if (!manager.queryRunner?.isTransactionActive)
    return manager.transaction((own) => insertLogs(own, entries, { rollUp }));
  await manager.query(INCOMING);
  await copyRows(
    manager.queryRunner,
    { table: 'incoming_request_logs', columns: REQUEST_LOG_COLUMNS, json: JSON_COLUMNS },
    rowsOf(entries),
  );
  const inserted: { id: string }[] = await manager.query(
    rollUp
      ? `WITH fresh AS (${TAKE} id, ${FACTS}), added AS (
           INSERT INTO usage_pending (${FACTS}, sign) SELECT ${FACTS}, 1 FROM fresh WHERE organisation_id IS NOT NULL
         ) SELECT id FROM fresh`
      : `WITH fresh AS (${TAKE} id) SELECT id FROM fresh`,
  );
  await insertBodies(manager, manager.queryRunner, entries);
  const fresh = new Set(inserted.map(({ id }) => id));
  if (fresh.size < entries.length) await fillBodyReferences(manager);
  return fresh;
}

const JSON_COLUMNS: ReadonlySet<string> = new Set(['metadata', 'decision'] satisfies (keyof RequestLogRow)[]);

function* rowsOf(entries: readonly LogEntry[]): Generator<readonly unknown[]> {
  for (const { row } of entries) yield REQUEST_LOG_COLUMNS.map((name) => row[name]);
}

async function insertBodies(
  manager: EntityManager,
  runner: QueryRunner,
  entries: readonly LogEntry[],
): Promise<void> {
  const kept = entries.filter(({ request, response }) => request !== null || response !== null);
  if (kept.length === 0) return;
  await copyRows(
    runner,
    { table: 'incoming_request_log_bodies', columns: ['id', 'created_at', 'content'] },
    bodiesOf(kept),
  );
  await manager.query(
    `INSERT INTO request_log_bodies (id, created_at, content)
     SELECT id, created_at, content FROM incoming_request_log_bodies ON CONFLICT (id, created_at) DO NOTHING`,
  );
}

function* bodiesOf(entries: readonly LogEntry[]): Generator<readonly unknown[]> {
  for (const entry of entries) yield [entry.row.id, entry.row.created_at, encodeLogBodies(entry)];
}

/** A record whose late verdicts were stored before it left no word of where its bodies are. */
async function fillBodyReferences(manager: EntityManager): Promise<void> {
  await manager.query(
    `UPDATE request_logs log SET body_ref = late.body_ref FROM incoming_request_logs late
     WHERE log.id = late.id AND log.created_at = late.created_at AND log.body_ref IS NULL AND late.body_ref IS NOT NULL`,
  );
}
