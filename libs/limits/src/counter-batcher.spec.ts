import { budgetBucket, concurrencyBucket, type Bucket } from './bucket';
import type { CounterStore, CounterRoundTrip } from './counter-store';
import { Ledger } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import type { Reservation } from './reservation';

const CENT = 1_000_000;
const BUSY = 600;
const PER_EXCHANGE = 64;

const budget = (id: number, creditLimit = 100): Bucket =>
  budgetBucket(
    { tenant: 'org', scope: 'api_key', id: String(id) },
    {
      type: 'cost',
      creditLimit,
      alertThreshold: null,
      periodicReset: null,
      periodicResetDays: null,
      nextResetAt: null,
      status: 'active',
    },
  );

/**
 * Counters over a network. While held back, round trips complete when the test calls `roundTrip`.
 */
class Remote implements CounterStore {
  readonly sent: CounterRoundTrip[] = [];
  mostInFlight = 0;
  private waiting: (() => void)[] = [];
  fails = false;

  constructor(
    private readonly counters: MemoryCounterStore,
    public isHeldBack = false,
  ) {}

  exchange(exchange: CounterRoundTrip) {
    this.sent.push(exchange);
    if (this.fails) return Promise.reject(new Error('gone'));
    const response = this.counters.exchange(exchange);
    if (!this.isHeldBack) return Promise.resolve(response);
    return new Promise<typeof response>((resolve) => {
      this.waiting.push(() => {
        resolve(response);
      });
      this.mostInFlight = Math.max(this.mostInFlight, this.waiting.length);
    });
  }
  /** Delivers the replies of all round trips in flight. */
  async roundTrip(): Promise<void> {
    for (const response of this.waiting.splice(0)) response();
    await new Promise((resolve) => setImmediate(resolve));
  }
  read(...args: Parameters<MemoryCounterStore['read']>) {
    return this.counters.read(...args);
  }
  correct(...args: Parameters<MemoryCounterStore['correct']>) {
    this.counters.correct(...args);
  }
  reset(...args: Parameters<MemoryCounterStore['reset']>) {
    this.counters.reset(...args);
  }
}

