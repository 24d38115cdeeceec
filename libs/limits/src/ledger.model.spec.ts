import fc from 'fast-check';
import { concurrencyBucket, type Bucket, type BucketOwner, budgetBucket } from './bucket';
import type { CounterStore, CounterRoundTrip, CounterRoundTripReply } from './counter-store';
import type { AdmissionOutcome } from './batcher-parts';
import { Ledger } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import type { Reservation } from './reservation';

const LEASE_MS = 10_000;
/** Longer than any of these runs: no process loses its leases by being silent. */
const LONG_LEASE_MS = 10_000_000;
/** Small compared to the limits, so that processes keep leases for the next requests. */
const AMOUNT_MAX = 3;
const OWNER: BucketOwner = { tenant: 't', scope: 'workspace', id: 'w' };

const budget = (creditLimit: number, strict: boolean, id: string): Bucket =>
  budgetBucket(
    { ...OWNER, id },
    {
      type: 'tokens',
      creditLimit,
      alertThreshold: null,
      periodicReset: null,
      periodicResetDays: null,
      nextResetAt: null,
      status: 'active',
      enforcement: strict ? 'strict' : 'standard',
      onOutage: 'refuse',
    },
  );

type Step =
  | {
      readonly kind: 'admit';
      readonly by: number;
      readonly limits: readonly number[];
      readonly tokens: number;
    }
  | { readonly kind: 'settle'; readonly which: number; readonly part: number; readonly twice: boolean }
  | { readonly kind: 'tick'; readonly by: number; readonly afterMs: number }
  | { readonly kind: 'crash'; readonly by: number }
  /** Delivers or loses a message: a request to the counters or a reply to a process. */
  | { readonly kind: 'network'; readonly which: number; readonly lost: boolean }
  | { readonly kind: 'lose'; readonly what: 'request' | 'reply' | null };

const by = fc.nat({ max: 2 });
const STEPS: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> }[] = [
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('admit' as const),
      by,
      limits: fc.subarray([0, 1, 2], { minLength: 1 }),
      tokens: fc.integer({ min: 1, max: AMOUNT_MAX }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat({ max: 50 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), by, afterMs: fc.nat({ max: 4_000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('network' as const),
      which: fc.nat({ max: 5 }),
      lost: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), by }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lose' as const),
      what: fc.constantFrom('request' as const, 'reply' as const, null),
    }),
  },
];
const step = fc.oneof(...STEPS);

/**
 * Three processes that share one set of counters over a lossy network, and plain sums of the
 * charges that the counters must agree with.
 */
class Model {
  now = 1_800_000_000_000;
  losing: 'request' | 'reply' | null = null;
  readonly limits: readonly Bucket[];
  readonly open: { reservation: Reservation; tokens: number; by: number; limits: readonly number[] }[] = [];
  readonly done: Reservation[] = [];
  /**
   * `charged`: everything charged, by limit. `lost`: the part charged by processes that crashed,
   * of which the counters may not know the last charges.
   */
  readonly charged = [0, 0, 0];
  readonly lost = [0, 0, 0];
  private readonly since: number[][] = [0, 1, 2].map(() => [0, 0, 0]);
  readonly counters = new MemoryCounterStore(() => this.now);
  ledgers: Ledger[];

  /** Requests and replies in flight. */
  private readonly network: Message[] = [];

  constructor(
    values: readonly number[],
    strict: boolean,
    private readonly delayed: boolean,
    private readonly leaseMs: number,
  ) {
    this.limits = values.map((value, at) => budget(value, strict, `w${String(at)}`));
    this.ledgers = [0, 1, 2].map(() => this.ledger());
  }

