import { DAY_MS, HOUR_MS } from '@gw/kernel';
import fc from 'fast-check';
import { budgetBucket, type Bucket } from '../bucket';
import type { Balance, CounterStore, CounterRoundTrip, CounterRoundTripReply } from '../counter-store';
import { Ledger } from '../ledger';
import type { Reservation } from '../reservation';
import { roundTripOf, statement } from './statements';

/** Counters that can be lost, with a clock that the test sets. */
export interface ModelStore extends CounterStore {
  /** Loses every counter. */
  lose(): void | Promise<void>;
  turnTo(nowMs: number): void;
}

/** A step of a process. `repeat` sends its next message twice; `deafen` loses the next reply. */
type ProcessStep =
  | { readonly kind: 'admit'; readonly by: number; readonly tokens: number }
  | { readonly kind: 'settle'; readonly which: number; readonly tokens: number }
  | { readonly kind: 'tick' | 'crash'; readonly by: number }
  | { readonly kind: 'repeat' | 'deafen' };

/**
 * A step of the record, the counters or time. `pass` moves all clocks; `jump` moves only the
 * counters' clock.
 */
type EnvironmentStep =
  | { readonly kind: 'record'; readonly count: number }
  | { readonly kind: 'pass' | 'jump'; readonly hours: number }
  | { readonly kind: 'correct' | 'lose' };

type Step = ProcessStep | EnvironmentStep;

const ENVIRONMENT_KINDS: ReadonlySet<string> = new Set(['record', 'pass', 'jump', 'correct', 'lose']);
const isEnvironmentStep = (one: Step): one is EnvironmentStep => ENVIRONMENT_KINDS.has(one.kind);

const by = fc.nat({ max: 2 });
const tokens = fc.integer({ min: 0, max: 9 });
const only = <Kind extends string>(...kinds: [Kind, ...Kind[]]) =>
  fc.record({ kind: fc.constantFrom(...kinds) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('admit' as const), by, tokens }) },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), which: fc.nat({ max: 30 }), tokens }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('record' as const), count: fc.nat({ max: 8 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('tick' as const), by }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), by }) },
  { weight: 3, arbitrary: only('correct', 'lose') },
  { weight: 3, arbitrary: only('repeat', 'deafen') },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('jump' as const), hours: fc.integer({ min: -1, max: 1 }) }),
  },
);

const MONDAY_MS = 1_793_577_600_000;
let models = 0;

interface Use {
  /** When it was recorded. */
  at: number;
  readonly period: number;
  readonly holder: string;
  readonly used: number;
}

const sumOf = (uses: readonly Use[]): number => uses.reduce((sum, { used }) => sum + used, 0);

/** How long the durable record lists a holder as recent, and as former. */
const LATE_MS = 2 * DAY_MS;
const KEPT_MS = 5 * DAY_MS;

/**
 * Three processes and a budget that resets every few days, over counters that are lost repeatedly
 * and a clock that jumps; charges reach the durable record late. The expected value is the plain
 * list of charges.
 */
class Model {
  private readonly tenant = `t${String((models += 1))}`;
  readonly bucket: Bucket;
  private readonly charged: Use[] = [];
  private readonly open: { readonly reservation: Reservation; readonly ledger: Ledger }[] = [];
  /** Unrecorded charges of all processes, dead ones included: a journal outlives its process. */
  private readonly journal: Use[] = [];
  private readonly recorded: Use[] = [];
  private readonly ledgers: Ledger[];
  private now = MONDAY_MS + DAY_MS / 2;
  private jump = 0;
  private monotonic = 0;
  private fate: 'repeat' | 'deafen' | null = null;
  private readonly periods: number[] = [];

  constructor(
    private readonly counters: ModelStore,
    /** Length of a period. */
    days: number | null,
  ) {
    this.bucket = budgetBucket(
      { tenant: this.tenant, scope: 'workspace', id: 'w' },
      {
        type: 'tokens',
        creditLimit: 1_000_000,
        alertThreshold: null,
        periodicReset: null,
        periodicResetDays: days,
        nextResetAt: null,
        status: 'active',
      },
    );
    this.turn(0);
    this.ledgers = [0, 1, 2].map(() => this.ledger());
  }

