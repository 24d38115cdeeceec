import type { Bucket } from './bucket';
import { denialOf, type LaneContext } from './lane-parts';
import type { Denial } from './denial';
import { Reservation, takeFrom } from './reservation';
import { Slice, Slot } from './slice';

/** A request admitted from the leases of this process. */
export interface LocalAdmission {
  readonly reservation: Reservation;
  /** A counter of which little is left; null when there is none. */
  readonly low: Slot | null;
}

/** Decides from the leases of this process; returns null when the counters must decide. */
export function admitLocally(
  context: LaneContext,
  slots: ReadonlyMap<string, Slot>,
  buckets: readonly Bucket[],
  amounts: readonly number[],
  nowMs: number,
): LocalAdmission | Denial | null {
  if (context.aliveUntil <= nowMs) return null;
  const slices: Slice[] = [];
  let low: Slot | null = null;
  for (let index = 0; index < buckets.length; index += 1) {
    const bucket = buckets[index] as Bucket;
    const slot = slots.get(bucket.key);
    if (slot === undefined) return null;
    if (slot.bucket !== bucket) slot.bucket = bucket;
    const { slice } = slot;
    if (slice.value !== bucket.value) return null;
    if (slice.refusedUntil > nowMs) return denialOf(context, slot, 'limit');
    const amount = amounts[index] as number;
    if (!covers(slice, amount, nowMs)) return null;
    if (slice.free - amount < slice.low) low = slot;
    slices.push(slice);
  }
  const held: number[] = [];
  for (let index = 0; index < slices.length; index += 1) {
    const slice = slices[index] as Slice;
    const amount = amounts[index] as number;
    slice.free -= amount;
    held.push(takeFrom(slice, buckets[index] as Bucket, amount));
  }
  return { reservation: new Reservation(buckets, slices, held, nowMs), low };
}

const covers = (slice: Slice, amount: number, nowMs: number): boolean =>
  slice.validUntil > nowMs && slice.free >= amount && slice.free > 0 && !slice.crowdsOut(amount);

/**
 * Returns the counter's slot in this process, creating it if needed; null when there are too many.
 */
export function slotOf(
  context: LaneContext,
  slots: Map<string, Slot>,
  bucket: Bucket,
  nowMs: number,
): Slot | null {
  const known = slots.get(bucket.key);
  if (known) {
    known.bucket = bucket;
    known.usedAt = nowMs;
    const { holder } = context;
    if (known.slice.isIdle && known.slice.holder !== holder)
      known.slice = new Slice(-1, bucket.value, holder);
    return known;
  }
  if (context.slots >= context.settings.slotsMax) return null;
  const slot = new Slot(bucket, nowMs, context.holder);
  slots.set(bucket.key, slot);
  context.slots += 1;
  return slot;
}
