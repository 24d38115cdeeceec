import type { Balance, CounterReading, CounterStore, HolderReading, LedgerStore } from './counter-store';
import type { Ledger, TrackedBudget } from './ledger';

/**
 * `live`: the holder may report more at any time. `ended`: its process is gone and its whole journal
 * is in the durable record. `silent`: its process has not sent heartbeats, and its journal may still
 * arrive.
 */
export type Fate = 'live' | 'ended' | 'silent';

/** Determines whether a holder may still state or record usage. */
export interface HolderFates {
  fateOf(holder: string): Fate;
}

export interface ReconcilerOptions {
  readonly counters: CounterStore;
  readonly record: LedgerStore;
  /** Absent when the counters belong to this process and every holder in them is live. */
  readonly fates?: HolderFates;
  /** Interval between two rounds. */
  readonly everyMs?: number;
  /** A holder silent for this long is lost with its disk; 24 hours when absent. */
  readonly lostAfterMs?: number;
  /**
   * How long the record must have been readable without anything new from a lost holder before that
   * holder is written off.
   */
  readonly restMs?: number;
  /** Monotonic milliseconds. */
  readonly monotonic?: () => number;
}

const EVERY_MS = 15_000;
const LOST_AFTER_MS = 24 * 3_600_000;
const REST_MS = 600_000;
/** Budgets per query to the record. */
const BATCH = 64;
/** Budgets per round; the next rounds take the rest. */
const ROUND_MAX = 2_048;

/**
 * Values of a counter and the record for a silent holder, with the time since when they are the
 * same.
 */
interface Seen {
  readonly consumed: number;
  readonly recorded: number;
  readonly since: number;
}

/**
 * Brings the budget counters of a process in line with the durable record.
 * A round restores lost usage exactly. It keeps usage that a holder has stated beyond the record,
 * because records may be late, and writes it off only when the holder has ended or is lost.
 */
export class Reconciler {
  /** Observations by budget, then by holder. */
  private readonly seen = new Map<string, ReadonlyMap<string, Seen>>();
  private timer: NodeJS.Timeout | null = null;
  private running = false;
  private next = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly options: ReconcilerOptions,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => {
      // The next round makes up for a failed one.
      this.round().catch(() => undefined);
    }, this.options.everyMs ?? EVERY_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * Runs one round, as `start` does repeatedly. Rejects when the counters or the record are
   * unreachable.
   */
  async round(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      const all = this.ledger.budgets();
      this.forget(all);
      const from = this.next >= all.length ? 0 : this.next;
      const part = all.slice(from, from + ROUND_MAX);
      this.next = from + part.length;
      for (const [tenant, budgets] of byTenant(part)) {
        for (let at = 0; at < budgets.length; at += BATCH) {
          await this.correct(tenant, budgets.slice(at, at + BATCH));
        }
      }
    } catch (error) {
      // While the record is unreadable, what is missing in it is unknown, so every rest period
      // starts again.
      this.seen.clear();
      throw error;
    } finally {
      this.running = false;
    }
  }

  private async correct(tenant: string, budgets: readonly TrackedBudget[]): Promise<void> {
    const { counters, record } = this.options;
    const readings = await Promise.all(
      budgets.map(async ({ key }) => ({ key, reading: await counters.read(tenant, key) })),
    );
    const known = readings.flatMap(({ key, reading }) => (reading === null ? [] : [{ key, reading }]));
    if (known.length === 0) return;
    // Read before the record: a holder that ends meanwhile may have more there than the balances say.
    const fates = this.fatesOf(known.map(({ reading }) => reading));
    const balances = await record.balances(
      tenant,
      known.map(({ key, reading }) => ({ key, since: reading.period })),
    );
    for (const [at, { key, reading }] of known.entries()) {
      const balance = balances[at];
      if (balance === undefined) throw new Error('the ledger store returned too few balances');
      const ended = this.endedOf(`${tenant} ${key}`, reading, balance, fates);
      if (ended.length === 0 && agrees(reading, balance)) continue;
      await counters.correct(tenant, key, { ...balance, period: reading.period, ended });
    }
  }

  private fatesOf(readings: readonly CounterReading[]): ReadonlyMap<string, Fate> {
    const { fates } = this.options;
    const holders = readings.flatMap((reading) => reading.holders);
    return new Map(holders.map(({ holder }) => [holder, fates?.fateOf(holder) ?? 'live']));
  }

  /** Returns holders whose stated usage exceeds the record and will never be recorded. */
  private endedOf(
    budget: string,
    { holders }: CounterReading,
    balance: Balance,
    fates: ReadonlyMap<string, Fate>,
  ): string[] {
    const recorded = recordedOf(balance);
    const seen = new Map<string, Seen>();
    const ended: string[] = [];
    for (const reading of holders) {
      const known = recorded.get(reading.holder) ?? 0;
      if (reading.consumed <= known) continue;
      const fate = fates.get(reading.holder);
      if (fate === 'ended') ended.push(reading.holder);
      else if (fate === 'silent' && this.isLost(budget, reading, known, seen)) ended.push(reading.holder);
    }
    if (seen.size > 0) this.seen.set(budget, seen);
    else this.seen.delete(budget);
    return ended;
  }

  private isLost(
    budget: string,
    { holder, consumed, silentMs }: HolderReading,
    recorded: number,
    seen: Map<string, Seen>,
  ): boolean {
    const { lostAfterMs = LOST_AFTER_MS, restMs = REST_MS } = this.options;
    if (silentMs < lostAfterMs) return false;
    const now = (this.options.monotonic ?? (() => performance.now()))();
    const before = this.seen.get(budget)?.get(holder);
    const isSame = before?.consumed === consumed && before.recorded === recorded;
    const since = isSame ? before.since : now;
    seen.set(holder, { consumed, recorded, since });
    return now - since >= restMs;
  }

  private forget(budgets: readonly TrackedBudget[]): void {
    const live = new Set(budgets.map(({ tenant, key }) => `${tenant} ${key}`));
    for (const name of this.seen.keys()) if (!live.has(name)) this.seen.delete(name);
  }
}

const recordedOf = ({ holders, former = [] }: Balance): ReadonlyMap<string, number> =>
  new Map([...former, ...holders]);

/**
 * Whether the counter and the record agree, in total and for each holder, so that nothing needs
 * correction.
 */
function agrees({ used, holders }: CounterReading, balance: Balance): boolean {
  if (used !== balance.used) return false;
  const recorded = recordedOf(balance);
  const known = new Set(holders.map(({ holder }) => holder));
  return (
    holders.every(({ holder, consumed }) => (recorded.get(holder) ?? 0) === consumed) &&
    balance.holders.every(([holder]) => known.has(holder))
  );
}

function byTenant(budgets: readonly TrackedBudget[]): Map<string, TrackedBudget[]> {
  const groups = new Map<string, TrackedBudget[]>();
  for (const budget of budgets) {
    const group = groups.get(budget.tenant);
    if (group) group.push(budget);
    else groups.set(budget.tenant, [budget]);
  }
  return groups;
}
