import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { LimitState } from '@gw/contracts';
import { CounterBreaker } from './counter-breaker';
import type { Bucket } from './bucket';
import { HOLDER_RUN_MS, type CounterStore, type LedgerStore } from './counter-store';
import { denialError, type LimitDenial } from './denial';
import type { LivenessListener } from './holder-registry';
import { CounterBatcher } from './counter-batcher';
import {
  denialOf,
  newHolder,
  refusalOf,
  type Crossing,
  type BatcherContext,
  type LedgerSettings,
  type AdmissionOutcome,
} from './batcher-parts';
import { OpenReservations } from './open-reservations';
import type { Charge, Estimate, Reservation } from './reservation';
import { CounterSlot, type Lease } from './lease';
import { reportedLease } from './local-admission';
import type { Waiter } from './waiter';

export interface LedgerOptions {
  readonly counters: CounterStore;
  /** The durable record that lost budgets are rebuilt from; null: they start at 0. */
  readonly record: LedgerStore | null;
  readonly onCrossing?: (crossing: Crossing) => void;
  /** Called when a reservation was not settled in time; its amounts are free again. */
  readonly onAbandoned?: (reservation: Reservation) => void;
  readonly settings?: Partial<LedgerSettings>;
  /** Monotonic milliseconds. */
  readonly monotonic?: () => number;
  readonly clock?: () => number;
}

/** A budget's counter, by its place in the counter store. */
export interface TrackedBudget {
  readonly tenant: string;
  readonly key: string;
}

export interface LedgerHealth {
  /** The counters are unreachable: each limit uses its local share or refuses. */
  readonly degraded: boolean;
  readonly degradedForMs: number;
  readonly failures: number;
  readonly openReservations: number;
  readonly abandoned: number;
  readonly counters: number;
  /** Requests admitted from local shares while the counters were unreachable. */
  readonly admittedAlone: number;
  readonly refused: Readonly<Record<LimitDenial['reason'], number>>;
}

const DEFAULTS: LedgerSettings = {
  leaseMs: 90_000,
  reservationMaxMs: 900_000,
  slotsMax: 200_000,
  waitersMax: 10_000,
  storeTimeoutMs: 2_000,
  processesAssumed: 4,
  outageSharePercent: 1,
};

const FLUSH_MS = 250;
const FAILURES_MAX = 5;
const SLOW_MS = 250;
const PROBE_EVERY_MS = 1_000;

/**
 * Reserves at admission and settles at the end, in all limits of a request or in none.
 * A process may spend what it holds of a counter without a round trip. When that does not suffice
 * the counters decide; usage is reported to them every 250 ms. `docs/limits.md` states the bounds.
 */
export class Ledger implements LivenessListener {
  private readonly batchers = new Map<string, CounterBatcher>();
  private readonly context: BatcherContext;
  private readonly onAbandoned: (reservation: Reservation) => void;
  private readonly refused = { limit: 0, unpriced: 0, unverifiable: 0, overloaded: 0 };
  private abandoned = 0;
  private timer: NodeJS.Timeout | null = null;
  private hurrying = false;
  private namedAt: number;

  constructor(options: LedgerOptions) {
    const { counters, record, settings, onCrossing, onAbandoned } = options;
    this.onAbandoned = onAbandoned ?? (() => undefined);
    this.context = {
      settings: { ...DEFAULTS, ...settings },
      counters,
      record,
      process: randomBytes(9).toString('base64url'),
      holder: '',
      names: 0,
      breaker: new CounterBreaker({
        failuresMax: FAILURES_MAX,
        slowMs: SLOW_MS,
        probeEveryMs: PROBE_EVERY_MS,
      }),
      open: new OpenReservations(),
      monotonic: options.monotonic ?? (() => performance.now()),
      clock: options.clock ?? Date.now,
      onCrossing: onCrossing ?? (() => undefined),
      sequence: 0,
      aliveUntil: Infinity,
      loopLateMs: 0,
      gone: [],
      restateSince: -Infinity,
      clockOffsetMs: 0,
      slots: 0,
      alone: 0,
    };
    this.context.holder = newHolder(this.context);
    this.namedAt = this.context.monotonic();
  }

