import { isDeepStrictEqual } from 'node:util';
import { earlierIn, type Scenario } from './scenario';

export interface PastCall {
  /** Null in dialects that have none. */
  readonly id: string | null;
  readonly name: string;
  readonly input: unknown;
}

export interface PastResult {
  readonly id: string | null;
  readonly result: unknown;
}

/** Tool calls of earlier turns that a provider receives, with their results. */
export interface History {
  readonly calls: readonly PastCall[];
  readonly results: readonly PastResult[];
}

/**
 * Returns how a history differs from the client's; null when it does not. Ids may differ, but must
 * pair.
 */
export function faultOfHistory({ calls, results }: History, scenario: Scenario): string | null {
  const expected = earlierIn(scenario);
  if (calls.length !== expected.length || results.length !== expected.length)
    return `${String(calls.length)} calls and ${String(results.length)} results`;
  if (new Set(calls.map(({ id }) => id ?? Symbol())).size < calls.length) return 'two calls have one id';
  const isKept = expected.every(({ name, input, result }, at) => {
    const [call, given] = [calls[at], results[at]];
    return (
      call?.name === name &&
      isDeepStrictEqual(call.input, input) &&
      given?.id === call.id &&
      JSON.stringify(given.result).includes(result)
    );
  });
  return isKept ? null : `other calls or results: ${JSON.stringify({ calls, results })}`;
}
