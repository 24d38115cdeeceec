import { GatewayError } from '@gw/kernel';
import { outcomeOf, refusedAttempt } from './attempt-result';

describe('attempts that the gateway itself ends', () => {
  it.each([
    ['rate_limited', 429],
    ['budget_exhausted', 412],
    ['model_not_enabled', 412],
    ['provider_not_found', 400],
  ] as const)('reports %s as refused, with the status that strategies read', (type, status) => {
    expect(outcomeOf(refusedAttempt(new GatewayError(type)), 5)).toEqual({
      status,
      failure: 'refused',
      retryAfterMs: null,
      elapsedMs: 5,
    });
  });

  it('reports a guardrail denial with status 446', () => {
    const denial = Object.assign(new GatewayError('forbidden'), { status: 446 });
    expect(outcomeOf(refusedAttempt(denial), 5)).toMatchObject({ status: 446, failure: 'denied' });
  });

  it('reports any other thrown value as refused with 500', () => {
    expect(outcomeOf(refusedAttempt(new Error('bug')), 5)).toMatchObject({ status: 500, failure: 'refused' });
  });
});
