import type { Balance } from './counter-store';
import { periodAt, storeNow, within, type BatcherContext } from './batcher-parts';
import type { CounterSlot } from './lease';

const SEED_RETRY_MS = 1_000;

/** Reads the balances of budgets that a tenant's counters have lost from the durable record. */
export class Seeder {
  constructor(
    private readonly tenant: string,
    private readonly context: BatcherContext,
  ) {}

  /**
   * Sets the seed of each slot, or marks it as unavailable for now. Returns null when the record
   * replied synchronously. Makes one query at a time per counter.
   */
  seed(slots: readonly CounterSlot[]): Promise<void> | null {
    const running = slots.flatMap(({ seeding }) => seeding ?? []);
    const fresh = slots.filter(({ seeding }) => seeding === null);
    const counters = fresh.map(({ bucket }) => ({
      key: bucket.key,
      since: periodAt(bucket, storeNow(this.context)),
    }));
    const { record, settings } = this.context;
    try {
      const balances =
        record === null || fresh.length === 0
          ? counters.map(({ since }) => ({ period: since, used: 0, holders: [] }))
          : record.balances(this.tenant, counters);
      if (balances instanceof Promise) {
        const seeding = within(balances, settings.storeTimeoutMs)
          .then((settled) => keep(fresh, settled))
          .catch(() => this.unseedable(fresh))
          .finally(() => {
            for (const slot of fresh) slot.seeding = null;
          });
        for (const slot of fresh) slot.seeding = seeding;
        running.push(seeding);
      } else keep(fresh, balances);
    } catch {
      this.unseedable(fresh);
    }
    return running.length === 0 ? null : Promise.all(running).then(() => undefined);
  }

  private unseedable(slots: readonly CounterSlot[]): void {
    for (const slot of slots) slot.seedFailedUntil = this.context.monotonic() + SEED_RETRY_MS;
  }

  /** Rebuilds counters that were found missing while no request waits for them. */
  rebuild(slots: readonly CounterSlot[]): void {
    const nowMs = this.context.monotonic();
    const lost = slots.filter(
      ({ missing, seed, seedFailedUntil }) => missing && seed === null && seedFailedUntil <= nowMs,
    );
    if (lost.length > 0) void this.seed(lost);
  }
}

function keep(slots: readonly CounterSlot[], balances: readonly Balance[]): void {
  if (balances.length !== slots.length) throw new Error('the ledger store returned too few balances');
  for (const [at, slot] of slots.entries()) slot.seed = balances[at] ?? null;
}
