import { HOUR_MS } from '@gw/kernel';
import { budgetBucket } from './bucket';
import type { Balance } from './counter-store';
import { Ledger } from './ledger';
import { MemoryCounterStore } from './memory-counter-store';
import { Reconciler, type HolderFates } from './reconciler';

const ROUND_MS = 15_000;
const LIMIT = 100_000_000;
const CALL = LIMIT / 100;

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
  let record: Omit<Balance, 'period'>;
  let isRecordDown: boolean;
  let holder: string;
  let fate: ReturnType<HolderFates['fateOf']>;
  let counters: MemoryCounterStore;
  /** `ledger` admits calls; `watching` belongs to the gateway that reconciles. */
  let ledger: Ledger;
  let watching: Ledger;
  let reconciler: Reconciler;

  const recorded = (used: number): void => {
    record = { used, holders: [[holder, used]] };
  };

  beforeEach(() => {
    now = 1_000_000;
    record = { used: 0, holders: [] };
    isRecordDown = false;
    holder = '';
    fate = 'live';
    counters = new MemoryCounterStore(() => now);
    const time = { monotonic: () => now, clock: () => now };
    ledger = new Ledger({ counters, record: null, ...time });
    watching = new Ledger({ counters, record: null, ...time });
    reconciler = new Reconciler(watching, {
      counters,
      record: {
        balances: (_, counters) =>
          isRecordDown
            ? Promise.reject(new Error('The record is unreachable.'))
            : Promise.resolve(counters.map(({ since }) => ({ period: since, ...record }))),
      },
      fates: { fateOf: () => fate },
      monotonic: () => now,
    });
  });

  /** Admits and settles at most `most` calls; returns how many. */
  const sell = (most: number, by = ledger): number => {
    let sold = 0;
    for (; sold < most; sold += 1) {
      const outcome = by.admit([bucket], { cost: CALL, tokens: 0 });
      if (outcome instanceof Promise) throw new Error('Counters in memory reply synchronously.');
      if (!outcome.admitted) break;
      by.settle(outcome, { cost: CALL, tokens: 0, requests: 1 });
      if (by === ledger) holder = outcome.holderOf(0);
    }
    by.tick();
    return sold;
  };
  /** Runs the rounds that `start` would run in this time; failed rounds are ignored. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += ROUND_MS) {
      now += ROUND_MS;
      // Reading its state keeps the counter's slot from being dropped.
      await watching.states([bucket]);
      await reconciler.round().catch(() => undefined);
    }
  };
  const used = (): number => counters.read('org', bucket.key)?.used ?? -1;

  it('raises a counter that lost reported usage to the durable record at once', async () => {
    sell(1);
    await watching.states([bucket]);
    record = { used: 7 * CALL, holders: [[holder, CALL]] };
    await reconciler.round();
    expect(used()).toBe(7 * CALL);
  });

  describe('when a live gateway has used up a budget', () => {
    beforeEach(() => {
      expect(sell(150)).toBe(100);
    });

    it('admits no further call while the record is unreachable and while it catches up afterwards', async () => {
      isRecordDown = true;
      await pass(150_000);
      expect([sell(10, watching), sell(10)]).toEqual([0, 0]);
      isRecordDown = false;
      // The backlog drains slowly: the record is behind for longer than any rest period.
      for (let stored = 0; stored <= 100; stored += 10) {
        recorded(stored * CALL);
        await pass(45_000);
        expect([sell(10, watching), sell(10)]).toEqual([0, 0]);
      }
      expect(used()).toBe(LIMIT);
    });

    it('admits no further call while nothing reaches the record, although the record is readable', async () => {
      recorded(0);
      await pass(6 * 60_000);
      expect([sell(10, watching), sell(10)]).toEqual([0, 0]);
    });

    it('admits no further call when its records were dropped or refused for good', async () => {
      recorded(CALL);
      await pass(HOUR_MS);
      expect([sell(10, watching), sell(10)]).toEqual([0, 0]);
      expect(used()).toBe(LIMIT);
    });
  });

  it('writes off unrecorded usage of a holder whose process has ended and whose journal is in the record', async () => {
    sell(100);
    recorded(60 * CALL);
    await pass(60_000);
    expect(used()).toBe(LIMIT);
    fate = 'ended';
    await reconciler.round();
    expect(used()).toBe(60 * CALL);
    // The records arrived after all.
    recorded(LIMIT);
    await reconciler.round();
    expect(used()).toBe(LIMIT);
  });

  it('writes off nothing of a holder that ends while the record is read, because its last records may be missing', async () => {
    sell(100);
    await watching.states([bucket]);
    recorded(60 * CALL);
    const balances = (_: string, [counter]: readonly { readonly since: number }[]): Balance[] => {
      fate = 'ended';
      return [{ period: counter?.since ?? 0, ...record }];
    };
    const fates = { fateOf: () => fate };
    await new Reconciler(watching, { counters, record: { balances }, fates }).round();
    expect(used()).toBe(LIMIT);
  });

  it('writes off a holder that was silent for a day once none of its records arrived for ten minutes', async () => {
    sell(100);
    fate = 'silent';
    recorded(60 * CALL);
    now += 23 * HOUR_MS;
    await pass(30 * 60_000);
    expect(used()).toBe(LIMIT);
    now += HOUR_MS;
    for (let stored = 61; stored < 70; stored += 1) {
      recorded(stored * CALL);
      await pass(9 * 60_000);
      expect(used()).toBe(LIMIT);
    }
    await pass(11 * 60_000);
    expect(used()).toBe(69 * CALL);
  });

  it('restarts the rest period of a silent holder whenever the record was unreadable', async () => {
    sell(100);
    fate = 'silent';
    recorded(60 * CALL);
    now += 25 * HOUR_MS;
    await pass(9 * 60_000);
    isRecordDown = true;
    await pass(HOUR_MS);
    isRecordDown = false;
    await pass(9 * 60_000);
    expect(used()).toBe(LIMIT);
    await pass(2 * 60_000);
    expect(used()).toBe(60 * CALL);
  });

  it('lowers the counter by a price correction without a write-off', async () => {
    sell(100);
    await watching.states([bucket]);
    record = { used: 90 * CALL, adjusted: -10 * CALL, holders: [[holder, LIMIT]] };
    await reconciler.round();
    expect(used()).toBe(90 * CALL);
    expect(sell(20)).toBe(10);
  });

  it('makes no correction when the counter and the record agree', async () => {
    sell(3);
    recorded(3 * CALL);
    await pass(ROUND_MS);
    const correct = jest.spyOn(counters, 'correct');
    await reconciler.round();
    expect(correct).not.toHaveBeenCalled();
  });

  it('skips budgets that the counters do not know', async () => {
    sell(1);
    await watching.states([bucket]);
    const balances = jest.fn<Balance[], []>(() => []);
    const empty = new MemoryCounterStore(() => now);
    await new Reconciler(watching, { counters: empty, record: { balances } }).round();
    expect(balances).not.toHaveBeenCalled();
    expect(empty.read('org', bucket.key)).toBeNull();
  });
});
