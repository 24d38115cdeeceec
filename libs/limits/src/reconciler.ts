import type { Balance, CounterReading, CounterStore, HolderReading, LedgerStore } from './counter-store';
import type { Ledger, TrackedBudget } from './ledger';

/** Whether a holder may still state or record what it has used. */
export interface HolderFates {
  /**
   * `live`: it may state more at any time. `ended`: its process is gone, and all that it left in its journal is in the durable record.
   * `silent`: its process has not been heard of, and its journal may still come.
   */
  fateOf(holder: string): 'live' | 'ended' | 'silent';
}

export interface ReconcilerOptions {
  readonly counters: CounterStore;
  readonly record: LedgerStore;
  /** Absent: the counters are of this process, and every holder in them is live. */
  readonly fates?: HolderFates;
  /** Between two rounds. */
  readonly everyMs?: number;
  /** A holder that was silent for so long is lost with its disk; 24 hours when absent. */
  readonly lostAfterMs?: number;
  /** How long the record must have been readable, with nothing new of a lost holder in it, before that holder is written off. */
  readonly restMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

const EVERY_MS = 15_000;
const LOST_AFTER_MS = 24 * 3_600_000;
const REST_MS = 600_000;
/** Budgets of one question to the record. */
const BATCH = 64;
/** Budgets of one round; the rest has its turn in the next ones. */
const ROUND_MAX = 2_048;

/** What a counter and the record said of a silent holder, and since when they have said it. */
interface Seen {
  readonly consumed: number;
  readonly recorded: number;
  readonly since: number;
}

/**
 * Brings the counters of the budgets that a process uses in line with the durable record. What they have lost is made up for at once, and
 * exactly. What a holder has stated beyond the record is kept, since its records may be late: it is written off only when the holder has
 * ended, or is lost.
 */
export class Reconciler {
  /** By budget, then by holder. */
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
      // A round that fails is made up for by the next one.
      this.round().catch(() => undefined);
    }, this.options.everyMs ?? EVERY_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** One turn of what `start` repeats. Rejects when counters or record cannot be reached. */
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
      // While the record cannot be read, nothing is known of what is missing in it: every rest begins again.
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
    const balances = await record.balances(
      tenant,
      known.map(({ key, reading }) => ({ key, since: reading.period })),
    );
    for (const [at, { key, reading }] of known.entries()) {
      const balance = balances[at];
      if (balance === undefined) throw new Error('The ledger store left balances out.');
      const ended = this.endedOf(`${tenant} ${key}`, reading, balance);
      if (ended.length === 0 && agrees(reading, balance)) continue;
      await counters.correct(tenant, key, { ...balance, period: reading.period, ended });
    }
  }

  /** Holders that have stated more than is recorded of them, and of which nothing more will be recorded. */
  private endedOf(budget: string, { holders }: CounterReading, balance: Balance): string[] {
    const recorded = recordedOf(balance);
    const seen = new Map<string, Seen>();
    const ended: string[] = [];
    for (const reading of holders) {
      const known = recorded.get(reading.holder) ?? 0;
      if (reading.consumed <= known) continue;
      const fate = this.options.fates?.fateOf(reading.holder) ?? 'live';
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

/** The counter and the record say the same, of each holder too: there is nothing to correct. */
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
