import type { AttemptRecord, LogRecord } from '@gw/contracts';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Tolerance in milliseconds for rounded times and different clock readings. */
const TOLERANCE_MS = 1;
/** Environment variable with the folder for `keepLog`. */
const FOLDER = 'TOLLGATE_TEST_LOGS';

/** The times of a log record. */
export type TimedLog = Pick<LogRecord, 'durationMs' | 'firstByteMs' | 'overheadMs' | 'decision'>;

/**
 * Checks the times of a record and returns one sentence for each fault: all parts of a request lie
 * within its duration, provider calls do not overlap unless they are hedged, and a wait ends when
 * its call begins.
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
    // Calls of an agent may run concurrently, such as those that read the tasks of a list.
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
  // The two calls of a hedge run concurrently; the record of the successful one comes later.
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