  /**
   * Takes the estimate from every bucket, or from none. All buckets belong to one tenant; the
   * denial names the first bucket that refuses.
   * Returns synchronously while this process holds enough, and a promise when the counters must
   * decide. Never rejects.
   */
  admit(buckets: readonly Bucket[], estimate: Estimate): AdmissionOutcome | Promise<AdmissionOutcome> {
    const amounts: number[] = [];
    for (const bucket of buckets) {
      const amount = amountOf(bucket, estimate);
      if (amount < 0) return this.counted(denialOf(this.context, this.knownSlot(bucket), 'unpriced'));
      amounts.push(amount);
    }
    const batcher = this.batcherOf(buckets[0]?.tenant ?? '');
    const local = batcher.admit(buckets, amounts, this.context.monotonic());
    if (local !== null) return local.admitted ? local : this.counted(local);
    const outcome = decide(batcher, { buckets, amounts, resolve: null, outcome: null, attempts: 0 });
    return outcome instanceof Promise
      ? outcome.then((settled) => this.counted(settled))
      : this.counted(outcome);
  }

  /**
   * Returns a remembered refusal of one of the buckets; null when there is none and only a round
   * trip can decide. Takes nothing and makes no round trip.
   */
  refusal(buckets: readonly Bucket[]): LimitDenial | null {
    const batcher = this.batchers.get(buckets[0]?.tenant ?? '');
    const denial = batcher === undefined ? null : refusalOf(this.context, batcher.slots, buckets);
    if (denial !== null) this.counted(denial);
    return denial;
  }

  /**
   * Returns the state of limits, by the counters' newest reply. Throws or rejects with `unavailable`
   * when too many requests wait for the counters.
   */
  states(buckets: readonly Bucket[]): LimitState[] | Promise<LimitState[]> {
    if (buckets.length === 0) return [];
    const waiter = { buckets, amounts: null, resolve: null, outcome: null, attempts: 0 };
    const outcome = decide(this.batcherOf(buckets[0]?.tenant ?? ''), waiter);
    return outcome instanceof Promise ? outcome.then(statesOf) : statesOf(outcome);
  }

  /**
   * Charges a part of a reservation, such as one response of a session, and reduces it accordingly.
   * The reservation is abandoned only when no part follows in time. Has no effect once settled.
   */
  charge(reservation: Reservation, charge: Charge): void {
    if (reservation.state === 'settled') return;
    this.chargeLate(reservation, charge);
    this.context.open.used(reservation, this.context.monotonic());
  }

  /**
   * Charges an amount that became known after the reservation was settled. The caller makes sure
   * that it is charged once.
   */
  chargeLate({ buckets, leases, amounts }: Reservation, charge: Charge): void {
    for (let index = 0; index < buckets.length; index += 1) {
      const own = leases[index];
      const bucket = buckets[index];
      if (own === undefined || bucket === undefined) continue;
      const used = usedOf(bucket, charge);
      const lease = used > 0 && own.chargeable === 0 ? this.reportedLease(bucket, own) : own;
      const covered = Math.min(amounts[index] ?? 0, used);
      amounts[index] = (amounts[index] ?? 0) - covered;
      lease.inFlight -= covered;
      lease.free -= used - covered;
      lease.consumed += used;
      if (lease.free < 0) this.hurry();
    }
  }

  /**
   * Charges the used amounts and frees the rest of the reservation. A second call has no effect.
   */
  settle(reservation: Reservation, charge: Charge): void {
    if (reservation.state === 'settled') return;
    this.chargeLate(reservation, charge);
    this.context.open.settle(reservation);
  }

  /**
   * Frees all reserved amounts because no provider was called. A rate limit on requests still
   * counts the request.
   */
  release(reservation: Reservation): void {
    this.settle(reservation, NOTHING);
  }

  /** Starts the timer that reports usage to the counters. */
  start(): void {
    let due = this.context.monotonic() + FLUSH_MS;
    this.timer ??= setInterval(() => {
      const nowMs = this.context.monotonic();
      this.context.loopLateMs = Math.max(0, nowMs - due);
      due = nowMs + FLUSH_MS;
      this.tick();
    }, FLUSH_MS).unref();
  }

