import type { GuardrailCheckRecord, GuardrailRecord } from '@gw/contracts';
import { DAY_MS, storableText } from '@gw/kernel';
import {
  addCounts,
  dayOf,
  insertVerdicts,
  type GuardrailCount,
  type GuardrailVerdict,
  type JudgedLog,
} from '@gw/log-store';
import type { EntityManager } from 'typeorm';

/**
 * Maximum number of counted checks of one log record. A record has up to a hundred guardrails, most
 * with a few checks.
 */
const CHECKS_MAX = 500;
const NAME_LENGTH_MAX = 255;

/**
 * Stores the verdicts of log records, except those of their first `verdictsBefore` guardrails,
 * which are stored already. All verdicts are added to the counts of their day; each verdict that
 * failed or could not decide also becomes a row that people can mark as wrong.
 */
export async function enterVerdicts(manager: EntityManager, judged: readonly JudgedLog[]): Promise<void> {
  const rows: GuardrailVerdict[] = [];
  const counts = new Map<string, GuardrailCount>();
  for (const record of judged) read(record, rows, counts);
  if (counts.size === 0) return;
  await insertVerdicts(manager, rows);
  await addCounts(manager, [...counts.values()]);
}

function read(
  { row, verdictsBefore }: JudgedLog,
  rows: GuardrailVerdict[],
  counts: Map<string, GuardrailCount>,
): void {
  const { id, created_at, organisation_id, workspace_id, user_id, decision } = row;
  const guardrails: unknown = decision.guardrails;
  if (organisation_id === null || workspace_id === null || !Array.isArray(guardrails)) return;
  const day = new Date(dayOf(created_at) * DAY_MS).toISOString();
  let place = 0;
  for (const [at, guardrail] of guardrails.entries()) {
    if (!isGuardrail(guardrail)) continue;
    for (const check of guardrail.checks.filter(isCheck)) {
      if (place >= CHECKS_MAX) return;
      const position = place;
      place += 1;
      if (at < verdictsBefore) continue;
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
          place: position,
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

const hasDenied = ({ deny, monitor, async, verdict }: Partial<GuardrailRecord>): boolean =>
  deny === true && !monitor && !async && !verdict;

const verdictOf = ({ verdict, error }: GuardrailCheckRecord): 'passed' | 'failed' | 'errored' => {
  if (typeof error === 'string') return 'errored';
  return verdict ? 'passed' : 'failed';
};

/**
 * Replaces characters that Postgres cannot store and cuts long names. Names that differ only in
 * these characters, or beyond the cut, become equal.
 */
const nameOf = (name: string): string => storableText(name.slice(0, NAME_LENGTH_MAX));

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

/**
 * Reads guardrail results without throwing: malformed results must not prevent storing a record.
 */
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
