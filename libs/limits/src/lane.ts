import { isBudget, type Bucket } from './bucket';
import { ADMITTED, UNDECIDED, type CounterAnswer, type ExchangeAnswer } from './counter-store';
import {
  crossingsBetween,
  denialOf,
  NO_PENDING,
  stateSlot,
  storeNow,
  validFor,
  type LaneContext,
  type Outcome,
} from './lane-parts';
import { takeAlone } from './outage';
import { Reservation, takeFrom } from './reservation';
import { Seeder } from './seeder';
import { Slice, Slot } from './slice';
import { claimOf, finish, informed, pendingOf, type Waiter } from './waiter';

interface Sent {
  readonly waiters: readonly Waiter[];
  readonly slots: readonly Slot[];
  readonly slices: readonly Slice[];
  readonly consumed: readonly number[];
  readonly sentAt: number;
}

const WAITERS_PER_EXCHANGE = 256;
const SLOTS_PER_EXCHANGE = 64;
const TRIES_MAX = 4;
/** How long a refusal is remembered where it may pass without a window's end: a raised limit, a reset. */
const REFUSAL_MS = 250;
const IDLE_SLOT_MS = 60_000;

/** The counters of one tenant as this process sees them. One exchange at a time: what comes meanwhile shares the next one. */
export class Lane {
  readonly slots: Map<string, Slot> = new Map();
  private readonly queue: Waiter[] = [];
  private busy = false;
  private readonly seeder: Seeder;

  constructor(
    private readonly tenant: string,
    private readonly context: LaneContext,
  ) {
    this.seeder = new Seeder(tenant, context);
  }

  get isEmpty(): boolean {
    return this.slots.size === 0 && this.queue.length === 0 && !this.busy;
  }

  /** Decides from what this process holds; null: the counters must be asked. */
  admit(buckets: readonly Bucket[], amounts: readonly number[], nowMs: number): Outcome | null {
    const slices: Slice[] = [];
    for (let index = 0; index < buckets.length; index += 1) {
      const bucket = buckets[index] as Bucket;
      const slot = this.slots.get(bucket.key);
      if (slot === undefined) return null;
      if (slot.bucket !== bucket) slot.bucket = bucket;
      const { slice } = slot;
      if (slice.value !== bucket.value) return null;
      if (slice.refusedUntil > nowMs) return denialOf(this.context, slot, 'limit');
      const amount = amounts[index] as number;
      if (slice.validUntil <= nowMs || slice.free < amount || slice.free <= 0) return null;
      slices.push(slice);
    }
    const held: number[] = [];
    for (let index = 0; index < slices.length; index += 1) {
      const slice = slices[index] as Slice;
      const amount = amounts[index] as number;
      slice.free -= amount;
      held.push(takeFrom(slice, buckets[index] as Bucket, amount));
    }
    return this.opened(new Reservation(buckets, slices, held, nowMs));
  }

  ask(waiter: Waiter): void {
    const { breaker, settings } = this.context;
    const nowMs = this.context.monotonic();
    for (const bucket of waiter.buckets) {
      if (this.slotOf(bucket, nowMs) === null) return this.overloaded(waiter, bucket);
    }
    if (breaker.isOpen) return this.decideAlone(waiter);
    const [first] = waiter.buckets;
    if (this.queue.length >= settings.waitersMax && first) return this.overloaded(waiter, first);
    this.queue.push(waiter);
    this.pump();
    return undefined;
  }

  /** States what has changed or must be renewed; `all`: everything, to find out whether the counters are back. */
  tick(nowMs: number, all = false): void {
    if (this.busy) return;
    const due: Slot[] = [];
    for (const [key, slot] of this.slots) {
      if (slot.slice.isIdle && nowMs - slot.usedAt > IDLE_SLOT_MS && slot.seeding === null) this.drop(key);
      else if ((all || this.isDue(slot, nowMs)) && due.length < SLOTS_PER_EXCHANGE) due.push(slot);
    }
    if (due.length > 0 || all) this.exchange([], due);
    this.pump();
  }

  /** Gives everything back, when the process ends. */
  async close(): Promise<void> {
    const slots = [...this.slots.values()].filter(({ slice }) => !slice.isIdle);
    for (let at = 0; at < slots.length; at += SLOTS_PER_EXCHANGE) {
      const part = slots.slice(at, at + SLOTS_PER_EXCHANGE);
      for (const { slice } of part) slice.validUntil = -Infinity;
      await this.context.counters.exchange({
        ...this.header(),
        statements: this.state(part, [], 0),
        claims: [],
      });
    }
  }

