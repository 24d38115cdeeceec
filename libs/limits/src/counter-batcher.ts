import { isBudget, type Bucket } from './bucket';
import {
  ADMITTED,
  UNDECIDED,
  type CounterReply,
  type CounterRoundTrip,
  type CounterRoundTripReply,
} from './counter-store';
import {
  denialOf,
  isDue,
  NO_PENDING,
  SLOTS_PER_ROUND_TRIP,
  stateSlot,
  storeNow,
  type BatcherContext,
  type AdmissionOutcome,
} from './batcher-parts';
import { applyReply, noteRoundTrip } from './counter-replies';
import { admitLocally, slotOf } from './local-admission';
import { takeInOutage } from './outage';
import { Reservation, takeFrom } from './reservation';
import { Seeder } from './seeder';
import { Lease, CounterSlot } from './lease';
import { claimOf, finish, informed, pendingOf, type Waiter } from './waiter';
import { WaiterQueue, type Readiness } from './waiter-queue';

interface Sent {
  readonly waiters: readonly Waiter[];
  readonly slots: readonly CounterSlot[];
  readonly leases: readonly Lease[];
  readonly consumed: readonly number[];
  readonly sentAt: number;
}

/** Concurrent round trips of one tenant, each over different counters. */
const ROUND_TRIPS_MAX = 4;
const ATTEMPTS_MAX = 4;
/**
 * How long a refusal is remembered when it may end before the window does, by a raised limit or a
 * reset.
 */
const REFUSAL_MS = 250;
const IDLE_SLOT_MS = 60_000;

/**
 * The counters of one tenant as this process sees them.
 * Serialises round trips per counter; requests that arrive meanwhile share the next one. The usage
 * of other counters is reported in the background.
 */
export class CounterBatcher {
  readonly slots: Map<string, CounterSlot> = new Map();
  private readonly queue = new WaiterQueue();
  /** Slots still to be reported in the current tick. */
  private reports: CounterSlot[] = [];
  private inFlight = 0;
  private reporting = 0;
  private picking = false;
  private readonly seeder: Seeder;

  constructor(
    private readonly tenant: string,
    private readonly context: BatcherContext,
  ) {
    this.seeder = new Seeder(tenant, context);
  }

  get isEmpty(): boolean {
    return this.slots.size === 0 && this.queue.length === 0 && this.inFlight === 0;
  }

  /** Decides from the leases of this process; returns null when the counters must decide. */
  admit(buckets: readonly Bucket[], amounts: readonly number[], nowMs: number): AdmissionOutcome | null {
    const local = admitLocally(this.context, this.slots, buckets, amounts, nowMs);
    if (local === null || 'admitted' in local) return local;
    const reservation = this.context.open.add(local.reservation);
    if (local.low !== null) this.refill(local.low);
    return reservation;
  }

  /**
   * Requests a refill before the lease is used up, so that no request waits for a round trip. Runs
   * once per grant.
   */
  private refill(slot: CounterSlot): void {
    slot.lease.low = 0;
    if (slot.inExchange || this.context.breaker.isOpen) return;
    this.reports.push(slot);
    // While waiters are picked for a round trip, no other round trip may start and take one of
    // their counters.
    if (!this.picking && this.inFlight < ROUND_TRIPS_MAX) this.report();
  }

  decide(waiter: Waiter): void {
    const { breaker, settings } = this.context;
    const nowMs = this.context.monotonic();
    for (const bucket of waiter.buckets) {
      if (slotOf(this.context, this.slots, bucket, nowMs) === null) return this.overloaded(waiter, bucket);
    }
    if (breaker.isOpen || this.awaitsOthers(waiter, nowMs)) return this.decideAlone(waiter);
    const [first] = waiter.buckets;
    if (this.queue.length >= settings.waitersMax && first) return this.overloaded(waiter, first);
    if (this.inFlight >= ROUND_TRIPS_MAX || this.isBlocked(waiter)) this.queue.push(waiter);
    else {
      this.exchange([waiter], this.slotsOf([waiter], nowMs));
      this.pump();
    }
    return undefined;
  }

  /**
   * Reports slots that changed or must be renewed. With `probe` it makes a round trip in any case,
   * to find out whether the counter store is reachable again.
   */
  tick(nowMs: number, probe = false): void {
    const due: CounterSlot[] = [];
    for (const [key, slot] of this.slots) {
      if (slot.lease.isIdle && nowMs - slot.usedAt > IDLE_SLOT_MS && slot.seeding === null) this.drop(key);
      else if (probe || isDue(this.context, slot, nowMs)) due.push(slot);
    }
    if (probe) {
      if (this.inFlight === 0) this.exchange([], due.slice(0, SLOTS_PER_ROUND_TRIP));
      return;
    }
    // Reports everything that was due at the last tick before anything is reported again.
    if (this.reports.length === 0) this.reports = due;
    this.pump();
  }

