import type { Principal } from '../common/principal';
import type { LogDetailResponse } from './log-responses.dto';

/**
 * Scopes that allow reading a log; one of them is enough. `logs.view` reads every log, the others
 * only those of the caller's own requests.
 */
export const READS_A_LOG: [string, ...string[]] = ['logs.view', 'completions.write', 'logs.write'];

/** Reads one log for other resources; the `logs` resource provides it. */
export abstract class LogReader {
  /**
   * Returns a log. Throws `not_found` for an unknown log and for one of another workspace or
   * organisation.
   */
  abstract get(caller: Principal, id: string): Promise<LogDetailResponse>;
}