  budgetKeys(): string[] {
    return [...this.slots].flatMap(([key, { bucket }]) => (isBudget(bucket) ? [key] : []));
  }

  private isDue({ slice, statedAt }: Slot, nowMs: number): boolean {
    if (slice.consumed !== slice.acknowledged) return true;
    if (slice.free > 0) return true;
    return !slice.isIdle && nowMs - statedAt > this.context.settings.leaseMs / 3;
  }

  private slotOf(bucket: Bucket, nowMs: number): Slot | null {
    const known = this.slots.get(bucket.key);
    if (known) {
      known.bucket = bucket;
      known.usedAt = nowMs;
      const { holder } = this.context;
      if (known.slice.isIdle && known.slice.holder !== holder)
        known.slice = new Slice(-1, bucket.value, holder);
      return known;
    }
    if (this.context.slots >= this.context.settings.slotsMax) return null;
    const slot = new Slot(bucket, nowMs, this.context.holder);
    this.slots.set(bucket.key, slot);
    this.context.slots += 1;
    return slot;
  }

  private drop(key: string): void {
    this.slots.delete(key);
    this.context.slots -= 1;
  }

  private pump(): void {
    while (!this.busy && this.queue.length > 0) {
      const nowMs = this.context.monotonic();
      const waiters: Waiter[] = [];
      const slots = new Set<Slot>();
      while (waiters.length < WAITERS_PER_EXCHANGE && slots.size < SLOTS_PER_EXCHANGE) {
        const waiter = this.queue.shift();
        if (waiter === undefined) break;
        const local = waiter.amounts === null ? null : this.admit(waiter.buckets, waiter.amounts, nowMs);
        if (local) finish(waiter, local);
        else {
          waiters.push(waiter);
          for (const bucket of waiter.buckets) {
            const slot = this.slotOf(bucket, nowMs);
            if (slot) slots.add(slot);
          }
        }
      }
      if (waiters.length > 0) this.exchange(waiters, [...slots]);
    }
  }

  private header(): { tenant: string; sequence: number; leaseMs: number } {
    this.context.sequence += 1;
    const { sequence, settings } = this.context;
    return { tenant: this.tenant, sequence, leaseMs: settings.leaseMs };
  }

  private state(slots: readonly Slot[], waiters: readonly Waiter[], nowMs: number) {
    const pending = pendingOf(waiters);
    return slots.map((slot) =>
      stateSlot(this.context, slot, pending.get(slot.bucket.key) ?? NO_PENDING, nowMs),
    );
  }

  private exchange(waiters: readonly Waiter[], slots: readonly Slot[]): void {
    const sentAt = this.context.monotonic();
    const statements = this.state(slots, waiters, sentAt);
    const sent: Sent = {
      waiters,
      slots,
      slices: slots.map(({ slice }) => slice),
      consumed: statements.map(({ consumed }) => consumed),
      sentAt,
    };
    const index = new Map(statements.map(({ key }, at) => [key, at]));
    const claims = waiters.flatMap((waiter) => claimOf(waiter, index) ?? []);
    this.busy = true;
    try {
      const answer = this.context.counters.exchange({ ...this.header(), statements, claims });
      if (answer instanceof Promise) {
        answer
          .then(
            (settled) => this.answered(sent, settled),
            () => this.failed(sent),
          )
          .finally(() => this.pump());
        return;
      }
      this.answered(sent, answer);
    } catch {
      this.failed(sent);
    }
  }

  private failed({ waiters }: Sent): void {
    this.busy = false;
    this.context.breaker.failed(this.context.monotonic());
    for (const waiter of waiters) this.decideAlone(waiter);
    if (!this.context.breaker.isOpen) return;
    for (const waiter of this.queue.splice(0)) this.decideAlone(waiter);
  }

  private answered(sent: Sent, answer: ExchangeAnswer): void {
    this.busy = false;
    this.context.breaker.succeeded();
    this.context.clockOffsetMs = answer.nowMs - this.context.clock();
    for (const [at, counter] of answer.counters.entries()) this.update(sent, at, counter, answer.nowMs);
    if (sent.waiters.length === 0) this.seeder.rebuild(sent.slots);
    let claim = 0;
    for (const waiter of sent.waiters) {
      if (waiter.amounts === null) this.inform(waiter, answer.counters, sent.slots);
      else this.conclude(waiter, answer.claims[claim++] ?? UNDECIDED, sent);
    }
  }

