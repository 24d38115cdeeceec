import { boundariesOf, type Bucket } from './bucket';
import { EXTRA_DIVISOR, type CounterStatement, type CounterStore, type LedgerStore } from './counter-store';
import type { CounterBreaker } from './counter-breaker';
import type { LimitDenial } from './denial';
import { nextBoundary } from './reset-schedule';
import type { OpenReservations } from './open-reservations';
import type { Reservation } from './reservation';
import type { CounterSlot } from './lease';

export type AdmissionOutcome = Reservation | LimitDenial;

/**
 * A limit was crossed, as seen by this process. Several processes may see the same crossing, so the
 * reporter deduplicates.
 */
export interface Crossing {
  readonly bucket: Bucket;
  readonly kind: 'threshold' | 'exhausted';
  readonly period: number;
  readonly used: number;
}

export interface LedgerSettings {
  /** Milliseconds of silence after which the holds of a process are freed. */
  readonly leaseMs: number;
  /**
   * A reservation that is neither charged nor settled for this long is abandoned. Longer than the
   * longest request.
   */
  readonly reservationMaxMs: number;
  /**
   * Maximum number of counters that a process knows; beyond it, unknown ones are refused as
   * `overloaded`.
   */
  readonly slotsMax: number;
  /** Maximum number of requests of a tenant that wait for the counters. */
  readonly waitersMax: number;
  readonly storeTimeoutMs: number;
  /**
   * Assumed number of processes that share a limit this one has never seen; determines its share in
   * an outage.
   */
  readonly processesAssumed: number;
  /** Percentage of a budget that a process may spend in one outage beyond what it already held. */
  readonly outageSharePercent: number;
}

/** State shared by all counter batchers of a ledger. */
export interface BatcherContext {
  readonly settings: LedgerSettings;
  readonly counters: CounterStore;
  readonly record: LedgerStore | null;
  /** Name of the process. */
  readonly process: string;
  /** Holder name for counters that this process starts using now; see `HOLDER_RUN_MS`. */
  holder: string;
  readonly breaker: CounterBreaker;
  readonly open: OpenReservations;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onCrossing: (crossing: Crossing) => void;
  sequence: number;
  /** Monotonic: until then other processes leave alone what this one holds. */
  aliveUntil: number;
  /** Milliseconds by which the newest tick of the timer was late. */
  loopLateMs: number;
  /** Dead processes, whose holds are free. */
  gone: readonly string[];
  /**
   * Monotonic: holds that were not stated since then are stated again, because the counters may
   * have lost them.
   */
  restateSince: number;
  /** Number of holder names created so far. */
  names: number;
  /** The store's clock minus the local clock. */
  clockOffsetMs: number;
  slots: number;
  /** Requests admitted from a local share while the counters were unreachable. */
  alone: number;
}

/** A process requests as much extra as it would use in this many milliseconds. */
export const HORIZON_MS = 1_000;
const SPAN_MIN_MS = 50;
/** Fraction of a lease's life during which it is used; the rest covers a slow response. */
const LEASE_PART = 0.8;

/**
 * How long processes have to restate what they hold of a lost counter: several ticks each, and a
 * heartbeat.
 */
export const RESTATE_MS = 1_500;

/** Returns a holder name that has never been used. */
export function newHolder(context: BatcherContext): string {
  context.names += 1;
  return `${context.process}.${String(context.names)}`;
}

export const storeNow = (context: BatcherContext): number => context.clock() + context.clockOffsetMs;

/** Returns the period at a time of the store's clock, as the store itself would choose it. */
export function periodAt(bucket: Bucket, nowMs: number): number {
  const boundaries = boundariesOf(bucket.window, nowMs);
  return boundaries.findLast((boundary) => boundary <= nowMs) ?? boundaries[0] ?? 0;
}

/** Amounts that waiting requests need from one counter: their sum and the largest one. */
export interface Pending {
  readonly sum: number;
  readonly largest: number;
}

export const NO_PENDING: Pending = { sum: 0, largest: 0 };

/** Maximum number of counters in one round trip. */
export const SLOTS_PER_ROUND_TRIP = 64;

/** Whether this tick must report the slot to the counters. */
export function isDue(context: BatcherContext, { lease, statedAt }: CounterSlot, nowMs: number): boolean {
  if (lease.consumed !== lease.acknowledged) return true;
  if (lease.free > 0 || lease.crowded) return true;
  if (lease.isIdle) return false;
  return statedAt < context.restateSince || nowMs - statedAt > context.settings.leaseMs / 3;
}

/**
 * Drops the part of the lease that is not needed, then builds the statement of what remains held.
 * The order matters: a process must never state more than it keeps.
 */
