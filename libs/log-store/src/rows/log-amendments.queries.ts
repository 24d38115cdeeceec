import { storableJson } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import type { LogEntry } from './log-writer.queries';

/** A record that was amended, and how many verdicts it had before. */
export interface Amended {
  readonly row: LogEntry['row'];
  readonly verdictsBefore: number;
}

/**
 * Puts the guardrail verdicts of records that come a second time, with more verdicts after the first ones, into those that are there. May be
 * repeated, and changes nothing of a record that has as many verdicts already. Tells which were changed.
 */
export async function amendLogs(manager: EntityManager, entries: readonly LogEntry[]): Promise<Amended[]> {
  const amending = new Map(
    entries.filter(({ amends }) => amends === true).map(({ row }) => [row.id, row] as const),
  );
  if (amending.size === 0) return [];
  const verdicts = [...amending.values()].map(({ id, created_at, decision }) => ({
    id,
    created_at,
    guardrails: decision.guardrails,
  }));
  // A row that is returned was locked before its verdicts were counted, so no other process has entered them.
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
