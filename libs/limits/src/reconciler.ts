import type { CounterStore, LedgerStore } from './counter-store';
import type { Ledger, TrackedBudget } from './ledger';

export interface ReconcilerOptions {
  readonly counters: CounterStore;
  readonly record: LedgerStore;
  /** Between two rounds. */
  readonly everyMs?: number;
  /** A counter that has not changed for so long rests: all that it was told is in the record by then. */
  readonly restMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

const EVERY_MS = 15_000;
const REST_MS = 30_000;
/** Budgets of one question to the record. */
const BATCH = 64;
/** Budgets of one round; the rest has its turn in the next ones. */
const ROUND_MAX = 2_048;

interface Seen {
  readonly version: number;
  readonly since: number;
}

/**
 * Brings the counters of the budgets that a process uses in line with the durable record: what they have lost is made up for at once, and
 * exactly. What they have more than the record, which is what never came to be recorded, is written off once they rest.
 */
export class Reconciler {
  private readonly seen = new Map<string, Seen>();
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
    const rested = known.map(({ key, reading }) => this.rests(`${tenant} ${key}`, reading.version));
    const balances = await record.balances(
      tenant,
      known.map(({ key, reading }) => ({ key, since: reading.period })),
    );
    for (const [at, { key, reading }] of known.entries()) {
      const { used, holders, former = [] } = balances[at] ?? { used: reading.used, holders: [] };
      const rests = rested[at] === true;
      if (rests && used === reading.used) continue;
      const version = rests ? reading.version : NEVER;
      await counters.correct(tenant, key, { period: reading.period, used, holders, former, version });
    }
  }

  private rests(name: string, version: number): boolean {
    const now = (this.options.monotonic ?? (() => performance.now()))();
    const seen = this.seen.get(name);
    if (seen?.version === version) return now - seen.since >= (this.options.restMs ?? REST_MS);
    this.seen.set(name, { version, since: now });
    return false;
  }

  private forget(budgets: readonly TrackedBudget[]): void {
    const live = new Set(budgets.map(({ tenant, key }) => `${tenant} ${key}`));
    for (const name of this.seen.keys()) if (!live.has(name)) this.seen.delete(name);
  }
}

/** No counter has this version. */
const NEVER = -1;

function byTenant(budgets: readonly TrackedBudget[]): Map<string, TrackedBudget[]> {
  const groups = new Map<string, TrackedBudget[]>();
  for (const budget of budgets) {
    const group = groups.get(budget.tenant);
    if (group) group.push(budget);
    else groups.set(budget.tenant, [budget]);
  }
  return groups;
}