  ledger(): Ledger {
    const lossy: CounterStore = {
      exchange: (exchange) => {
        if (this.delayed) {
          return new Promise((resolve, reject) =>
            this.network.push({ exchange, response: null, resolve, reject }),
          );
        }
        if (this.losing === 'request') throw new Error('lost');
        const response = this.counters.exchange(exchange);
        if (this.losing === 'reply') throw new Error('lost');
        return response;
      },
      read: (...args) => this.counters.read(...args),
      correct: (...args) => this.counters.correct(...args),
      reset: (...args) => this.counters.reset(...args),
    };
    const settings = { leaseMs: this.leaseMs };
    return new Ledger({
      counters: lossy,
      record: null,
      settings,
      monotonic: () => this.now,
      clock: () => this.now,
    });
  }

  take(one: Step): void {
    switch (one.kind) {
      case 'admit':
        this.admit(one.by, one.limits, one.tokens);
        return;
      case 'settle': {
        const [entry] = this.open.splice(one.which % Math.max(1, this.open.length), 1);
        if (entry) this.settle(entry, Math.floor(entry.tokens * one.part), one.twice);
        return;
      }
      case 'tick':
        this.now += one.afterMs;
        (this.ledgers[one.by] as Ledger).tick();
        return;
      case 'crash':
        this.crash(one.by);
        return;
      case 'network':
        this.move(one.which, one.lost);
        return;
      case 'lose':
        this.losing = one.what;
    }
  }

  private admit(index: number, limits: readonly number[], tokens: number): void {
    const buckets = limits.map((at) => this.limits[at] as Bucket);
    const outcome = (this.ledgers[index] as Ledger).admit(buckets, { cost: 0, tokens });
    const ledger = this.ledgers[index];
    const note = (settled: AdmissionOutcome): void => {
      // A crashed process receives no reply.
      if (settled.admitted && this.ledgers[index] === ledger) {
        this.open.push({ reservation: settled, tokens, by: index, limits });
      }
    };
    if (outcome instanceof Promise) void outcome.then(note);
    else note(outcome);
  }

  private move(which: number, lost: boolean): void {
    const at = which % Math.max(1, this.network.length);
    const message = this.network[at];
    if (!message) return;
    if (lost) message.reject(new Error('lost'));
    else if (message.response) message.resolve(message.response);
    else {
      message.response = this.counters.exchange(message.exchange);
      return;
    }
    this.network.splice(at, 1);
  }

  /** Runs until nothing is in flight. */
  async deliver(): Promise<void> {
    await new Promise(setImmediate);
    while (this.network.length > 0) {
      this.move(0, false);
      await new Promise(setImmediate);
    }
  }

  private settle(entry: Model['open'][number], tokens: number, twice: boolean): void {
    const ledger = this.ledgers[entry.by] as Ledger;
    for (let time = 0; time < (twice ? 2 : 1); time += 1) {
      ledger.settle(entry.reservation, { cost: 0, tokens, requests: 1 });
    }
    for (const at of entry.limits) {
      this.charged[at] = (this.charged[at] ?? 0) + tokens;
      const mine = this.since[entry.by] as number[];
      mine[at] = (mine[at] ?? 0) + tokens;
    }
  }

  /** Replaces a process. The counters lose its unreported charges, at most all of its charges. */
  private crash(index: number): void {
    const mine = this.since[index] as number[];
    for (const at of [0, 1, 2]) this.lost[at] = (this.lost[at] ?? 0) + (mine[at] ?? 0);
    this.since[index] = [0, 0, 0];
    for (let at = this.open.length - 1; at >= 0; at -= 1) {
      if (this.open[at]?.by === index) this.open.splice(at, 1);
    }
    this.ledgers[index] = this.ledger();
  }

  /** Throws when the charges and reservations of live processes exceed the bound of a limit. */
  check(bounds: readonly number[]): void {
    for (const [at, bound] of bounds.entries()) {
      const sum = (this.charged[at] ?? 0) - (this.lost[at] ?? 0) + this.reserved(at);
      if (sum > bound) throw new Error(`Limit ${String(at)} of ${String(bound)} was passed: ${String(sum)}`);
    }
  }

  reading(at: number) {
    return this.counters.read('t', (this.limits[at] as Bucket).key) ?? { used: 0, held: 0 };
  }

