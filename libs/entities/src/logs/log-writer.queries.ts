import type { EntityManager } from 'typeorm';
import { encodeLogBodies, type LogBodies } from './log-body';
import { REQUEST_LOG_COLUMNS, type RequestLogRow } from './request-log-row';

export interface LogEntry extends LogBodies {
  /** Its `body_ref` is null while the bodies are here. */
  readonly row: RequestLogRow;
  /** The record has come before, or will: only its verdicts are news. Absent: it has not. */
  readonly amends?: true;
}

/**
 * Inserts log records with their bodies; what is there already stays as it is, so that a batch may be inserted again. All rows
 * travel as one JSON parameter, whose cost does not grow with the number of columns. At most 16,000 entries. Returns the ids of those
 * that are new.
 */
export async function insertLogs(
  manager: EntityManager,
  entries: readonly LogEntry[],
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const columns = REQUEST_LOG_COLUMNS.join(', ');
  const inserted: { id: string }[] = await manager.query(
    `WITH inserted AS (
       INSERT INTO request_logs (${columns})
       SELECT ${columns} FROM json_populate_recordset(NULL::request_logs, $1::json)
       ON CONFLICT (id, created_at) DO NOTHING RETURNING id
     ) SELECT id FROM inserted`,
    [storableJson(entries.map(({ row }) => row))],
  );
  await insertBodies(manager, entries);
  return new Set(inserted.map(({ id }) => id));
}

async function insertBodies(manager: EntityManager, entries: readonly LogEntry[]): Promise<void> {
  const encoded = entries.flatMap((entry) => {
    const content = encodeLogBodies(entry);
    return content === null ? [] : [{ row: entry.row, content }];
  });
  if (encoded.length === 0) return;
  await manager.query(
    `INSERT INTO request_log_bodies (id, created_at, content)
     SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::bytea[])
     ON CONFLICT (id, created_at) DO NOTHING`,
    [
      encoded.map(({ row }) => row.id),
      encoded.map(({ row }) => row.created_at),
      encoded.map(({ content }) => content),
    ],
  );
}

/** Postgres text holds no NUL and no half of a surrogate pair; JSON spells both as escapes. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Rows as JSON that Postgres can take, whatever texts they hold. */
export function storableJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  return UNSTORABLE.test(text) ? JSON.stringify(rows.map(storable)) : text;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storable(name), storable(member)]),
  );
}
