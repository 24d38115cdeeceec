import type { Principal } from '../common/principal';
import type { LogDetailResponse } from './log-answers.dto';

/** Any one of them. `logs.view` reads every log, the others only requests that the caller made itself. */
export const READS_A_LOG: [string, ...string[]] = ['logs.view', 'completions.write', 'logs.write'];

/** Reads one log for other resources; the resource `logs` provides it. */
export abstract class LogReader {
  /** Throws `not_found` for a log of another workspace or organisation too. */
  abstract get(caller: Principal, id: string): Promise<LogDetailResponse>;
}
