import type { UsageLimitRule } from '@gw/contracts';
import { budgetBucket, concurrencyBucket, rateBucket, type Bucket, type BucketOwner } from './bucket';
import type { Balance, CounterStore, LedgerStore } from './counter-store';
import { denialError } from './denial';
import type { Crossing, AdmissionOutcome } from './batcher-parts';
import { Ledger, type LedgerOptions } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import type { LimitDenial } from './denial';
import type { Reservation } from './reservation';

const START = Date.parse('2026-11-20T10:00:00Z');
const KEY: BucketOwner = { tenant: 'org', scope: 'api_key', id: 'k1' };
const CENT = 1_000_000;

const rule = (over: Partial<UsageLimitRule> = {}): UsageLimitRule => ({
  type: 'cost',
  creditLimit: 1,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
  ...over,
});
const budget = (over: Partial<UsageLimitRule> = {}, owner = KEY): Bucket => budgetBucket(owner, rule(over));
const rpm = (value: number, owner = KEY): Bucket =>
  rateBucket(owner, { type: 'requests', unit: 'rpm', value });
const tpm = (value: number, owner = KEY): Bucket => rateBucket(owner, { type: 'tokens', unit: 'rpm', value });

const estimate = (cost: number | null, tokens = 0) => ({ cost, tokens });
const charge = (cost: number | null, tokens = 0) => ({ cost, tokens, requests: 1 });

let now: number;
beforeEach(() => {
  now = START;
});

function ledgerOver(counters: CounterStore, options: Partial<LedgerOptions> = {}): Ledger {
  return new Ledger({ counters, record: null, monotonic: () => now, clock: () => now, ...options });
}
const memory = (): MemoryCounterStore => new MemoryCounterStore(() => now);

function value(outcome: AdmissionOutcome | Promise<AdmissionOutcome>): AdmissionOutcome {
  if (outcome instanceof Promise) throw new Error('A value was expected, not a promise.');
  return outcome;
}
function admitted(outcome: AdmissionOutcome | Promise<AdmissionOutcome>): Reservation {
  const settled = value(outcome);
  if (!settled.admitted) throw new Error(`Denied: ${settled.reason}`);
  return settled;
}
function denied(outcome: AdmissionOutcome | Promise<AdmissionOutcome>): LimitDenial {
  const settled = value(outcome);
  if (settled.admitted) throw new Error('Admitted.');
  return settled;
}

