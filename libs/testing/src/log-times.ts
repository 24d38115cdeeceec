import type { AttemptRecord, LogRecord } from '@gw/contracts';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Rounding of the times in a record, and of the clock between two readings, in milliseconds. */
const TOLERANCE_MS = 1;
/** Names a folder for `keepLog`. */
const FOLDER = 'TOLLGATE_TEST_LOGS';

/** The times of a log record. */
export type TimedLog = Pick<LogRecord, 'durationMs' | 'firstByteMs' | 'overheadMs' | 'decision'>;

/**
 * Returns what is wrong with the times of a record, one sentence each: everything that a request
 * did lies within it, calls of providers follow each other unless they are hedged, and a wait ends
 * when its call begins.
 */
export function timeFaultsOf({ durationMs, firstByteMs, overheadMs, decision }: TimedLog): readonly string[] {
  const { attempts, stages } = decision;
  const end = durationMs + TOLERANCE_MS;
  const faults: string[] = [];
  const within = (name: string, ms: number): void => {
    if (!(ms >= 0 && ms <= end))
      faults.push(`${name} is ${String(ms)} ms, and the request took ${String(durationMs)} ms.`);
  };
  within('The duration', durationMs);
  within('The overhead', overheadMs);
  if (firstByteMs !== null) within('The first byte', firstByteMs);
  for (const [stage, ms] of Object.entries(stages)) within(`Stage ${stage}`, ms);
  within(
    'The sum of the stages',
    Object.values(stages).reduce((sum, ms) => sum + ms, 0),
  );
  for (const [at, attempt] of attempts.entries()) {
    const name = `Attempt ${String(at)} (${attempt.end})`;
    within(`${name}: start`, attempt.startedMs);
    within(`${name}: duration`, attempt.durationMs);
    within(`${name}: end`, endOf(attempt));
    // Calls of an agent may run at the same time, such as those that read the tasks of a list.
    if (decision.agent === undefined) faults.push(...orderFaultsOf(name, attempt, attempts.slice(0, at)));
  }
  return faults;
}

const endOf = ({ startedMs, durationMs }: AttemptRecord): number => startedMs + durationMs;

function orderFaultsOf(
  name: string,
  { startedMs, waitedMs = 0, hedge }: AttemptRecord,
  earlier: readonly AttemptRecord[],
): readonly string[] {
  // The two calls of a pair run at the same time; the one that got a response is the later record.
  const isPair = (other: AttemptRecord): boolean =>
    hedge !== undefined && other.hedge !== undefined && hedge !== other.hedge;
  const before = earlier.filter((other) => !isPair(other));
  const since = Math.max(0, ...before.map(endOf));
  if (waitedMs >= 0 && since + waitedMs <= startedMs + TOLERANCE_MS) return [];
  return [
    `${name} starts at ${String(startedMs)} ms after a wait of ${String(waitedMs)} ms, ` +
      `and the call before it ended at ${String(since)} ms.`,
  ];
}

/** Appends the record to a file of the folder in `TOLLGATE_TEST_LOGS`; does nothing without one. */
export function keepLog(record: object): void {
  const folder = process.env[FOLDER];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${String(process.pid)}.jsonl`), `${JSON.stringify(record)}\n`);
}
