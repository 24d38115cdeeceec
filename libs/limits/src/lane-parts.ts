import { boundariesOf, type Bucket } from './bucket';
import { EXTRA_DIVISOR, type CounterStatement, type CounterStore, type LedgerStore } from './counter-store';
import type { CounterBreaker } from './counter-breaker';
import type { Denial } from './denial';
import { nextBoundary } from './reset-schedule';
import type { OpenReservations, Reservation } from './reservation';
import type { Slot } from './slice';

export type Outcome = Reservation | Denial;

/** A limit was crossed, seen by this process; several may see the same crossing, so the reporter keeps a flag. */
export interface Crossing {
  readonly bucket: Bucket;
  readonly kind: 'threshold' | 'exhausted';
  readonly period: number;
  readonly used: number;
}

export interface LedgerSettings {
  /** What a process holds is given free when the process is silent for so long. */
  readonly leaseMs: number;
  /** A reservation that is not settled by then is abandoned. Longer than the longest request. */
  readonly reservationMaxMs: number;
  /** Counters that a process knows at the same time; past it unknown ones are refused as `overloaded`. */
  readonly slotsMax: number;
  /** Requests of a tenant that wait for the counters at the same time. */
  readonly waitersMax: number;
  readonly storeTimeoutMs: number;
  /** How many processes share a limit that this one has never seen, for its share in an outage. */
  readonly processesAssumed: number;
  /** Of a budget, what a process may spend at most in one outage beyond what it already held, in per cent of the limit. */
  readonly outageSharePercent: number;
}

/** What all lanes of a ledger share. */
export interface LaneContext {
  readonly settings: LedgerSettings;
  readonly counters: CounterStore;
  readonly record: LedgerStore | null;
  /** The process, and a number that tells its runs of use apart. */
  readonly process: string;
  /** The name for what this process begins to use now; see `HOLDER_RUN_MS`. */
  holder: string;
  readonly breaker: CounterBreaker;
  readonly open: OpenReservations;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onCrossing: (crossing: Crossing) => void;
  sequence: number;
  /** Monotonic: until then other processes leave alone what this one holds. */
  aliveUntil: number;
  /** How late the newest turn of the process' timer came. */
  loopLateMs: number;
  /** Dead processes, whose holds are free. */
  gone: readonly string[];
  /** Monotonic: what is held and was not stated since then is stated again, for the counters may have lost it. */
  restateSince: number;
  /** Names given so far. */
  names: number;
  /** The store's clock minus ours. */
  clockOffsetMs: number;
  slots: number;
  /** Requests that were admitted from a local share, while the counters could not be reached. */
  alone: number;
}

/** Requests as much extra as this time would use. */
export const HORIZON_MS = 1_000;
const SPAN_MIN_MS = 50;
/** Of the lease, how long its slice is used; what is left covers a slow answer. */
const LEASE_PART = 0.8;

/** How long the processes have to state again what they hold of a counter that was lost: several turns of each, and a beat. */
export const RESTATE_MS = 1_500;

/** A name that nothing was stated under before. */
export function newHolder(context: LaneContext): string {
  context.names += 1;
  return `${context.process}.${String(context.names)}`;
}

export const storeNow = (context: LaneContext): number => context.clock() + context.clockOffsetMs;

/** The period at a time by the store's clock, as the store itself would pick it. */
export function periodAt(bucket: Bucket, nowMs: number): number {
  const boundaries = boundariesOf(bucket.window, nowMs);
  return boundaries.findLast((boundary) => boundary <= nowMs) ?? boundaries[0] ?? 0;
}

/** What waiting requests ask of one counter. */
export interface Pending {
  readonly sum: number;
  readonly largest: number;
}

export const NO_PENDING: Pending = { sum: 0, largest: 0 };

/** Counters of one round trip. */
export const SLOTS_PER_EXCHANGE = 64;

/** Whether this turn must report it to the counters. */
export function isDue(context: LaneContext, { slice, statedAt }: Slot, nowMs: number): boolean {
  if (slice.consumed !== slice.acknowledged) return true;
  if (slice.free > 0 || slice.crowded) return true;
  if (slice.isIdle) return false;
  return statedAt < context.restateSince || nowMs - statedAt > context.settings.leaseMs / 3;
}