  take(one: Step): Promise<void> {
    this.monotonic += 50;
    return isEnvironmentStep(one) ? this.happen(one) : this.act(one);
  }

  private async act(one: ProcessStep): Promise<void> {
    switch (one.kind) {
      case 'admit': {
        const ledger = this.ledgers[one.by] as Ledger;
        const reservation = await ledger.admit([this.bucket], { cost: 0, tokens: one.tokens });
        if (reservation.admitted) this.open.push({ reservation, ledger });
        return;
      }
      case 'settle': {
        const [entry] = this.open.splice(one.which % Math.max(1, this.open.length), 1);
        if (entry) this.settle(entry, one.tokens);
        return;
      }
      case 'tick':
        return this.tick(this.ledgers[one.by] as Ledger);
      case 'crash':
        this.crash(one.by);
        return;
      case 'repeat':
      case 'deafen':
        this.fate = one.kind;
    }
  }

  private async happen(one: EnvironmentStep): Promise<void> {
    switch (one.kind) {
      case 'record':
        this.record(one.count);
        return;
      case 'pass':
        return this.pass(one.hours * HOUR_MS);
      case 'jump':
        this.jump = one.hours * HOUR_MS;
        this.turn(0);
        return;
      case 'correct':
        return this.correct();
      case 'lose':
        this.periods.length = 0;
        await this.counters.lose();
    }
  }

  /**
   * Lets hours pass. No request takes that long, so open ones are settled first, live processes
   * report, and all journals are recorded.
   */
  private async pass(ms: number): Promise<void> {
    for (const entry of this.open.splice(0)) this.settle(entry, 1);
    for (const ledger of this.ledgers) await this.tick(ledger);
    this.record();
    this.turn(ms);
    for (const ledger of this.ledgers) await this.tick(ledger);
  }

  /**
   * Expects that the counter does not exceed the charges of its period and later ones (with
   * `exactly`: equals them), and that its period never goes back.
   */
  async check(exactly = false): Promise<void> {
    const reading = await this.counters.read(this.tenant, this.bucket.key);
    if (reading === null) return;
    expect(reading.period).toBeGreaterThanOrEqual(this.periods.at(-1) ?? 0);
    this.periods.push(reading.period);
    const most = sumOf(this.charged.filter(({ period }) => period >= reading.period));
    if (exactly) expect(reading.used).toBe(most);
    else expect(reading.used).toBeLessThanOrEqual(most);
  }

  /**
   * Ends, reports and records everything, and lets the leases of dead processes expire.
   */
  async rest(): Promise<void> {
    this.fate = null;
    for (const entry of this.open.splice(0)) this.settle(entry, 1);
    for (let round = 0; round < 2; round += 1) {
      this.turn(100_000);
      for (const ledger of this.ledgers) await this.tick(ledger);
    }
    this.record();
    for (const ledger of this.ledgers) await ledger.states([this.bucket]);
    await this.correct();
  }

  private ledger(): Ledger {
    const record = {
      balances: (_: string, counters: readonly { readonly since: number }[]) =>
        Promise.resolve(counters.map(({ since }) => this.balance(since))),
    };
    const counters: CounterStore = {
      exchange: (exchange) => this.carry(exchange),
      read: (...args) => this.counters.read(...args),
      correct: (...args) => this.counters.correct(...args),
      reset: (...args) => this.counters.reset(...args),
    };
    // The process's own clock is not used and does not move.
    return new Ledger({
      ...{ counters, record },
      ...{ monotonic: () => this.monotonic, clock: () => MONDAY_MS },
    });
  }

  private async carry(exchange: CounterRoundTrip): Promise<CounterRoundTripReply> {
    const { fate } = this;
    this.fate = null;
    const response = await this.counters.exchange(exchange);
    if (fate === 'repeat') await this.counters.exchange(exchange);
    if (fate === 'deafen') throw new Error('the reply was lost');
    return response;
  }