describe('Ledger', () => {
  it('admits sequential calls up to the last one that fits, and not one more', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget()];
    for (let call = 0; call < 100; call += 1) {
      ledger.settle(admitted(ledger.admit(buckets, estimate(CENT))), charge(CENT));
    }
    expect(denied(ledger.admit(buckets, estimate(CENT)))).toMatchObject({
      reason: 'limit',
      used: 100 * CENT,
    });
  });

  it('frees the unused part of a reservation, and charges usage beyond it', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget({ enforcement: 'strict' })];
    ledger.settle(admitted(ledger.admit(buckets, estimate(90 * CENT))), charge(10 * CENT));
    ledger.settle(admitted(ledger.admit(buckets, estimate(50 * CENT))), charge(80 * CENT));
    expect(denied(ledger.admit(buckets, estimate(11 * CENT))).used).toBe(90 * CENT);
    admitted(ledger.admit(buckets, estimate(10 * CENT)));
  });

  it('settles a reservation once, however often settle is called', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget()];
    const reservation = admitted(ledger.admit(buckets, estimate(CENT)));
    for (let time = 0; time < 3; time += 1) ledger.settle(reservation, charge(CENT));
    ledger.charge(reservation, charge(CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: CENT, limit: 100 * CENT }]);
  });

  it('takes nothing from any limit when one of them refuses', () => {
    const ledger = ledgerOver(memory());
    const cost = budget();
    const requests = budget({ type: 'requests', creditLimit: 1 });
    ledger.settle(admitted(ledger.admit([cost, requests], estimate(CENT))), charge(CENT));
    expect(denied(ledger.admit([cost, requests], estimate(CENT))).bucket).toBe(requests);
    expect(ledger.states([cost, requests])).toMatchObject([{ used: CENT }, { used: 1 }]);
    expect(ledger.health().openReservations).toBe(0);
  });

  it('lets in-flight requests exceed a standard budget, and refuses after that', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget({ creditLimit: 1 })];
    const reservation = admitted(ledger.admit(buckets, estimate(500 * CENT)));
    expect(denied(ledger.admit(buckets, estimate(CENT)))).toMatchObject({ used: 0, reserved: 500 * CENT });
    ledger.settle(reservation, charge(2 * CENT));
    admitted(ledger.admit(buckets, estimate(CENT)));
  });

  it('refuses a request whose estimate does not fit a strict budget, and one without a price', () => {
    const ledger = ledgerOver(memory());
    const strict = [budget({ enforcement: 'strict' })];
    expect(denied(ledger.admit(strict, estimate(101 * CENT))).reason).toBe('limit');
    expect(denied(ledger.admit(strict, estimate(null))).reason).toBe('unpriced');
    ledger.settle(admitted(ledger.admit([budget()], estimate(null))), charge(null));
  });

  it('makes no round trip while headroom is large', () => {
    const counters = memory();
    const exchange = jest.spyOn(counters, 'exchange');
    const ledger = ledgerOver(counters);
    const buckets = [
      budget({ creditLimit: 1_000 }),
      rpm(100_000),
      budget({ type: 'tokens', creditLimit: 1e9 }),
    ];
    for (let call = 0; call < 2_000; call += 1) {
      now += 1;
      ledger.settle(admitted(ledger.admit(buckets, estimate(CENT, 100))), charge(CENT, 100));
      if (call % 250 === 0) ledger.tick();
    }
    expect(exchange.mock.calls.length).toBeLessThan(60);
    ledger.tick();
    expect(ledger.states(buckets)).toMatchObject([
      { used: 2_000 * CENT },
      { used: 2_000 },
      { used: 200_000 },
    ]);
  });

  it('returns its unused lease after two idle ticks, so that other processes can use it', () => {
    const counters = memory();
    const [one, other] = [ledgerOver(counters), ledgerOver(counters)];
    const strict = { enforcement: 'strict' } as const;
    one.settle(admitted(one.admit([budget(strict)], estimate(CENT))), charge(CENT));
    now += 1_000;
    one.tick();
    one.tick();
    for (let call = 0; call < 99; call += 1) admitted(other.admit([budget(strict)], estimate(CENT)));
    denied(other.admit([budget(strict)], estimate(CENT)));
  });

  it('counts requests of a rate limit at admission, and starts at 0 in the next window', () => {
    const ledger = ledgerOver(memory());
    const buckets = [rpm(2)];
    admitted(ledger.admit(buckets, estimate(0)));
    ledger.release(admitted(ledger.admit(buckets, estimate(0))));
    now = START + 20_000;
    const denial = denied(ledger.admit(buckets, estimate(0)));
    expect(denial).toMatchObject({ used: 2, resetAtMs: START + 60_000, retryAfterMs: 40_000 });
    now = START + 60_000;
    admitted(ledger.admit(buckets, estimate(0)));
  });

  it('reserves tokens by the estimate and counts actual usage, so at most one call exceeds the limit [bud-27]', () => {
    const ledger = ledgerOver(memory());
    const buckets = [tpm(10_000)];
    ledger.settle(admitted(ledger.admit(buckets, estimate(0, 6_000))), charge(0, 1_000));
    const long = admitted(ledger.admit(buckets, estimate(0, 20_000)));
    denied(ledger.admit(buckets, estimate(0, 1)));
    ledger.settle(long, charge(0, 8_999));
    admitted(ledger.admit(buckets, estimate(0, 1)));
    denied(ledger.admit(buckets, estimate(0, 1)));
  });

  it('charges a request to the window in which it was admitted, even when it ends in a later one', () => {
    const ledger = ledgerOver(memory());
    const buckets = [tpm(100)];
    const stream = admitted(ledger.admit(buckets, estimate(0, 100)));
    now = START + 61_000;
    admitted(ledger.admit(buckets, estimate(0, 1)));
    ledger.settle(stream, charge(0, 100));
    ledger.tick();
    expect(ledger.states(buckets)).toMatchObject([{ used: 0 }]);
    admitted(ledger.admit(buckets, estimate(0, 90)));
  });

  it('admits another request under a concurrency limit when one ends', () => {
    const ledger = ledgerOver(memory());
    const buckets = [concurrencyBucket(KEY, 2)];
    const one = admitted(ledger.admit(buckets, estimate(0)));
    admitted(ledger.admit(buckets, estimate(0)));
    denied(ledger.admit(buckets, estimate(0)));
    ledger.settle(one, charge(0));
    admitted(ledger.admit(buckets, estimate(0)));
    denied(ledger.admit(buckets, estimate(0)));
  });

  it('charges each response of a session separately', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget({ creditLimit: 1 })];
    const session = admitted(ledger.admit(buckets, estimate(50 * CENT)));
    for (let response = 0; response < 3; response += 1) ledger.charge(session, charge(20 * CENT));
    ledger.settle(session, { cost: 0, tokens: 0, requests: 1 });
    expect(ledger.states(buckets)).toMatchObject([{ used: 60 * CENT }]);
  });

  it('frees and reports the reservation of a request that never ended, and still charges it once when it ends', () => {
    const abandoned: Reservation[] = [];
    const ledger = ledgerOver(memory(), {
      onAbandoned: (reservation) => abandoned.push(reservation),
      settings: { reservationMaxMs: 60_000 },
    });
    const buckets = [budget({ enforcement: 'strict' })];
    const lost = admitted(ledger.admit(buckets, estimate(100 * CENT)));
    denied(ledger.admit(buckets, estimate(CENT)));
    now += 60_000;
    ledger.tick();
    expect(abandoned).toEqual([lost]);
    expect(ledger.health()).toMatchObject({ openReservations: 0, abandoned: 1 });
    ledger.settle(lost, charge(30 * CENT));
    ledger.settle(lost, charge(30 * CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: 30 * CENT }]);
    admitted(ledger.admit(buckets, estimate(70 * CENT)));
  });

  it('resets a weekly budget exactly once, on Monday 00:00 UTC, and counts every call around the boundary [LIM-03] [bud-17] [bud-21]', () => {
    now = Date.parse('2026-11-22T23:59:59Z');
    const counters = memory();
    const ledgers = [ledgerOver(counters), ledgerOver(counters), ledgerOver(counters)];
    const buckets = [budget({ type: 'requests', creditLimit: 1_000, periodicReset: 'weekly' })];
    const counts = { before: 0, after: 0 };
    for (let call = 0; call < 100; call += 1) {
      now += 20;
      const ledger = ledgers[call % 3] as Ledger;
      ledger.settle(admitted(ledger.admit(buckets, estimate(0))), charge(0));
      counts[now < Date.parse('2026-11-23T00:00:00Z') ? 'before' : 'after'] += 1;
    }
    for (const ledger of ledgers) ledger.tick();
    expect(counts.before).toBeGreaterThan(0);
    expect(ledgers[0]?.states(buckets)).toMatchObject([
      { used: counts.after, resetAt: '2026-11-30T00:00:00.000Z' },
    ]);
    now -= 3_600_000;
    expect(ledgers[1]?.states(buckets)).toMatchObject([{ used: counts.after }]);
  });

  it('admits at once when an exhausted limit is raised, and refuses at once when it is lowered [LIM-04]', () => {
    const ledger = ledgerOver(memory());
    const spend = (limit: number) => ledger.admit([budget({ creditLimit: limit })], estimate(CENT));
    for (let call = 0; call < 100; call += 1) ledger.settle(admitted(spend(1)), charge(CENT));
    denied(spend(1));
    ledger.settle(admitted(spend(2)), charge(CENT));
    denied(spend(1));
    admitted(spend(2));
  });

  it('starts at 0 after a reset, and for a key that was created again under the same name [bud-29]', () => {
    const ledger = ledgerOver(memory());
    ledger.settle(admitted(ledger.admit([budget()], estimate(CENT))), charge(100 * CENT));
    denied(ledger.admit([budget()], estimate(CENT)));
    now += 1_000;
    admitted(ledger.admit([budget({ lastResetAt: new Date(now).toISOString() })], estimate(CENT)));
    admitted(ledger.admit([budget({}, { ...KEY, id: 'k2' })], estimate(CENT)));
  });

  it('reports a crossing at the alert threshold and at the limit, each once', () => {
    const crossings: Crossing[] = [];
    const ledger = ledgerOver(memory(), { onCrossing: (crossing) => crossings.push(crossing) });
    const buckets = [budget({ alertThreshold: 0.5 })];
    for (let call = 0; call < 100; call += 1) {
      ledger.settle(admitted(ledger.admit(buckets, estimate(CENT))), charge(CENT));
      ledger.tick();
    }
    expect(crossings.map(({ kind, used }) => [kind, used])).toEqual([
      ['threshold', 50 * CENT],
      ['exhausted', 100 * CENT],
    ]);
  });

  it('queries the durable record once for many requests when the counters do not have a budget', async () => {
    let respond: (balances: readonly Balance[]) => void = () => undefined;
    const record = {
      balances: jest.fn(() => new Promise<readonly Balance[]>((resolve) => (respond = resolve))),
    } satisfies LedgerStore;
    const ledger = ledgerOver(memory(), { record });
    const buckets = [budget()];
    const waiting = Array.from({ length: 50 }, async () => ledger.admit(buckets, estimate(CENT)));
    respond([{ period: 0, used: 70 * CENT, holders: [] }]);
    const outcomes = await Promise.all(waiting);
    expect(record.balances).toHaveBeenCalledTimes(1);
    expect(outcomes.filter((outcome) => outcome.admitted)).toHaveLength(30);
  });
});