  reserved(at: number): number {
    return this.open.reduce((sum, { limits, tokens }) => sum + (limits.includes(at) ? tokens : 0), 0);
  }

  /**
   * Ends everything in flight, lets every lease expire, and lets every process report its usage.
   */
  async rest(): Promise<void> {
    this.losing = null;
    // The last charges arrive while requests and replies are still in flight.
    for (const entry of this.open.splice(0)) this.settle(entry, entry.tokens, false);
    await this.deliver();
    for (const entry of this.open.splice(0)) this.settle(entry, 0, false);
    for (let turn = 0; turn < 3; turn += 1) {
      this.now += LEASE_MS + 1;
      for (const ledger of this.ledgers) ledger.tick();
      await this.deliver();
    }
  }
}

interface Message {
  readonly exchange: CounterRoundTrip;
  response: CounterRoundTripReply | null;
  resolve(response: CounterRoundTripReply): void;
  reject(error: Error): void;
}

const values = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 3, maxLength: 3 });
const steps = fc.array(step, { minLength: 100, maxLength: 300 });

describe('Ledger balances under lost, late and repeated messages and crashes', () => {
  it('never charges and reserves more than a strict limit while no process is silent for longer than its lease', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.boolean(), steps, async (limits, delayed, taken) => {
        const model = new Model(limits, true, delayed, LONG_LEASE_MS);
        for (const one of taken) {
          model.take(one);
          if (delayed) await new Promise(setImmediate);
          model.check(limits);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('has counted exactly the charges and holds nothing after all requests and leases have ended', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.boolean(), fc.boolean(), steps, async (limits, strict, delayed, taken) => {
        const model = new Model(limits, strict, delayed, LEASE_MS);
        for (const one of taken) {
          model.take(one);
          if (delayed) await new Promise(setImmediate);
        }
        await model.rest();
        for (const at of [0, 1, 2]) {
          const { used, held } = model.reading(at);
          const charged = model.charged[at] ?? 0;
          expect(held).toBe(0);
          expect(used).toBeLessThanOrEqual(charged);
          expect(used).toBeGreaterThanOrEqual(charged - (model.lost[at] ?? 0));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('exceeds a standard limit by at most one request when every request uses what it reserved', async () => {
    const calm = fc.oneof(...STEPS.slice(0, 4));
    await fc.assert(
      fc.asyncProperty(
        values,
        fc.boolean(),
        fc.array(calm, { minLength: 100, maxLength: 300 }),
        async (limits, delayed, taken) => {
          const model = new Model(limits, false, delayed, LONG_LEASE_MS);
          for (const one of taken) {
            model.take(one.kind === 'settle' ? { ...one, part: 1 } : one);
            if (delayed) await new Promise(setImmediate);
            model.check(limits.map((limit) => limit + AMOUNT_MAX - 1));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('holds nothing of a concurrency limit after all requests have ended', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(by, fc.boolean()), { maxLength: 80 }),
        (most, steps) => {
          const now = 1_800_000_000_000;
          const counters = new MemoryCounterStore(() => now);
          const ledgers = [0, 1, 2].map(
            () => new Ledger({ counters, record: null, monotonic: () => now, clock: () => now }),
          );
          const open: { ledger: Ledger; reservation: Reservation }[] = [];
          for (const [index, admits] of steps) {
            const ledger = ledgers[index] as Ledger;
            if (admits) {
              const outcome = ledger.admit([concurrencyBucket(OWNER, most)], { cost: 0, tokens: 0 });
              if (!(outcome instanceof Promise) && outcome.admitted)
                open.push({ ledger, reservation: outcome });
            } else {
              const ended = open.shift();
              ended?.ledger.release(ended.reservation);
            }
            expect(open.length).toBeLessThanOrEqual(most);
          }
          for (const { ledger, reservation } of open) ledger.release(reservation);
          for (const ledger of [...ledgers, ...ledgers, ...ledgers]) ledger.tick();
          expect(counters.read('t', concurrencyBucket(OWNER, most).key)?.held ?? 0).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });
});