  /**
   * Reports all usage when the process ends, and returns what it holds beyond its open reservations.
   * Rejects when the counter store is unreachable.
   */
  async close(): Promise<void> {
    const slots = [...this.slots.values()].filter(({ lease }) => !lease.isIdle);
    for (let at = 0; at < slots.length; at += SLOTS_PER_ROUND_TRIP) {
      const part = slots.slice(at, at + SLOTS_PER_ROUND_TRIP);
      // Recent admissions would request an extra amount for the next ones.
      for (const { lease } of part) [lease.validUntil, lease.admitted] = [-Infinity, 0];
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

  private drop(key: string): void {
    this.slots.delete(key);
    this.context.slots -= 1;
  }

  /**
   * Starts round trips for counters that are not part of one. At least one round trip reports
   * usage, however many requests wait.
   */
  private pump(): void {
    const nowMs = this.context.monotonic();
    if (this.reporting === 0) this.report();
    while (this.inFlight < ROUND_TRIPS_MAX && this.queue.length > 0) {
      this.picking = true;
      const waiters = this.queue.take((waiter) => this.readinessOf(waiter, nowMs));
      this.picking = false;
      if (waiters.length === 0) break;
      this.exchange(waiters, this.slotsOf(waiters, nowMs));
    }
    while (this.inFlight < ROUND_TRIPS_MAX && this.report());
  }

  private readinessOf(waiter: Waiter, nowMs: number): Readiness {
    const local = waiter.amounts === null ? null : this.admit(waiter.buckets, waiter.amounts, nowMs);
    if (local === null) return this.isBlocked(waiter) ? 'blocked' : 'ready';
    finish(waiter, local);
    return 'done';
  }

  /** Whether one of the waiter's counters is already part of a round trip. */
  private isBlocked({ buckets }: Waiter): boolean {
    return buckets.some(({ key }) => this.slots.get(key)?.inExchange === true);
  }

  private slotsOf(waiters: readonly Waiter[], nowMs: number): CounterSlot[] {
    const slots = new Set<CounterSlot>();
    for (const { buckets } of waiters) {
      for (const bucket of buckets) {
        const slot = slotOf(this.context, this.slots, bucket, nowMs);
        if (slot) slots.add(slot);
      }
    }
    return [...slots];
  }

  /** Starts one round trip of reports; returns false when nothing is left to report. */
  private report(): boolean {
    const nowMs = this.context.monotonic();
    const part: CounterSlot[] = [];
    while (part.length < SLOTS_PER_ROUND_TRIP) {
      const slot = this.reports.pop();
      if (slot === undefined) break;
      if (!slot.inExchange && isDue(this.context, slot, nowMs)) part.push(slot);
    }
    if (part.length > 0) this.exchange([], part);
    return part.length > 0;
  }

  private header(): Pick<CounterRoundTrip, 'tenant' | 'sequence' | 'leaseMs' | 'gone'> {
    this.context.sequence += 1;
    const { sequence, settings, gone } = this.context;
    return { tenant: this.tenant, sequence, leaseMs: settings.leaseMs, gone };
  }

  /**
   * Whether one of the waiter's counters was lost, and other processes may hold amounts that it
   * does not know yet.
   */
  private awaitsOthers({ buckets }: Waiter, nowMs: number): boolean {
    return buckets.some(({ key }) => (this.slots.get(key)?.lostUntil ?? -Infinity) > nowMs);
  }

  private state(slots: readonly CounterSlot[], waiters: readonly Waiter[], nowMs: number) {
    const pending = pendingOf(waiters);
    return slots.map((slot) =>
      stateSlot(this.context, slot, pending.get(slot.bucket.key) ?? NO_PENDING, nowMs),
    );
  }

  private exchange(waiters: readonly Waiter[], slots: readonly CounterSlot[]): void {
    const sentAt = this.context.monotonic();
    const statements = this.state(slots, waiters, sentAt);
    const sent: Sent = {
      waiters,
      slots,
      leases: slots.map(({ lease }) => lease),
      consumed: statements.map(({ consumed }) => consumed),
      sentAt,
    };
    const index = new Map(statements.map(({ key }, at) => [key, at]));
    const claims = waiters.flatMap((waiter) => claimOf(waiter, index) ?? []);
    this.began(sent);
    try {
      const response = this.context.counters.exchange({ ...this.header(), statements, claims });
      if (response instanceof Promise) {
        response
          .then(
            (settled) => this.responded(sent, settled),
            () => this.failed(sent),
          )
          .finally(() => this.pump());
        return;
      }
      this.responded(sent, response);
    } catch {
      this.failed(sent);
    }
  }

  private began({ slots, waiters }: Sent): void {
    this.inFlight += 1;
    if (waiters.length === 0) this.reporting += 1;
    for (const slot of slots) slot.inExchange = true;
  }

  private ended({ slots, waiters }: Sent): void {
    this.inFlight -= 1;
    if (waiters.length === 0) this.reporting -= 1;
    for (const slot of slots) slot.inExchange = false;
  }

  private failed(sent: Sent): void {
    this.ended(sent);
    this.context.breaker.failed(this.context.monotonic());
    for (const waiter of sent.waiters) this.decideAlone(waiter);
    if (!this.context.breaker.isOpen) return;
    this.reports = [];
    for (const waiter of this.queue.clear()) this.decideAlone(waiter);
  }

  private responded(sent: Sent, response: CounterRoundTripReply): void {
    this.ended(sent);
    noteRoundTrip(this.context, sent.sentAt);
    this.context.clockOffsetMs = response.nowMs - this.context.clock();
    for (const [at, counter] of response.counters.entries()) {
      const [slot, stated, consumed] = [sent.slots[at], sent.leases[at], sent.consumed[at] ?? 0];
      if (slot === undefined || stated === undefined) continue;
      applyReply(this.context, slot, { stated, consumed, sentAt: sent.sentAt }, counter, response.nowMs);
    }
    if (sent.waiters.length === 0) this.seeder.rebuild(sent.slots);
    let claim = 0;
    for (const waiter of sent.waiters) {
      if (waiter.amounts === null) this.inform(waiter, response.counters, sent.slots);
      else this.conclude(waiter, response.claims[claim++] ?? UNDECIDED, sent);
    }
  }

  private conclude(waiter: Waiter, verdict: number, sent: Sent): void {
    const { buckets, amounts } = waiter;
    if (verdict === UNDECIDED) return this.retry(waiter);
    if (verdict === ADMITTED && amounts !== null) {
      const leases = buckets.map(({ key }) => (this.slots.get(key) as CounterSlot).lease);
      const held = buckets.map((bucket, at) => takeFrom(leases[at] as Lease, bucket, amounts[at] ?? 0));
      return finish(waiter, this.context.open.add(new Reservation(buckets, leases, held, sent.sentAt)));
    }
    const slot = sent.slots[verdict] as CounterSlot;
    const { lease, bucket } = slot;
    if (lease.used >= lease.value) {
      const forMs = bucket.window.kind === 'fixed' ? this.context.settings.leaseMs : REFUSAL_MS;
      const ends = lease.endsAtMs === null ? Infinity : lease.endsAtMs - storeNow(this.context);
      lease.refusedUntil = sent.sentAt + Math.min(forMs, ends);
    }
    return finish(waiter, denialOf(this.context, slot, 'limit'));
  }

  private inform(waiter: Waiter, counters: readonly CounterReply[], slots: readonly CounterSlot[]): void {
    const mine = waiter.buckets.map(({ key }) => this.slots.get(key) as CounterSlot);
    if (mine.some((slot) => counters[slots.indexOf(slot)]?.status !== 'ok')) return this.retry(waiter);
    const leases = mine.map(({ lease }) => lease);
    return finish(waiter, informed(waiter.buckets, leases));
  }

  /** Retries a waiter whose counter was missing or whose boundaries were out of date. */
  private retry(waiter: Waiter): void {
    waiter.attempts += 1;
    if (waiter.attempts >= ATTEMPTS_MAX) return this.decideAlone(waiter);
    const nowMs = this.context.monotonic();
    if (this.awaitsOthers(waiter, nowMs)) return this.decideAlone(waiter);
    const unseeded = waiter.buckets
      .map(({ key }) => this.slots.get(key) as CounterSlot)
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
    const slots: CounterSlot[] = [];
    for (const bucket of waiter.buckets) {
      const slot = slotOf(this.context, this.slots, bucket, nowMs);
      if (slot === null) return this.overloaded(waiter, bucket);
      slots.push(slot);
    }
    const outcome = takeInOutage(this.context, waiter, slots, nowMs);
    if (!outcome.admitted || outcome.state !== 'open') return finish(waiter, outcome);
    this.context.alone += 1;
    return finish(waiter, this.context.open.add(outcome));
  }

  private overloaded(waiter: Waiter, bucket: Bucket): void {
    const slot = this.slots.get(bucket.key) ?? new CounterSlot(bucket, 0, this.context.holder);
    finish(waiter, denialOf(this.context, slot, 'overloaded'));
  }
}
