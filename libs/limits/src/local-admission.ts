import type { Bucket } from './bucket';
import { denialOf, type BatcherContext } from './batcher-parts';
import type { LimitDenial } from './denial';
import { Reservation, takeFrom } from './reservation';
import { Lease, CounterSlot } from './lease';

/** A request admitted from the leases of this process. */
export interface LocalAdmission {
  readonly reservation: Reservation;
  /** A counter of which little is left; null when there is none. */
  readonly low: CounterSlot | null;
}

/** Decides from the leases of this process; returns null when the counters must decide. */
export function admitLocally(
  context: BatcherContext,
  slots: ReadonlyMap<string, CounterSlot>,
  buckets: readonly Bucket[],
  amounts: readonly number[],
  nowMs: number,
): LocalAdmission | LimitDenial | null {
  if (context.aliveUntil <= nowMs) return null;
  const slices: Lease[] = [];
  let low: CounterSlot | null = null;
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
    const slice = slices[index] as Lease;
    const amount = amounts[index] as number;
    slice.free -= amount;
    held.push(takeFrom(slice, buckets[index] as Bucket, amount));
  }
  return { reservation: new Reservation(buckets, slices, held, nowMs), low };
}

const covers = (slice: Lease, amount: number, nowMs: number): boolean =>
  slice.validUntil > nowMs && slice.free >= amount && slice.free > 0 && !slice.crowdsOut(amount);

/**
 * Returns the counter's slot in this process, creating it if needed; null when there are too many.
 */
export function slotOf(
  context: BatcherContext,
  slots: Map<string, CounterSlot>,
  bucket: Bucket,
  nowMs: number,
): CounterSlot | null {
  const known = slots.get(bucket.key);
  if (known) {
    known.bucket = bucket;
    known.usedAt = nowMs;
    const { holder } = context;
    if (known.slice.isIdle && known.slice.holder !== holder)
      known.slice = new Lease(-1, bucket.value, holder);
    return known;
  }
  if (context.slots >= context.settings.slotsMax) return null;
  const slot = new CounterSlot(bucket, nowMs, context.holder);
  slots.set(bucket.key, slot);
  context.slots += 1;
  return slot;
}
