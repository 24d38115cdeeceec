import { storableJson } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { LogEntry } from './log-writer.queries';

/**
 * A log record with the number of its guardrails whose verdicts are stored already; 0 for a new
 * record.
 */
export interface JudgedLog {
  readonly row: LogEntry['row'];
  readonly verdictsBefore: number;
}

/**
 * Adds late guardrail verdicts to stored records: a record that arrives a second time with more
 * verdicts replaces the stored list. Returns the records that it changed. It can be repeated: a
 * record that already has as many verdicts is not changed.
 */
export async function amendLogs(manager: EntityManager, entries: readonly LogEntry[]): Promise<JudgedLog[]> {
  const amending = new Map(
    entries.filter(({ amends }) => amends === true).map(({ row }) => [row.id, row] as const),
  );
  if (amending.size === 0) return [];
  const verdicts = [...amending.values()].map(({ id, created_at, decision }) => ({
    id,
    created_at,
    guardrails: decision.guardrails,
  }));
  // The statement locks a row before it counts the row's verdicts, so no other process has added
  // the same ones.
  const [changed] = await manager.query<[{ id: string; verdicts: number }[], number]>(
    `WITH late AS (
       SELECT * FROM json_to_recordset($1::json) AS late (id uuid, created_at timestamptz, guardrails jsonb)
       WHERE jsonb_typeof(guardrails) = 'array'
     ), known AS (
       SELECT id, created_at, CASE jsonb_typeof(log.decision -> 'guardrails')
         WHEN 'array' THEN jsonb_array_length(log.decision -> 'guardrails') ELSE 0 END AS verdicts
       FROM request_logs log JOIN late USING (id, created_at)
       FOR UPDATE OF log
     )
     UPDATE request_logs log SET decision = jsonb_set(log.decision, '{guardrails}', late.guardrails)
     FROM late JOIN known USING (id, created_at)
     WHERE log.id = late.id AND log.created_at = late.created_at
       AND jsonb_array_length(late.guardrails) > known.verdicts
     RETURNING log.id, known.verdicts`,
    [storableJson(verdicts)],
  );
  return changed.flatMap(({ id, verdicts: verdictsBefore }) => {
    const row = amending.get(id);
    return row === undefined ? [] : [{ row, verdictsBefore }];
  });
}