/** Gives up what is not needed, and then says what is held: never the other way round. */
export function stateSlot(
  context: LaneContext,
  slot: Slot,
  pending: Pending,
  nowMs: number,
): CounterStatement {
  const { bucket, slice } = slot;
  const { window } = bucket;
  const target = slot.lostUntil > nowMs ? 0 : targetOf(slot, pending.sum, nowMs);
  const keepMax = Math.max(0, Math.floor((slice.room + Math.max(0, slice.free)) / EXTRA_DIVISOR));
  const usable = slice.validUntil > nowMs ? slice.free : 0;
  // No counter granted the share of an outage: it is dropped once the counters can be reached.
  const most = pending.sum > 0 || slice.onShare ? 0 : Math.max(0, Math.min(usable, target, keepMax));
  slot.least = Math.max(1, slice.largest, pending.largest, Math.floor(slot.least / 2));
  const keep = most < slot.least ? 0 : most;
  if (slice.onShare) slice.shelved += slice.free;
  slice.free = keep;
  slice.admitted = 0;
  slice.largest = 0;
  slice.value = bucket.value;
  slot.statedAt = nowMs;
  const windowed = window.kind === 'fixed' || window.kind === 'sliding';
  return {
    key: bucket.key,
    holder: slice.holder,
    value: bucket.value,
    strict: bucket.strict,
    kind: window.kind,
    lengthMs: windowed ? window.lengthMs : 0,
    originMs: windowed ? window.originMs : 0,
    boundaries: window.kind === 'period' ? boundariesOf(window, storeNow(context)) : [],
    period: slice.period,
    consumed: slice.consumed,
    hold: slice.inFlight + keep,
    want: Math.max(0, target - keep),
    least: slot.least,
    seed: slot.seed,
    known: slice.known,
  };
}

function targetOf({ bucket, slice, statedAt }: Slot, pending: number, nowMs: number): number {
  if (bucket.measure === 'concurrency') {
    return slice.admitted > 0 || pending > 0 ? Math.max(4, Math.ceil(slice.inFlight / 2)) : 0;
  }
  const span = Math.max(SPAN_MIN_MS, nowMs - statedAt);
  return Math.max(Math.ceil((slice.admitted * HORIZON_MS) / span), pending);
}

/** How long a slice that was given by an exchange sent at `sentAt` may be used: never past the window, nor past the lease. */
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

export function denialOf(context: LaneContext, slot: Slot, reason: Denial['reason']): Denial {
  const { bucket, slice } = slot;
  const { kind } = bucket.window;
  return {
    admitted: false,
    bucket,
    reason,
    used: slice.used + slice.consumed - slice.acknowledged,
    reserved: slice.held,
    resetAtMs: slice.endsAtMs,
    retryAfterMs: retryAfter(context, slot, reason === 'limit' && kind !== 'open'),
  };
}

/** The refusal that is remembered of one of the buckets, whatever is requested of them. */
export function refusalOf(
  context: LaneContext,
  slots: ReadonlyMap<string, Slot>,
  buckets: readonly Bucket[],
): Denial | null {
  const nowMs = context.monotonic();
  for (const { key, value } of buckets) {
    const slot = slots.get(key);
    if (slot === undefined || slot.slice.value !== value) continue;
    if (slot.slice.refusedUntil > nowMs) return denialOf(context, slot, 'limit');
  }
  return null;
}

/** What requests under way give back may come at any time; what was used comes back with the next window. */
function retryAfter(context: LaneContext, { slice }: Slot, untilReset: boolean): number {
  if (!untilReset || slice.used < slice.value) return HORIZON_MS;
  return slice.endsAtMs === null ? Infinity : Math.max(0, slice.endsAtMs - storeNow(context));
}

/** Tells of thresholds between two readings of one period. */
export function crossingsBetween(bucket: Bucket, before: number, after: number): readonly Crossing['kind'][] {
  const kinds: Crossing['kind'][] = [];
  if (bucket.window.kind !== 'period') return kinds;
  const { alertAt, value } = bucket;
  if (alertAt !== null && before < alertAt && after >= alertAt) kinds.push('threshold');
  if (before < value && after >= value) kinds.push('exhausted');
  return kinds;
}

/** Rejects when the promise has not settled in time. */
export function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The ledger store did not answer in time.')), timeoutMs);
    timer.unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
