import type { Bucket } from './bucket';
import { denialOf, type BatcherContext } from './batcher-parts';
import type { LimitDenial } from './denial';
import { Reservation, takeFrom } from './reservation';
import { Lease, CounterSlot } from './lease';

/** A request admitted from the leases of this process. */
export interface LocalAdmission {
  readonly reservation: Reservation;
  /** A counter whose lease is nearly used up; null when there is none. */
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
  const leases: Lease[] = [];
  let low: CounterSlot | null = null;
  for (let index = 0; index < buckets.length; index += 1) {
    const bucket = buckets[index] as Bucket;
    const slot = slots.get(bucket.key);
    if (slot === undefined) return null;
    if (slot.bucket !== bucket) slot.bucket = bucket;
    const { lease } = slot;
    if (lease.value !== bucket.value) return null;
    if (lease.refusedUntil > nowMs) return denialOf(context, slot, 'limit');
    const amount = amounts[index] as number;
    if (!covers(lease, amount, nowMs)) return null;
    if (lease.free - amount < lease.low) low = slot;
    leases.push(lease);
  }
  const held: number[] = [];
  for (let index = 0; index < leases.length; index += 1) {
    const lease = leases[index] as Lease;
    const amount = amounts[index] as number;
    lease.free -= amount;
    held.push(takeFrom(lease, buckets[index] as Bucket, amount));
  }
  return { reservation: new Reservation(buckets, leases, held, nowMs), low };
}

const covers = (lease: Lease, amount: number, nowMs: number): boolean =>
  lease.validUntil > nowMs && lease.free >= amount && lease.free > 0 && !lease.crowdsOut(amount);

/**
 * Returns the lease whose usage the counters learn of, for a charge to a lease that nothing has kept
 * reported: the lease itself, or the one that continues it.
 */
export function reportedLease(
  context: BatcherContext,
  slots: Map<string, CounterSlot>,
  bucket: Bucket,
  lease: Lease,
): Lease {
  const current = slots.get(bucket.key)?.lease;
  if (current !== undefined)
    return current.holder === lease.holder && current.period === lease.period ? current : lease;
  const slot = slotOf(context, slots, bucket, context.monotonic());
  if (slot !== null) slot.lease = lease;
  return lease;
}

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
    if (known.lease.isIdle && known.lease.holder !== holder)
      known.lease = new Lease(-1, bucket.value, holder);
    return known;
  }
  if (context.slots >= context.settings.slotsMax) return null;
  const slot = new CounterSlot(bucket, nowMs, context.holder);
  slots.set(bucket.key, slot);
  context.slots += 1;
  return slot;
}
