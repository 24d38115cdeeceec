import { Ledger } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import { budgetBucket } from './bucket';
import { Reconciler } from './reconciler';

const REST_MS = 30_000;

describe('Reconciler', () => {
  const bucket = budgetBucket(
    { tenant: 'org', scope: 'api_key', id: 'k' },
    {
      type: 'cost',
      creditLimit: 1,
      alertThreshold: null,
      periodicReset: null,
      periodicResetDays: null,
      nextResetAt: null,
      status: 'active',
    },
  );
  let now: number;
  let recorded: number;
  let holder: string;
  let counters: MemoryCounterStore;
  let ledger: Ledger;
  let reconciler: Reconciler;

  beforeEach(() => {
    now = 1_000_000;
    recorded = 0;
    holder = '';
    counters = new MemoryCounterStore(() => now);
    ledger = new Ledger({ counters, record: null, monotonic: () => now, clock: () => now });
    reconciler = new Reconciler(ledger, {
      counters,
      record: {
        balances: (_, asked) =>
          Promise.resolve(
            asked.map(({ since }) => ({ period: since, used: recorded, holders: [[holder, recorded]] })),
          ),
      },
      restMs: REST_MS,
      monotonic: () => now,
    });
  });

  const spend = (cost: number): void => {
    const outcome = ledger.admit([bucket], { cost, tokens: 0 });
    if (outcome instanceof Promise || !outcome.admitted) throw new Error('It should be admitted.');
    ledger.settle(outcome, { cost, tokens: 0, requests: 1 });
    holder = outcome.holderOf(0);
    ledger.tick();
    // What is kept for the next requests is given back.
    now += 5_000;
    ledger.tick();
    now += 5_000;
    ledger.tick();
  };
  const used = (): number => counters.read('org', bucket.key)?.used ?? -1;

  it('raises a counter that lost what it was told to the durable record at once', async () => {
    spend(100);
    recorded = 700;
    await reconciler.round();
    expect(used()).toBe(700);
  });

  it('writes off what never comes to be recorded once the counter rests, and not before', async () => {
    spend(100);
    recorded = 60;
    await reconciler.round();
    now += REST_MS - 1;
    await reconciler.round();
    expect(used()).toBe(100);
    now += 1;
    await reconciler.round();
    expect(used()).toBe(60);
    // It came after all.
    recorded = 100;
    await reconciler.round();
    expect(used()).toBe(100);
    spend(10);
    expect(used()).toBe(110);
  });

  it('leaves a counter alone that is still charged: what it was told may not be recorded yet', async () => {
    spend(100);
    recorded = 100;
    for (let round = 0; round < 5; round += 1) {
      await reconciler.round();
      now += REST_MS - 20_000;
      spend(10);
    }
    await reconciler.round();
    expect(used()).toBe(150);
  });

  it('passes over budgets that the counters do not know', async () => {
    spend(100);
    counters = new MemoryCounterStore(() => now);
    await expect(reconciler.round()).resolves.toBeUndefined();
  });
});
