import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { budgetBucket, rateBucket, type Bucket, type BucketOwner } from './bucket';
import type { AdmissionOutcome, LedgerSettings } from './batcher-parts';
import { denialError, denialRpcError, type LimitDenial } from './denial';
import { Ledger } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import type { Reservation } from './reservation';

const START = Date.parse('2026-11-20T10:00:00Z');
const KEY: BucketOwner = { tenant: 'org', scope: 'api_key', id: 'k1' };
const CENT = 1_000_000;
const NO_RESET = { periodicReset: null, periodicResetDays: null, nextResetAt: null } as const;

const budget = (over: Partial<UsageLimitRule> = {}): Bucket =>
  budgetBucket(KEY, {
    ...{ type: 'cost', creditLimit: 1, alertThreshold: null, status: 'active', ...NO_RESET },
    ...over,
  });
const rpm = (value: number): Bucket => rateBucket(KEY, { type: 'requests', unit: 'rpm', value });
const tpm = (value: number, over: Partial<RateLimitRule> = {}): Bucket =>
  rateBucket(KEY, { type: 'tokens', unit: 'rpm', value, ...over });
const estimate = (cost: number) => ({ cost, tokens: 0 });
const charge = (cost: number) => ({ cost, tokens: 0, requests: 1 });

let now: number;
beforeEach(() => {
  now = START;
});
const newLedger = (settings: Partial<LedgerSettings> = {}): Ledger => {
  const counters = new MemoryCounterStore(() => now);
  return new Ledger({ counters, record: null, monotonic: () => now, clock: () => now, settings });
};
function admitted(outcome: AdmissionOutcome | Promise<AdmissionOutcome>): Reservation {
  if (outcome instanceof Promise || !outcome.admitted) throw new Error('Not admitted at once.');
  return outcome;
}
function denied(outcome: AdmissionOutcome | Promise<AdmissionOutcome>): LimitDenial {
  if (outcome instanceof Promise || outcome.admitted) throw new Error('Not denied at once.');
  return outcome;
}

describe('denialError', () => {
  it('states limit, scope, usage and reset, with 429 for rate limits and 412 for budgets [LIM-06]', () => {
    const ledger = newLedger();
    now = START + 15_000;
    ledger.release(admitted(ledger.admit([rpm(1)], estimate(0))));
    const rate = denialError(denied(ledger.admit([rpm(1)], estimate(0))));
    expect(rate.toBody('r').error).toMatchObject({
      type: 'rate_limited',
      message: 'The limit of 1 requests_per_m of this api key was reached.',
      limit: { scope: 'api_key', id: 'k1', limit: 1, used: 1, resets_at: '2026-11-20T10:01:00.000Z' },
    });
    expect(rate.status).toBe(429);
    expect(rate.options.headers).toEqual({
      'retry-after': '45',
      ratelimit: 'limit=1, remaining=0, reset=45',
    });

    const monthly = [budget({ periodicReset: 'monthly' })];
    ledger.settle(admitted(ledger.admit(monthly, estimate(0))), charge(150 * CENT));
    const spent = denialError(denied(ledger.admit(monthly, estimate(0))));
    expect(spent.status).toBe(412);
    expect(spent.toBody('r').error).toMatchObject({
      type: 'budget_exhausted',
      message: 'The limit of 1 USD of this api key was reached.',
      limit: { type: 'cost', limit: 1, used: 1.5, reserved: 0, resets_at: '2026-12-01T00:00:00.000Z' },
    });
  });

  it('sends no retry-after for a budget that never resets, and converts to a JSON-RPC error for tool calls', () => {
    const ledger = newLedger();
    ledger.settle(admitted(ledger.admit([budget()], estimate(0))), charge(100 * CENT));
    const denial = denied(ledger.admit([budget()], estimate(0)));
    expect(denialError(denial).options.headers).toEqual({});
    expect(denialRpcError({ ...denial, retryAfterMs: 12.5 })).toMatchObject({
      code: -32_029,
      data: { policy_id: 'k1', retry_after_ms: 13 },
    });
  });

  it('sends no retry-after when a strict limit cannot estimate the request, and states the known usage', () => {
    const ledger = newLedger();
    const strict = { enforcement: 'strict' } as const;
    const limits = [budget(strict), tpm(1_000, strict)];
    ledger.settle(admitted(ledger.admit(limits, { cost: CENT, tokens: 7 })), { ...charge(CENT), tokens: 7 });
    const [cost, tokens] = [
      denialError(denied(ledger.admit([limits[0] as Bucket], { cost: null, tokens: 0 }))),
      denialError(denied(ledger.admit([limits[1] as Bucket], { cost: 0, tokens: null }))),
    ];
    expect([cost.status, cost.options.headers]).toEqual([412, {}]);
    expect(cost.toBody('r').error).toMatchObject({ limit: { type: 'cost', used: 0.01 } });
    expect([tokens.status, tokens.options.headers]).toEqual([429, {}]);
    expect(tokens.toBody('r').error).toMatchObject({ limit: { type: 'tokens_per_m', used: 7 } });
  });
});

describe('Ledger.states', () => {
  it('throws unavailable when this process cannot know the limits, instead of an empty list', () => {
    const ledger = newLedger({ slotsMax: 0 });
    expect(() => ledger.states([budget()])).toThrow(
      expect.objectContaining({ type: 'unavailable' }) as Error,
    );
  });
});