  private balance(since: number): Balance {
    const counted = this.recorded.filter(({ period }) => period >= since);
    const parts = new Map<string, number>();
    for (const { holder, used } of counted) parts.set(holder, (parts.get(holder) ?? 0) + used);
    const chargedAfter = (time: number): Set<string> =>
      new Set(counted.filter(({ at }) => at > time).map(({ holder }) => holder));
    const [late, kept] = [chargedAfter(this.now - LATE_MS), chargedAfter(this.now - KEPT_MS)];
    return {
      ...{ period: since, used: sumOf(counted) },
      holders: [...parts].filter(([holder]) => late.has(holder)),
      former: [...parts].filter(([holder]) => kept.has(holder) && !late.has(holder)),
    };
  }

  private async correct(): Promise<void> {
    const reading = await this.counters.read(this.tenant, this.bucket.key);
    if (reading === null) return;
    await this.counters.correct(this.tenant, this.bucket.key, this.balance(reading.period));
  }

  private settle({ reservation, ledger }: Model['open'][number], used: number): void {
    for (let time = 0; time < 2; time += 1)
      ledger.settle(reservation, { cost: 0, tokens: used, requests: 1 });
    const use = { at: 0, period: reservation.periodOf(0), holder: reservation.holderOf(0), used };
    this.charged.push(use);
    this.journal.push(use);
  }

  private record(count = this.journal.length): void {
    for (const use of this.journal.splice(0, count)) {
      use.at = this.now;
      this.recorded.push(use);
    }
  }

  private turn(byMs: number): void {
    this.now += byMs;
    this.monotonic += byMs;
    this.counters.turnTo(this.now + this.jump);
  }

  /** Replaces a process. Its unreported usage is in its journal; its open reservations are lost. */
  private crash(index: number): void {
    const dead = this.ledgers[index];
    for (let at = this.open.length - 1; at >= 0; at -= 1) {
      if (this.open[at]?.ledger === dead) this.open.splice(at, 1);
    }
    this.ledgers[index] = this.ledger();
  }

  private async tick(ledger: Ledger): Promise<void> {
    ledger.tick();
    // Resolves after the round trip that was started, because a process has one at a time.
    await ledger.states([this.bucket]);
  }
}

const periods = fc.constantFrom(1, 7, null);

/** Model test that every counter driver passes. `make` returns a store without counters. */
export function balancesModel(make: () => Promise<ModelStore>, numRuns: number): void {
  it('counts a process once although it was silent for so long that the record no longer lists it as recent', async () => {
    const counters = await make();
    const read = async () => (await counters.read('t', 'c'))?.used;
    for (let days = 0; days < 10; days += 1) {
      // Every day uses another holder name, because a process changes its name twice a day.
      counters.turnTo(MONDAY_MS + days * DAY_MS);
      await counters.exchange(roundTripOf([statement({ consumed: 10 })], [], { holder: `h${String(days)}` }));
      const parts = (...ago: number[]) =>
        ago.flatMap((each) => (days < each ? [] : [[`h${String(days - each)}`, 10] as const]));
      const truth = { period: 0, holders: parts(0, 1), former: parts(2, 3, 4) };
      for (const hours of [0, 6, 12, 18, 23]) {
        counters.turnTo(MONDAY_MS + days * DAY_MS + hours * HOUR_MS);
        const used = 10 * (days + 1);
        await counters.correct('t', 'c', { ...truth, used });
        expect(await read()).toBe(used);
      }
    }
  });

  it('never counts more than was charged, and exactly that once all is reported and recorded, despite losses, repeats, deaths and clock jumps', async () => {
    await fc.assert(
      fc.asyncProperty(periods, fc.array(step, { minLength: 40, maxLength: 120 }), async (days, steps) => {
        const model = new Model(await make(), days);
        for (const one of steps) {
          await model.take(one);
          await model.check();
        }
        await model.rest();
        await model.check(true);
      }),
      { numRuns },
    );
  });
}
