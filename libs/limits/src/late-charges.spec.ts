import { budgetBucket, concurrencyBucket, rateBucket, type Bucket, type BucketOwner } from './bucket';
import { Ledger, type LedgerOptions } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import type { Reservation } from './reservation';

const KEY: BucketOwner = { tenant: 'org', scope: 'api_key', id: 'k1' };
const CENT = 1_000_000;
const NO_RESET = { periodicReset: null, periodicResetDays: null, nextResetAt: null } as const;

const budget = (): Bucket =>
  budgetBucket(KEY, { type: 'cost', creditLimit: 1, alertThreshold: null, status: 'active', ...NO_RESET });
const estimate = (cost: number | null) => ({ cost, tokens: 0 });
const charge = (cost: number) => ({ cost, tokens: 0, requests: 1 });

describe('Ledger, for charges long after the admission', () => {
  let now: number;
  beforeEach(() => {
    now = Date.parse('2026-11-20T10:00:00Z');
  });

  const memory = (): MemoryCounterStore => new MemoryCounterStore(() => now);
  const ledgerOver = (counters: MemoryCounterStore, options: Partial<LedgerOptions> = {}): Ledger =>
    new Ledger({ counters, record: null, monotonic: () => now, clock: () => now, ...options });
  const admitted = (outcome: ReturnType<Ledger['admit']>): Reservation => {
    if (outcome instanceof Promise || !outcome.admitted) throw new Error('Not admitted at once.');
    return outcome;
  };
  /** Passes the time with a tick every ten seconds. */
  const pass = (ledger: Ledger, ms: number): void => {
    for (const end = now + ms; now < end;) {
      now += 10_000;
      ledger.tick();
    }
  };

  it('counts each part of a session that is silent for minutes between parts, also after it was abandoned', () => {
    const ledger = ledgerOver(memory(), { settings: { reservationMaxMs: 900_000 } });
    const buckets = [budget()];
    const session = admitted(ledger.admit(buckets, estimate(10 * CENT)));
    ledger.charge(session, charge(10 * CENT));
    pass(ledger, 300_000);
    ledger.charge(session, charge(20 * CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: 30 * CENT }]);
    pass(ledger, 1_800_000);
    ledger.charge(session, charge(40 * CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: 70 * CENT }]);
    ledger.settle(session, charge(5 * CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: 75 * CENT }]);
    pass(ledger, 300_000);
    expect(ledger.health().counters).toBe(0);
  });

  it('keeps the place of a session under a concurrency limit while parts of it are charged in time', () => {
    const ledger = ledgerOver(memory(), { settings: { reservationMaxMs: 60_000 } });
    const buckets = [concurrencyBucket(KEY, 1)];
    const session = admitted(ledger.admit(buckets, estimate(0)));
    for (let part = 0; part < 10; part += 1) {
      now += 50_000;
      ledger.tick();
      ledger.charge(session, charge(CENT));
    }
    expect(ledger.admit(buckets, estimate(0))).toMatchObject({ admitted: false, reason: 'limit' });
    now += 60_000;
    ledger.tick();
    admitted(ledger.admit(buckets, estimate(0)));
  });

  it('abandons a session after a day although its parts are charged, so that its holder name is not used for days', () => {
    const ledger = ledgerOver(memory());
    const session = admitted(ledger.admit([budget()], estimate(0)));
    for (let minutes = 0; minutes <= 24 * 60; minutes += 10) {
      expect(session.state).toBe('open');
      now += 600_000;
      ledger.tick();
      ledger.charge(session, charge(1));
    }
    pass(ledger, 1_200_000);
    expect(session.state).toBe('abandoned');
    pass(ledger, 12 * 3_600_000);
    expect(session.state).toBe('forgotten');
    ledger.settle(session, charge(1));
    expect(session.state).toBe('settled');
  });

  it('counts a charge after the settlement although the counter was idle meanwhile, or is in use again', () => {
    for (const isUsedAgain of [false, true]) {
      const ledger = ledgerOver(memory());
      const buckets = [rateBucket(KEY, { type: 'tokens', unit: 'rpd', value: 1_000 })];
      const tokens = (count: number) => ({ cost: 0, tokens: count, requests: 0 });
      const released = admitted(ledger.admit(buckets, tokens(10)));
      ledger.settle(released, tokens(3));
      pass(ledger, 120_000);
      expect(ledger.health().counters).toBe(0);
      if (isUsedAgain) ledger.settle(admitted(ledger.admit(buckets, tokens(10))), tokens(5));
      ledger.chargeLate(released, tokens(40));
      pass(ledger, 10_000);
      expect(ledger.states(buckets)).toMatchObject([{ used: isUsedAgain ? 48 : 43 }]);
    }
  });

  it('counts a request without a known price that ends minutes after its admission', () => {
    const ledger = ledgerOver(memory());
    const buckets = [budget()];
    const request = admitted(ledger.admit(buckets, estimate(null)));
    pass(ledger, 120_000);
    ledger.settle(request, charge(50 * CENT));
    expect(ledger.states(buckets)).toMatchObject([{ used: 50 * CENT }]);
  });

  it('holds nothing in the counters after it stopped', async () => {
    const counters = memory();
    const ledger = ledgerOver(counters);
    const buckets = [rateBucket(KEY, { type: 'requests', unit: 'rpm', value: 1_000 })];
    for (let call = 0; call < 10; call += 1) ledger.release(admitted(ledger.admit(buckets, estimate(0))));
    await ledger.stop();
    expect(counters.read('org', buckets[0]?.key ?? '')).toMatchObject({ used: 10, held: 0 });
  });
});
