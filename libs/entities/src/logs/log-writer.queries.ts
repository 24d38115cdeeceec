import type { EntityManager } from 'typeorm';
import { REQUEST_LOG_COLUMNS, type RequestLogRow } from './request-log-row';

export interface LogEntry {
  readonly row: RequestLogRow;
  readonly request: Buffer | null;
  readonly response: Buffer | null;
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
  const withBodies = entries.filter(({ request, response }) => request !== null || response !== null);
  if (withBodies.length > 0) {
    const places = withBodies.map((_, i) => {
      const at = i * 4;
      return `($${String(at + 1)}::uuid, $${String(at + 2)}::timestamptz, $${String(at + 3)}::bytea, $${String(at + 4)}::bytea)`;
    });
    await manager.query(
      `INSERT INTO request_log_bodies (id, created_at, request, response) VALUES ${places.join(', ')}
       ON CONFLICT (id, created_at) DO NOTHING`,
      withBodies.flatMap(({ row, request, response }) => [row.id, row.created_at, request, response]),
    );
  }
  return new Set(inserted.map(({ id }) => id));
}

/** Postgres text holds no NUL and no half of a surrogate pair; JSON spells both as escapes. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

const LONE_SURROGATE = /\p{Surrogate}/gu;

function storableJson(rows: readonly RequestLogRow[]): string {
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
