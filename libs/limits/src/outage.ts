import type { OutageMode } from '@gw/contracts';
import { isBudget, type Bucket } from './bucket';
import {
  denialOf,
  HORIZON_MS,
  newHolder,
  periodAt,
  storeNow,
  validFor,
  type LaneContext,
  type Outcome,
} from './lane-parts';
import { Reservation, takeFrom } from './reservation';
import { Slice, type Slot } from './slice';
import { informed, type Waiter } from './waiter';

/** Without the counters: each limit holds to its local share or refuses, as it says. */
export function takeAlone(
  context: LaneContext,
  { buckets, amounts }: Waiter,
  slots: readonly Slot[],
  nowMs: number,
): Outcome {
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

/** A budget is said to be reached, which is final for most clients, when that is known; a spent share is no reason to say so. */
function isReached({ bucket, slice }: Slot): boolean {
  if (bucket.onOutage !== 'hold') return false;
  return !isBudget(bucket) || slice.used + slice.consumed - slice.acknowledged >= bucket.value;
}

/** Makes sure that the slice is of the period that it is now, as far as this process can know, and has had its share of the outage. */
function holdOutageShare(context: LaneContext, slot: Slot, nowMs: number): void {
  const { bucket } = slot;
  const nowStore = storeNow(context);
  const period = periodAt(bucket, nowStore);
  if (slot.slice.period !== period && (slot.slice.period < period || !slot.slice.known)) {
    // What the counters may know of this process from before is not known here: it begins again under a name of its own.
    const holder = slot.slice.known ? slot.slice.holder : newHolder(context);
    const rolled = new Slice(period, bucket.value, holder);
    rolled.holders = slot.slice.holders;
    // What a new period has used is known: nothing.
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

/** Of a budget never more than its stated part, however much is left of it: what the others spend meanwhile is not known. */
function shareOf(context: LaneContext, bucket: Bucket, slice: Slice): number {
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
  slice: Slice,
  amount: number,
  nowMs: number,
): boolean =>
  mode === 'refuse' || bucket.strict
    ? slice.validUntil > nowMs && slice.free >= amount && slice.free > 0
    : slice.free > 0;
