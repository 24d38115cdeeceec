import fc from 'fast-check';
import { budgetBucket } from '../bucket';
import type { Balance, CounterStore } from '../counter-store';
import { Ledger } from '../ledger';
import type { Reservation } from '../reservation';

export interface LosableStore extends CounterStore {
  /** Loses every counter. */
  lose(): void | Promise<void>;
}

type Step =
  | { readonly kind: 'admit'; readonly by: number; readonly tokens: number }
  | { readonly kind: 'settle'; readonly which: number; readonly tokens: number }
  | { readonly kind: 'record'; readonly count: number }
  | { readonly kind: 'tick' | 'crash'; readonly by: number }
  | { readonly kind: 'correct' | 'lose' };

const by = fc.nat({ max: 2 });
const tokens = fc.integer({ min: 0, max: 9 });
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record<Step & { kind: 'admit' }>({ kind: fc.constant('admit'), by, tokens }),
  },
  {
    weight: 12,
    arbitrary: fc.record<Step & { kind: 'settle' }>({
      kind: fc.constant('settle'),
      which: fc.nat({ max: 30 }),
      tokens,
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('record' as const), count: fc.nat({ max: 8 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('tick' as const), by }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), by }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('correct' as const, 'lose' as const) }) },
);

let worlds = 0;

/** Three processes whose charges come late to the durable record, over counters that are lost again and again. */
class World {
  private readonly tenant = `t${String((worlds += 1))}`;
  readonly bucket = budgetBucket(
    { tenant: this.tenant, scope: 'workspace', id: 'w' },
    {
      type: 'tokens',
      creditLimit: 1_000_000,
      alertThreshold: null,
      periodicReset: null,
      periodicResetDays: null,
      nextResetAt: null,
      status: 'active',
    },
  );
  charged = 0;
  private readonly open: { readonly reservation: Reservation; readonly ledger: Ledger }[] = [];
  /** Of all processes, the dead ones too: a journal outlives its process. */
  private readonly journal: (readonly [holder: string, used: number])[] = [];
  private readonly parts = new Map<string, number>();
  private readonly ledgers: Ledger[];

  constructor(private readonly counters: LosableStore) {
    this.ledgers = [0, 1, 2].map(() => this.ledger());
  }

  async take(one: Step): Promise<void> {
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
      case 'record':
        this.record(one.count);
        return;
      case 'tick':
        await this.tick(this.ledgers[one.by] as Ledger);
        return;
      case 'crash':
        this.crash(one.by);
        return;
      case 'correct':
        await this.counters.correct(this.tenant, this.bucket.key, { ...this.balance(), version: -1 });
        return;
      case 'lose':
        await this.counters.lose();
    }
  }

  async used(): Promise<number> {
    return (await this.counters.read(this.tenant, this.bucket.key))?.used ?? 0;
  }

  /** Everything ends, is told and is recorded. */
  async rest(): Promise<void> {
    for (const entry of this.open.splice(0)) this.settle(entry, 1);
    for (const ledger of this.ledgers) await this.tick(ledger);
    this.record(this.journal.length);
    for (const ledger of this.ledgers) await ledger.states([this.bucket]);
    await this.take({ kind: 'correct' });
  }

  private ledger(): Ledger {
    const record = {
      balances: (_: string, asked: readonly unknown[]) => Promise.resolve(asked.map(() => this.balance())),
    };
    return new Ledger({ counters: this.counters, record });
  }

  private balance(): Balance {
    const holders = [...this.parts];
    return { period: 0, used: holders.reduce((sum, [, used]) => sum + used, 0), holders };
  }

  private settle({ reservation, ledger }: World['open'][number], used: number): void {
    for (let time = 0; time < 2; time += 1)
      ledger.settle(reservation, { cost: 0, tokens: used, requests: 1 });
    this.charged += used;
    this.journal.push([reservation.holderOf(0), used]);
  }

  private record(count: number): void {
    for (const [holder, used] of this.journal.splice(0, count)) {
      this.parts.set(holder, (this.parts.get(holder) ?? 0) + used);
    }
  }

  /** What it had not told is in its journal. */
  private crash(index: number): void {
    const dead = this.ledgers[index];
    for (let at = this.open.length - 1; at >= 0; at -= 1) {
      if (this.open[at]?.ledger === dead) this.open.splice(at, 1);
    }
    this.ledgers[index] = this.ledger();
  }

  private async tick(ledger: Ledger): Promise<void> {
    ledger.tick();
    // Resolves after the exchange that was begun, since a process has one at a time.
    await ledger.states([this.bucket]);
  }
}

/** Every driver of counters passes it. */
export function lostCountersModel(make: () => Promise<LosableStore>, numRuns: number): void {
  it('never count more than was charged, and exactly that once all is told and recorded, whatever was lost and when', async () => {
    const counters = await make();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120 }), async (steps) => {
        const world = new World(counters);
        for (const one of steps) {
          await world.take(one);
          expect(await world.used()).toBeLessThanOrEqual(world.charged);
        }
        await world.rest();
        expect(await world.used()).toBe(world.charged);
      }),
      { numRuns },
    );
  });
}