describe('CounterBatcher', () => {
  let now: number;
  let remote: Remote;
  let ledger: Ledger;
  const createLedger = (settings = {}): Ledger =>
    new Ledger({ counters: remote, record: null, monotonic: () => now, clock: () => now, settings });
  const reserve = async (bucket: Bucket, by = ledger): Promise<Reservation> => {
    const outcome = await by.admit([bucket], { cost: CENT, tokens: 0 });
    if (!outcome.admitted) throw new Error(`Denied: ${outcome.reason}`);
    return outcome;
  };
  const settle = (reservation: Reservation): void => {
    ledger.settle(reservation, { cost: CENT, tokens: 0, requests: 1 });
  };

  beforeEach(() => {
    now = 1_000_000;
    remote = new Remote(new MemoryCounterStore(() => now));
    ledger = createLedger();
  });

  it('reports 600 busy counters and a quiet one in one tick with at most four concurrent round trips', async () => {
    const buckets = Array.from({ length: BUSY + 1 }, (_, id) => budget(id));
    const use = async (): Promise<void> => {
      for (const bucket of buckets) settle(await reserve(bucket));
    };
    await use();
    remote.isHeldBack = true;
    for (let turn = 0; turn < 3; turn += 1) {
      now += 250;
      remote.sent.length = 0;
      ledger.tick();
      for (let trip = 0; trip < 4; trip += 1) await remote.roundTrip();
      const reported = remote.sent.flatMap(({ statements }) => statements.map(({ key }) => key));
      expect(new Set(reported).size).toBe(buckets.length);
      expect(remote.sent).toHaveLength(Math.ceil(buckets.length / PER_EXCHANGE));
      remote.isHeldBack = false;
      await use();
      remote.isHeldBack = true;
    }
    expect(remote.mostInFlight).toBeLessThanOrEqual(4);
  });

  it('never includes a counter in two concurrent round trips', async () => {
    const buckets = Array.from({ length: 200 }, (_, id) => budget(id));
    remote.isHeldBack = true;
    const waiting = [...buckets, ...buckets].map((bucket) => reserve(bucket));
    for (let trip = 0; trip < 40; trip += 1) {
      const before = remote.sent.length;
      ledger.tick();
      await remote.roundTrip();
      const keys = remote.sent.slice(before).flatMap(({ statements }) => statements.map(({ key }) => key));
      expect(new Set(keys).size).toBe(keys.length);
    }
    for (const reservation of await Promise.all(waiting)) settle(reservation);
  });

  it('decides a request while round trips that report other counters are in flight', async () => {
    const buckets = Array.from({ length: BUSY }, (_, id) => budget(id));
    for (const bucket of buckets) settle(await reserve(bucket));
    remote.isHeldBack = true;
    now += 250;
    ledger.tick();
    const outcome = ledger.admit([budget(BUSY)], { cost: CENT, tokens: 0 });
    // The counter is new to the process: it is read in the first round trip, and again with its
    // seed.
    for (let trip = 0; trip < 3; trip += 1) await remote.roundTrip();
    expect(await Promise.race([outcome, Promise.resolve(null)])).toMatchObject({ admitted: true });
  });

  it('requests a refill before its lease is used up, so that no request waits for a round trip', async () => {
    const bucket = budget(0);
    settle(await reserve(bucket));
    let waited = 0;
    for (let turn = 0; turn < 10; turn += 1) {
      now += 250;
      ledger.tick();
      await remote.roundTrip();
      for (let call = 0; call < 60; call += 1) {
        const outcome = ledger.admit([bucket], { cost: CENT, tokens: 0 });
        if (outcome instanceof Promise) waited += 1;
        const settled = await outcome;
        if (settled.admitted) settle(settled);
        // A round trip takes as long as a few calls.
        if (call % 5 === 4) await remote.roundTrip();
      }
      if (turn === 2) waited = 0;
    }
    expect(waited).toBe(0);
  });

  it('restates everything that it holds in the first tick after the counters were lost', async () => {
    const places = concurrencyBucket({ tenant: 'org', scope: 'api_key', id: 'p' }, 30);
    const held = await Promise.all(Array.from({ length: 12 }, () => reserve(places)));
    now += 5_000;
    ledger.tick();
    await remote.roundTrip();
    remote.sent.length = 0;
    ledger.countersLost();
    now += 250;
    ledger.tick();
    await remote.roundTrip();
    expect(remote.sent.flatMap(({ statements }) => statements.map(({ hold }) => hold))).toEqual([
      held.length,
    ]);
  });

  it('returns its outage share when the counters respond to a round trip that began before the outage', async () => {
    const bucket = budget(0, 1);
    ledger = createLedger({ outageSharePercent: 50 });
    const spend = async (by: Ledger): Promise<boolean> => {
      const outcome = await by.admit([bucket], { cost: CENT, tokens: 0 });
      if (outcome.admitted) by.settle(outcome, { cost: CENT, tokens: 0, requests: 1 });
      return outcome.admitted;
    };
    let spent = Number(await spend(ledger));
    // Idle for long enough to hold nothing.
    for (let turn = 0; turn < 3; turn += 1) {
      now += 5_000;
      ledger.tick();
      await remote.roundTrip();
    }
    remote.isHeldBack = true;
    const early = spend(ledger);
    remote.fails = true;
    while (!ledger.health().degraded) await ledger.admit([budget(spent++)], { cost: CENT, tokens: 0 });
    spent = 1 + Number(await spend(ledger));
    remote.fails = remote.isHeldBack = false;
    await remote.roundTrip();
    spent += Number(await early);
    const other = createLedger();
    for (const by of [other, ledger]) while (await spend(by)) spent += 1;
    // What it spent during the outage was unknown to the counters.
    expect(spent).toBeLessThanOrEqual(100 + 1);
  });

  it('admits no more concurrent requests than the limit when the counters are lost while three processes hold it', async () => {
    const places = concurrencyBucket({ tenant: 'org', scope: 'api_key', id: 'p' }, 30);
    let counters = new MemoryCounterStore(() => now);
    const proxy: CounterStore = {
      exchange: (exchange) => Promise.resolve(counters.exchange(exchange)),
      read: (...args) => counters.read(...args),
      correct: (...args) => counters.correct(...args),
      reset: (...args) => counters.reset(...args),
    };
    const options = { counters: proxy, record: null, monotonic: () => now, clock: () => now };
    const ledgers = [0, 1, 2].map(() => new Ledger(options));
    const open: { by: Ledger; reservation: Reservation }[] = [];
    const admitAll = async (): Promise<void> => {
      for (let call = 0; call < 40; call += 1) {
        const by = ledgers[call % 3] as Ledger;
        const outcome = await by.admit([places], { cost: 0, tokens: 0 });
        if (outcome.admitted) open.push({ by, reservation: outcome });
        expect(open.length).toBeLessThanOrEqual(30);
      }
    };
    for (let round = 0; round < 12; round += 1) {
      await admitAll();
      counters = new MemoryCounterStore(() => now);
      for (const { by, reservation } of open.splice(0, 3)) by.release(reservation);
      await admitAll();
      now += 250;
      for (const each of ledgers) each.tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
    now += 5_000;
    await admitAll();
    expect(open.length).toBeGreaterThan(25);
  });
});