  private update(sent: Sent, at: number, counter: CounterAnswer, nowMs: number): void {
    const slot = sent.slots[at] as Slot;
    const stated = sent.slices[at] as Slice;
    slot.missing = counter.status === 'unknown';
    if (counter.status !== 'ok') return;
    slot.seed = null;
    if (counter.period === stated.period) {
      // The durable record may know more of this process than it does itself.
      stated.consumed += counter.consumed - (sent.consumed[at] ?? 0);
      stated.acknowledged = counter.consumed;
      slot.slice = stated;
    } else if (slot.slice.period !== counter.period) {
      slot.slice = new Slice(counter.period, stated.value, stated.holder, counter.consumed);
    }
    const { slice, bucket } = slot;
    for (const kind of crossingsBetween(bucket, slice.used, counter.used)) {
      this.context.onCrossing({ bucket, kind, period: counter.period, used: counter.used });
    }
    slice.hear(counter);
    const [validMs, ends] = validFor(bucket, counter.period, nowMs, this.context.settings.leaseMs);
    slice.endsAtMs = ends;
    // A standard limit may be reserved past its end: what comes back of such a reservation is no headroom, so the counters are asked.
    slice.validUntil = slice.room < 0 ? -Infinity : sent.sentAt + validMs;
  }

  private conclude(waiter: Waiter, verdict: number, sent: Sent): void {
    const { buckets, amounts } = waiter;
    if (verdict === UNDECIDED) return this.tryAgain(waiter);
    if (verdict === ADMITTED && amounts !== null) {
      const slices = buckets.map(({ key }) => (this.slots.get(key) as Slot).slice);
      const held = buckets.map((bucket, at) => takeFrom(slices[at] as Slice, bucket, amounts[at] ?? 0));
      return finish(waiter, this.opened(new Reservation(buckets, slices, held, sent.sentAt)));
    }
    const slot = sent.slots[verdict] as Slot;
    const { slice, bucket } = slot;
    if (slice.used >= slice.value) {
      const forMs = bucket.window.kind === 'fixed' ? this.context.settings.leaseMs : REFUSAL_MS;
      const ends = slice.endsAtMs === null ? Infinity : slice.endsAtMs - storeNow(this.context);
      slice.refusedUntil = sent.sentAt + Math.min(forMs, ends);
    }
    return finish(waiter, denialOf(this.context, slot, 'limit'));
  }

  private inform(waiter: Waiter, counters: readonly CounterAnswer[], slots: readonly Slot[]): void {
    const mine = waiter.buckets.map(({ key }) => this.slots.get(key) as Slot);
    if (mine.some((slot) => counters[slots.indexOf(slot)]?.status !== 'ok')) return this.tryAgain(waiter);
    const slices = mine.map(({ slice }) => slice);
    return finish(waiter, informed(waiter.buckets, slices));
  }

  /** A counter was not there, or its boundaries were those of another time. */
  private tryAgain(waiter: Waiter): void {
    waiter.tries += 1;
    if (waiter.tries >= TRIES_MAX) return this.decideAlone(waiter);
    const nowMs = this.context.monotonic();
    const unseeded = waiter.buckets
      .map(({ key }) => this.slots.get(key) as Slot)
      .filter(({ missing, seed }) => missing && seed === null);
    if (unseeded.some(({ seedFailedUntil }) => seedFailedUntil > nowMs)) return this.decideAlone(waiter);
    const seeding = this.seeder.seed(unseeded);
    if (seeding === null) {
      this.queue.push(waiter);
      return undefined;
    }
    void seeding.then(() => {
      if (unseeded.some(({ missing, seed }) => missing && seed === null)) {
        this.decideAlone(waiter);
        return;
      }
      this.queue.push(waiter);
      this.pump();
    });
    return undefined;
  }

  private decideAlone(waiter: Waiter): void {
    const nowMs = this.context.monotonic();
    const slots: Slot[] = [];
    for (const bucket of waiter.buckets) {
      const slot = this.slotOf(bucket, nowMs);
      if (slot === null) return this.overloaded(waiter, bucket);
      slots.push(slot);
    }
    const outcome = takeAlone(this.context, waiter, slots, nowMs);
    if (!outcome.admitted || outcome.state !== 'open') return finish(waiter, outcome);
    this.context.alone += 1;
    return finish(waiter, this.opened(outcome));
  }

  private overloaded(waiter: Waiter, bucket: Bucket): void {
    finish(waiter, denialOf(this.context, new Slot(bucket, 0, this.context.holder), 'overloaded'));
  }

  private opened(reservation: Reservation): Reservation {
    this.context.open.add(reservation);
    return reservation;
  }
}
