import type { OutageMode } from '@gw/contracts';
import { isBudget, type Bucket } from './bucket';
import {
  denialOf,
  HORIZON_MS,
  newHolder,
  periodAt,
  storeNow,
  validFor,
  type BatcherContext,
  type AdmissionOutcome,
} from './batcher-parts';
import { Reservation, takeFrom } from './reservation';
import { Lease, type CounterSlot } from './lease';
import { informed, type Waiter } from './waiter';

/**
 * Decides a request without the counters: each limit uses its local share or refuses, according to
 * its `onOutage` mode.
 */
export function takeInOutage(
  context: BatcherContext,
  { buckets, amounts }: Waiter,
  slots: readonly CounterSlot[],
  nowMs: number,
): AdmissionOutcome {
  for (const [at, slot] of slots.entries()) {
    const { bucket } = slot;
    if (bucket.onOutage === 'hold') holdOutageShare(context, slot, nowMs);
    if (amounts && !admitsInOutage(bucket.onOutage, bucket, slot.slice, amounts[at] ?? 0, nowMs)) {
      return denialOf(context, slot, isReached(slot) ? 'limit' : 'unverifiable');
    }
  }
  const slices = slots.map(({ slice }) => slice);
  if (amounts === null) return informed(buckets, slices);
  const held = slices.map((slice, at) => {
    slice.free -= amounts[at] ?? 0;
    return takeFrom(slice, buckets[at] as Bucket, amounts[at] ?? 0);
  });
  return new Reservation(buckets, slices, held, nowMs);
}

/**
 * Returns whether the limit is known to be reached, which most clients treat as final. A used-up
 * local share does not prove it.
 */
function isReached({ bucket, slice }: CounterSlot): boolean {
  if (bucket.onOutage !== 'hold') return false;
  return !isBudget(bucket) || slice.used + slice.consumed - slice.acknowledged >= bucket.value;
}

/**
 * Moves the slice to the current period, as far as this process knows it, and gives it its outage
 * share.
 */
function holdOutageShare(context: BatcherContext, slot: CounterSlot, nowMs: number): void {
  const { bucket } = slot;
  const nowStore = storeNow(context);
  const period = periodAt(bucket, nowStore);
  if (slot.slice.period !== period && (slot.slice.period < period || !slot.slice.known)) {
    // What the counters know about this process is unknown here, so it starts again under a new
    // holder name.
    const holder = slot.slice.known ? slot.slice.holder : newHolder(context);
    const rolled = new Lease(period, bucket.value, holder);
    rolled.holders = slot.slice.holders;
    // The usage of a new period is known: 0.
    rolled.known = slot.slice.known;
    slot.slice = rolled;
  }
  const { slice } = slot;
  if (!slice.onShare) {
    slice.onShare = true;
    slice.free =
      Math.max(0, Math.min(slice.free, slice.value - slice.used)) + shareOf(context, bucket, slice);
  }
  slice.free += slice.shelved;
  slice.shelved = 0;
  slice.value = bucket.value;
  const [, ends] = validFor(bucket, slice.period, nowStore, context.settings.leaseMs);
  slice.endsAtMs = ends;
  slice.validUntil = nowMs + Math.min(HORIZON_MS, ends === null ? HORIZON_MS : Math.max(0, ends - nowStore));
}

/**
 * Returns the local share of a limit. A budget's share never exceeds `outageSharePercent`, because
 * the usage by other processes is unknown.
 */
function shareOf(context: BatcherContext, bucket: Bucket, slice: Lease): number {
  const ofRoom = slice.known ? Math.floor(Math.max(0, slice.room) / slice.holders) : Infinity;
  if (isBudget(bucket)) {
    return Math.min(ofRoom, Math.floor((bucket.value / 100) * context.settings.outageSharePercent));
  }
  if (slice.known) return ofRoom;
  return Math.floor(bucket.value / context.settings.processesAssumed);
}

const admitsInOutage = (
  mode: OutageMode,
  bucket: Bucket,
  slice: Lease,
  amount: number,
  nowMs: number,
): boolean =>
  mode === 'refuse' || bucket.strict
    ? slice.validUntil > nowMs && slice.free >= amount && slice.free > 0
    : slice.free > 0;
