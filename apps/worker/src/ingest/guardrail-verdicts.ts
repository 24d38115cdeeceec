import type { GuardrailCheckRecord, GuardrailRecord } from '@gw/contracts';
import {
  addCounts,
  dayOf,
  insertVerdicts,
  type GuardrailCount,
  type GuardrailVerdict,
  type LogEntry,
} from '@gw/log-store';
import type { EntityManager } from 'typeorm';

/** Checks of one log record that are counted. A record holds up to a hundred guardrails, of which most have a few. */
const CHECKS_MAX = 500;
const NAME_LENGTH_MAX = 255;
const DAY_MS = 86_400_000;

/** A log record, and how many of its guardrails were entered before: 0 for a new one. */
export interface Judged {
  readonly row: LogEntry['row'];
  readonly known: number;
}

/**
 * Enters the verdicts of log records that are not entered yet: all of them in the counts of their day, and each that failed or could not decide
 * as a row, by which people can say that it was wrong.
 */
export async function enterVerdicts(manager: EntityManager, judged: readonly Judged[]): Promise<void> {
  const rows: GuardrailVerdict[] = [];
  const counts = new Map<string, GuardrailCount>();
  for (const record of judged) read(record, rows, counts);
  if (counts.size === 0) return;
  await insertVerdicts(manager, rows);
  await addCounts(manager, [...counts.values()]);
}

function read({ row, known }: Judged, rows: GuardrailVerdict[], counts: Map<string, GuardrailCount>): void {
  const { id, created_at, organisation_id, workspace_id, user_id, decision } = row;
  const guardrails: unknown = decision.guardrails;
  if (organisation_id === null || workspace_id === null || !Array.isArray(guardrails)) return;
  const day = new Date(dayOf(created_at) * DAY_MS).toISOString();
  let place = 0;
  for (const [at, guardrail] of guardrails.entries()) {
    if (!isGuardrail(guardrail)) continue;
    for (const check of guardrail.checks.filter(isCheck)) {
      if (place >= CHECKS_MAX) return;
      const own = place;
      place += 1;
      if (at < known) continue;
      const verdict = verdictOf(check);
      const of = {
        organisation_id,
        workspace_id,
        guardrail: nameOf(guardrail.id),
        check_id: nameOf(check.id),
        stage: guardrail.stage,
      };
      count(counts, { ...of, created_at: day }, verdict, millisecondsOf(check));
      if (verdict !== 'passed') {
        rows.push({
          ...of,
          log_id: id,
          created_at,
          place: own,
          user_id,
          version_id: typeof guardrail.versionId === 'string' ? nameOf(guardrail.versionId) : null,
          verdict,
          denied: hasDenied(guardrail),
          duration_ms: millisecondsOf(check),
        });
      }
    }
  }
}

const hasDenied = ({ deny, monitor, async, verdict }: GuardrailRecord): boolean =>
  deny && !monitor && !async && !verdict;

const verdictOf = ({ verdict, error }: GuardrailCheckRecord): 'passed' | 'failed' | 'errored' => {
  if (typeof error === 'string') return 'errored';
  return verdict ? 'passed' : 'failed';
};

/** As the database takes it: names that differ only in what it does not are one. */
const nameOf = (name: string): string =>
  name.slice(0, NAME_LENGTH_MAX).replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

const millisecondsOf = ({ durationMs }: GuardrailCheckRecord): number =>
  Math.min(Math.max(durationMs, 0), DAY_MS);

function count(
  counts: Map<string, GuardrailCount>,
  of: Omit<GuardrailCount, 'runs' | 'failed' | 'errored' | 'duration_ms'>,
  verdict: 'passed' | 'failed' | 'errored',
  durationMs: number,
): void {
  const key = JSON.stringify(of);
  const known = counts.get(key);
  counts.set(key, {
    ...of,
    runs: (known?.runs ?? 0) + 1,
    failed: (known?.failed ?? 0) + (verdict === 'failed' ? 1 : 0),
    errored: (known?.errored ?? 0) + (verdict === 'errored' ? 1 : 0),
    duration_ms: (known?.duration_ms ?? 0) + durationMs,
  });
}

/** A record must never be kept from being stored by what it says of guardrails. */
function isGuardrail(value: unknown): value is GuardrailRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { id, stage, checks } = value as Partial<GuardrailRecord>;
  return typeof id === 'string' && (stage === 'input' || stage === 'output') && Array.isArray(checks);
}

function isCheck(value: unknown): value is GuardrailCheckRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { id, verdict, durationMs } = value as Partial<GuardrailCheckRecord>;
  return (
    typeof id === 'string' &&
    typeof verdict === 'boolean' &&
    typeof durationMs === 'number' &&
    Number.isFinite(durationMs)
  );
}