export function stateSlot(
  context: BatcherContext,
  slot: CounterSlot,
  pending: Pending,
  nowMs: number,
): CounterStatement {
  const { bucket, lease } = slot;
  const { window } = bucket;
  const target = slot.lostUntil > nowMs ? 0 : targetOf(slot, pending.sum, nowMs);
  const keepMax = Math.max(0, Math.floor((lease.room + Math.max(0, lease.free)) / EXTRA_DIVISOR));
  const usable = lease.validUntil > nowMs ? lease.free : 0;
  // The counters never granted the outage share, so it is dropped once they are reachable.
  const most = pending.sum > 0 || lease.onShare ? 0 : Math.max(0, Math.min(usable, target, keepMax));
  slot.least = Math.max(1, lease.largest, pending.largest, Math.floor(slot.least / 2));
  const keep = most < slot.least ? 0 : most;
  if (lease.onShare) {
    lease.shelved += lease.free;
    lease.share = 0;
  }
  lease.free = keep;
  lease.admitted = 0;
  lease.largest = 0;
  lease.value = bucket.value;
  slot.statedAt = nowMs;
  const windowed = window.kind === 'fixed' || window.kind === 'sliding';
  return {
    key: bucket.key,
    holder: lease.holder,
    value: bucket.value,
    strict: bucket.strict,
    kind: window.kind,
    lengthMs: windowed ? window.lengthMs : 0,
    originMs: windowed ? window.originMs : 0,
    boundaries: window.kind === 'period' ? boundariesOf(window, storeNow(context)) : [],
    period: lease.period,
    consumed: lease.consumed,
    hold: lease.inFlight + keep,
    want: Math.max(0, target - keep),
    least: slot.least,
    seed: slot.seed,
    known: lease.known,
  };
}

function targetOf({ bucket, lease, statedAt }: CounterSlot, pending: number, nowMs: number): number {
  if (bucket.measure === 'concurrency') {
    return lease.admitted > 0 || pending > 0 ? Math.max(4, Math.ceil(lease.inFlight / 2)) : 0;
  }
  const span = Math.max(SPAN_MIN_MS, nowMs - statedAt);
  return Math.max(Math.ceil((lease.admitted * HORIZON_MS) / span), pending);
}

/**
 * Returns for how many milliseconds a granted lease may be used (never past the end of the window
 * or of the lease), and when the window ends in Unix milliseconds (null for never).
 */
export function validFor(
  bucket: Bucket,
  period: number,
  nowMs: number,
  leaseMs: number,
): [until: number, ends: number | null] {
  const lease = leaseMs * LEASE_PART;
  const { window } = bucket;
  if (window.kind === 'open') return [lease, null];
  const ends = window.kind === 'period' ? nextBoundary(window.schedule, nowMs) : period + window.lengthMs;
  return [ends === null ? lease : Math.min(lease, ends - nowMs), ends];
}

export function denialOf(
  context: BatcherContext,
  slot: CounterSlot,
  reason: LimitDenial['reason'],
): LimitDenial {
  const { bucket, lease } = slot;
  const { kind } = bucket.window;
  return {
    admitted: false,
    bucket,
    reason,
    used: lease.used + lease.consumed - lease.acknowledged,
    reserved: lease.held,
    resetAtMs: lease.endsAtMs,
    retryAfterMs:
      reason === 'unpriced' ? Infinity : retryAfter(context, slot, reason === 'limit' && kind !== 'open'),
  };
}

/**
 * Returns the remembered refusal of one of the buckets, whatever amount is requested; null when
 * there is none.
 */
export function refusalOf(
  context: BatcherContext,
  slots: ReadonlyMap<string, CounterSlot>,
  buckets: readonly Bucket[],
): LimitDenial | null {
  const nowMs = context.monotonic();
  for (const { key, value } of buckets) {
    const slot = slots.get(key);
    if (slot === undefined || slot.lease.value !== value) continue;
    if (slot.lease.refusedUntil > nowMs) return denialOf(context, slot, 'limit');
  }
  return null;
}

/**
 * Returns after how many milliseconds a retry may succeed; Infinity when the window never ends.
 * In-flight requests may free their amounts at any time; used amounts are free in the next window.
 */
function retryAfter(context: BatcherContext, { lease }: CounterSlot, untilReset: boolean): number {
  if (!untilReset || lease.used < lease.value) return HORIZON_MS;
  return lease.endsAtMs === null ? Infinity : Math.max(0, lease.endsAtMs - storeNow(context));
}

/** Returns the thresholds crossed between two readings of one period. */
export function crossingsBetween(bucket: Bucket, before: number, after: number): readonly Crossing['kind'][] {
  const kinds: Crossing['kind'][] = [];
  if (bucket.window.kind !== 'period') return kinds;
  const { alertAt, value } = bucket;
  if (alertAt !== null && before < alertAt && after >= alertAt) kinds.push('threshold');
  if (before < value && after >= value) kinds.push('exhausted');
  return kinds;
}

/** Rejects when the promise does not settle in time. */
export function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the ledger store did not respond in time')), timeoutMs);
    timer.unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
