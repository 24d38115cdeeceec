import type { RetrySettings } from '@gw/config-schema';
import type { CompiledTarget } from './compile/compiled';
import { compileConfig } from './config-language';
import { isRetryable } from './retry';
import type { AttemptFailure, AttemptOutcome } from './types';

const rules = (retry: RetrySettings): CompiledTarget =>
  compileConfig({ provider: 'openai', retry }).targets[0] as CompiledTarget;

const outcome = (status: number | null, failure: AttemptFailure | null = null): AttemptOutcome => ({
  status,
  failure,
  retryAfterMs: null,
  elapsedMs: 1,
});

describe('isRetryable', () => {
  it.each([429, 500, 502, 503, 504])('retries after %d by default', (status) => {
    expect(isRetryable(outcome(status), rules({ attempts: 1 }))).toBe(true);
  });

  it.each([200, 246, 304, 400, 401, 403, 404, 408, 446, 501])(
    'does not retry after %d by default',
    (status) => {
      expect(isRetryable(outcome(status), rules({ attempts: 1 }))).toBe(false);
    },
  );

  it('uses a given list instead of the default one, even an empty one', () => {
    const teapot = rules({ attempts: 1, on_status_codes: [418] });
    expect(isRetryable(outcome(418), teapot)).toBe(true);
    expect(isRetryable(outcome(503), teapot)).toBe(false);
    expect(isRetryable(outcome(503), rules({ attempts: 1, on_status_codes: [] }))).toBe(false);
  });

  it.each<[AttemptOutcome, number[], boolean]>([
    [outcome(null, 'unreachable'), [], true],
    [outcome(200, 'interrupted'), [], true],
    [outcome(408, 'timeout'), [504], false],
    [outcome(null, 'timeout'), [504], false],
    [outcome(null, 'timeout'), [408], true],
    [outcome(504, 'timeout'), [504], true],
    [outcome(429, 'refused'), [429], false],
    [outcome(502, 'redirected'), [502], false],
    [outcome(446, 'denied'), [429], false],
    [outcome(446, 'denied'), [446], true],
  ])('decides on outcome %j with on_status_codes %j: %s', (failed, codes, expected) => {
    expect(isRetryable(failed, rules({ attempts: 1, on_status_codes: codes }))).toBe(expected);
  });
});