describe('Ledger with unreachable counters', () => {
  class Unreliable extends MemoryCounterStore {
    down = false;
    override exchange(...args: Parameters<MemoryCounterStore['exchange']>) {
      if (this.down) throw new Error('gone');
      return super.exchange(...args);
    }
  }

  it('spends its share of the last known headroom, so that all processes together exceed the limit by little', () => {
    const counters = new Unreliable(() => now);
    const ledgers = [0, 1, 2].map(() => ledgerOver(counters, { settings: { outageSharePercent: 100 } }));
    const buckets = [budget()];
    const spend = (ledger: Ledger): boolean => {
      const outcome = value(ledger.admit(buckets, estimate(CENT)));
      if (outcome.admitted) ledger.settle(outcome, charge(CENT));
      return outcome.admitted;
    };
    let spent = 0;
    for (const ledger of ledgers) spent += Number(spend(ledger));
    // Each process has received what the others hold.
    for (const ledger of [...ledgers, ...ledgers]) ledger.tick();
    counters.down = true;
    now += 30_000;
    for (const ledger of ledgers) for (let call = 0; call < 100; call += 1) spent += Number(spend(ledger));
    expect(spent).toBeGreaterThan(60);
    expect(spent).toBeLessThanOrEqual(103);
    expect(ledgers[0]?.health().degraded).toBe(true);
    counters.down = false;
    now += 5_000;
    for (const ledger of ledgers) ledger.tick();
    expect(ledgers[0]?.health()).toMatchObject({ degraded: false, degradedForMs: 0 });
    expect(ledgers[0]?.states(buckets)).toMatchObject([{ used: spent * CENT }]);
  });

  it.each([
    [undefined, 1],
    [0, 0],
    [5, 5],
  ])('spends at most outageSharePercent (%p) of a budget in one outage: %p %%', (percent, share) => {
    const counters = new Unreliable(() => now);
    const settings = percent === undefined ? {} : { outageSharePercent: percent };
    const ledger = ledgerOver(counters, { settings });
    const buckets = [budget()];
    const spend = (): number => {
      let spent = 0;
      for (let call = 0; call < 200; call += 1) {
        const outcome = value(ledger.admit(buckets, estimate(CENT)));
        if (!outcome.admitted) break;
        ledger.settle(outcome, charge(CENT));
        spent += 1;
      }
      return spent;
    };
    ledger.settle(admitted(ledger.admit(buckets, estimate(CENT))), charge(CENT));
    // Idle for long enough to hold nothing.
    for (let turn = 0; turn < 3; turn += 1) {
      now += 5_000;
      ledger.tick();
    }
    counters.down = true;
    let spent = spend();
    // A longer outage and more failed probes grant no further share.
    for (let minute = 0; minute < 10; minute += 1) {
      now += 60_000;
      ledger.tick();
      spent += spend();
    }
    expect(spent).toBe(share);
  });

  it('keeps its outage share when probes of the counters fail repeatedly', () => {
    const counters = new Unreliable(() => now);
    const ledgers = [0, 1, 2].map(() => ledgerOver(counters, { settings: { outageSharePercent: 100 } }));
    const buckets = [budget()];
    const spend = (ledger: Ledger): boolean => {
      const outcome = value(ledger.admit(buckets, estimate(CENT)));
      if (outcome.admitted) ledger.settle(outcome, charge(CENT));
      return outcome.admitted;
    };
    let spent = 0;
    for (const ledger of ledgers) spent += Number(spend(ledger));
    for (const ledger of [...ledgers, ...ledgers]) ledger.tick();
    counters.down = true;
    for (let second = 0; second < 60; second += 1) {
      now += 1_000;
      for (const ledger of ledgers) {
        ledger.tick();
        spent += Number(spend(ledger));
      }
    }
    expect(spent).toBeGreaterThan(60);
    expect(spent).toBeLessThanOrEqual(103);
  });

  it('refuses requests of strict limits and of limits with on_outage refuse', () => {
    const counters = new Unreliable(() => now);
    counters.down = true;
    const ledger = ledgerOver(counters);
    const denial = denied(ledger.admit([budget({ onOutage: 'refuse' })], estimate(CENT)));
    expect(denialError(denial)).toMatchObject({ type: 'unavailable', status: 503 });
    expect(denied(ledger.admit([budget({ enforcement: 'strict' })], estimate(CENT))).reason).toBe(
      'unverifiable',
    );
  });

  it('reports a budget as reached only when its usage is known, and as unverifiable when its local share is spent', () => {
    const counters = new Unreliable(() => now);
    const reached = budget({ creditLimit: 1 });
    const ledger = ledgerOver(counters);
    ledger.settle(admitted(ledger.admit([reached], estimate(CENT))), charge(100 * CENT));
    ledger.tick();
    counters.down = true;
    const unknown = budget({ creditLimit: 1 }, { ...KEY, id: 'other' });
    admitted(ledger.admit([unknown], estimate(CENT)));
    expect(denied(ledger.admit([unknown], estimate(CENT))).reason).toBe('unverifiable');
    expect(denied(ledger.admit([reached], estimate(CENT))).reason).toBe('limit');
  });

  it('admits 1 % of a budget that it has never seen, and a quarter of a rate limit in every window', () => {
    const counters = new Unreliable(() => now);
    counters.down = true;
    const ledger = ledgerOver(counters);
    const count = (bucket: Bucket, cost: number): number => {
      let calls = 0;
      while (value(ledger.admit([bucket], estimate(cost))).admitted) calls += 1;
      return calls;
    };
    expect(count(budget({ creditLimit: 10 }), CENT)).toBe(10);
    expect(count(rpm(100), 0)).toBe(25);
    now += 60_000;
    expect(count(rpm(100), 0)).toBe(25);
  });

  it('rebuilds rate-limit windows from the usage that the processes restate after the counters were lost', () => {
    let counters = memory();
    const proxy: CounterStore = {
      exchange: (exchange) => counters.exchange(exchange),
      read: (...args) => counters.read(...args),
      correct: (...args) => counters.correct(...args),
      reset: (...args) => counters.reset(...args),
    };
    const ledgers = [ledgerOver(proxy), ledgerOver(proxy)] as const;
    for (let call = 0; call < 40; call += 1)
      admitted((ledgers[call % 2] as Ledger).admit([rpm(100)], estimate(0)));
    for (const ledger of ledgers) ledger.tick();
    counters = memory();
    now += 5_000;
    for (const ledger of ledgers) ledger.tick();
    for (const ledger of ledgers) ledger.tick();
    expect(ledgers[0].states([rpm(100)])).toMatchObject([{ used: 40 }]);
  });
});
