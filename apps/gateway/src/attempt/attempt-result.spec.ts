import { GatewayError } from '@gw/kernel';
import { outcomeOf, refusedAttempt } from './attempt-result';

describe('an attempt that the gateway itself ends', () => {
  it.each([
    ['rate_limited', 429],
    ['budget_exhausted', 412],
    ['model_not_enabled', 412],
    ['provider_not_found', 400],
  ] as const)('is refused by %s, with the status that strategies read', (type, status) => {
    expect(outcomeOf(refusedAttempt(new GatewayError(type)), 5)).toEqual({
      status,
      failure: 'refused',
      retryAfterMs: null,
      elapsedMs: 5,
    });
  });

  it('is denied by a guardrail, whose status is 446', () => {
    const denial = Object.assign(new GatewayError('forbidden'), { status: 446 });
    expect(outcomeOf(refusedAttempt(denial), 5)).toMatchObject({ status: 446, failure: 'denied' });
  });

  it('is refused with 500 by anything else that is thrown', () => {
    expect(outcomeOf(refusedAttempt(new Error('bug')), 5)).toMatchObject({ status: 500, failure: 'refused' });
  });
});
