import type { LogRecord } from './log-record';
import { isSuccess, resultOf } from './request-result';

const OUTCOMES: Record<LogRecord['outcome'], true> = {
  ...{ ok: true, provider_error: true, denied: true },
  ...{ failed: true, client_closed: true, interrupted: true },
};
const outcomes = Object.keys(OUTCOMES) as LogRecord['outcome'][];

describe('resultOf', () => {
  it.each([
    ['a complete response', 'ok', 200, 'success'],
    ['a response that a guardrail marked', 'ok', 246, 'success'],
    ['a complete realtime session', 'ok', 101, 'success'],
    ['a redirect', 'ok', 304, 'neither'],
    ['a stream that broke off', 'interrupted', 200, 'error'],
    ['a stream that a guardrail denied', 'denied', 200, 'error'],
    ['a realtime session that a guardrail ended', 'denied', 101, 'error'],
    ['JSON that is not whole', 'failed', 200, 'error'],
    ['a stream that its client left', 'client_closed', 200, 'neither'],
    ['a request that its client left before the response', 'client_closed', 499, 'error'],
    ['an error of the provider', 'provider_error', 429, 'error'],
    ['a sum of an earlier release over 2xx', '', 201, 'success'],
    ['a sum of an earlier release over 4xx', '', 404, 'error'],
  ] as const)('judges %s', (_case, outcome, status, result) => {
    expect(resultOf({ outcome, status })).toBe(result);
  });

  it('returns success exactly for outcome ok with status 101 or 2xx, and error for every status from 400 on', () => {
    for (const outcome of outcomes)
      for (let status = 0; status < 1_000; status += 1) {
        const result = resultOf({ outcome, status });
        const isGood = outcome === 'ok' && (status === 101 || Math.floor(status / 100) === 2);
        expect([outcome, status, isSuccess({ outcome, status })]).toEqual([outcome, status, isGood]);
        if (status >= 400) expect([outcome, status, result]).toEqual([outcome, status, 'error']);
      }
  });
});