  /**
   * Reports usage and returns the unused leases. Rejects when the counters are unreachable; the
   * leases then expire.
   */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    for (const batcher of this.batchers.values()) await batcher.close();
  }

  /** Runs one tick, as `start` does repeatedly. */
  tick(): void {
    const nowMs = this.context.monotonic();
    this.sweep(nowMs);
    if (nowMs - this.namedAt >= HOLDER_RUN_MS) {
      this.namedAt = nowMs;
      this.context.holder = newHolder(this.context);
    }
    const { breaker } = this.context;
    if (breaker.isOpen) {
      if (!breaker.mayProbe(nowMs)) return;
      const [batcher] = this.batchers.values();
      if (batcher) batcher.tick(nowMs, true);
      else breaker.succeeded(nowMs, 0);
      if (!breaker.isResponding) return;
    }
    for (const [tenant, batcher] of this.batchers) {
      batcher.tick(nowMs);
      if (batcher.isEmpty) this.batchers.delete(tenant);
    }
  }

  /**
   * Runs a tick before the timer does: this process used more than its lease, and other processes
   * must learn that before they admit much more.
   */
  private hurry(): void {
    if (this.hurrying || this.timer === null) return;
    this.hurrying = true;
    setImmediate(() => {
      this.hurrying = false;
      if (this.timer !== null) this.tick();
    });
  }

  /** First part of the holder names of this process. */
  get process(): string {
    return this.context.process;
  }

  isAliveUntil(atMs: number): void {
    this.context.aliveUntil = atMs;
  }

  areGone(processes: readonly string[]): void {
    this.context.gone = processes;
  }

  countersLost(): void {
    this.context.restateSince = this.context.monotonic();
  }

  /** Returns the budgets whose counters this process uses. */
  budgets(): TrackedBudget[] {
    const found: TrackedBudget[] = [];
    for (const [tenant, batcher] of this.batchers)
      for (const key of batcher.budgetKeys()) found.push({ tenant, key });
    return found;
  }

  health(): LedgerHealth {
    const { breaker, open, slots, alone, monotonic } = this.context;
    return {
      degraded: breaker.isOpen,
      degradedForMs: breaker.openSince === null ? 0 : monotonic() - breaker.openSince,
      failures: breaker.failures,
      openReservations: open.size,
      abandoned: this.abandoned,
      counters: slots,
      admittedAlone: alone,
      refused: { ...this.refused },
    };
  }

  private sweep(nowMs: number): void {
    const { open, settings } = this.context;
    for (const reservation of open.abandon(nowMs, settings.reservationMaxMs)) {
      this.abandoned += 1;
      this.onAbandoned(reservation);
    }
  }

  private reportedLease(bucket: Bucket, lease: Lease): Lease {
    return reportedLease(this.context, this.batcherOf(bucket.tenant).slots, bucket, lease);
  }

  /** Returns the slot of a bucket's counter; a new one, which nothing keeps, if it is unknown. */
  private knownSlot(bucket: Bucket): CounterSlot {
    const known = this.batchers.get(bucket.tenant)?.slots.get(bucket.key);
    return known ?? new CounterSlot(bucket, 0, this.context.holder);
  }

  private batcherOf(tenant: string): CounterBatcher {
    const known = this.batchers.get(tenant);
    if (known) return known;
    const batcher = new CounterBatcher(tenant, this.context);
    this.batchers.set(tenant, batcher);
    return batcher;
  }

  private counted(outcome: AdmissionOutcome): AdmissionOutcome {
    if (!outcome.admitted) this.refused[outcome.reason] += 1;
    return outcome;
  }
}

const NOTHING: Charge = { cost: 0, tokens: 0, requests: 0 };

function decide(batcher: CounterBatcher, waiter: Waiter): AdmissionOutcome | Promise<AdmissionOutcome> {
  batcher.decide(waiter);
  return (
    waiter.outcome ??
    new Promise((resolve) => {
      waiter.resolve = resolve;
    })
  );
}

/**
 * Returns the amount to request from a bucket; below 0 when the bucket is strict and the amount
 * unknown.
 */
function amountOf({ measure, strict }: Bucket, { cost, tokens }: Estimate): number {
  switch (measure) {
    case 'cost':
      return cost ?? (strict ? -1 : 0);
    case 'tokens':
      return tokens ?? (strict ? -1 : 0);
    case 'requests':
    case 'concurrency':
      return 1;
  }
}

/**
 * Returns the used amount. Requests of a rate limit were counted at admission; concurrency is only
 * held.
 */
function usedOf({ measure, window }: Bucket, { cost, tokens, requests }: Charge): number {
  switch (measure) {
    case 'cost':
      return cost ?? 0;
    case 'tokens':
      return tokens;
    case 'requests':
      return window.kind === 'period' ? requests : 0;
    case 'concurrency':
      return 0;
  }
}

function statesOf(outcome: AdmissionOutcome): LimitState[] {
  if (!outcome.admitted) throw denialError(outcome);
  return outcome.states();
}
