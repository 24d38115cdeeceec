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
    if (amounts && !admitsInOutage(bucket.onOutage, bucket, slot.lease, amounts[at] ?? 0, nowMs)) {
      return denialOf(context, slot, isReached(slot) ? 'limit' : 'unverifiable');
    }
  }
  const leases = slots.map(({ lease }) => lease);
  if (amounts === null) return informed(buckets, leases);
  const held = leases.map((lease, at) => {
    lease.free -= amounts[at] ?? 0;
    return takeFrom(lease, buckets[at] as Bucket, amounts[at] ?? 0);
  });
  return new Reservation(buckets, leases, held, nowMs);
}

/**
 * Returns whether the limit is known to be reached. Most clients do not retry after that error, so
 * a used-up local share of a budget is not enough.
 */
function isReached({ bucket, lease }: CounterSlot): boolean {
  if (bucket.onOutage !== 'hold') return false;
  return !isBudget(bucket) || lease.used + lease.consumed - lease.acknowledged >= bucket.value;
}

/**
 * Moves the lease to the current period, as far as this process knows it, and gives it its outage
 * share.
 */
function holdOutageShare(context: BatcherContext, slot: CounterSlot, nowMs: number): void {
  const { bucket } = slot;
  const nowStore = storeNow(context);
  const period = periodAt(bucket, nowStore);
  if (slot.lease.period !== period && (slot.lease.period < period || !slot.lease.known)) {
    // A lease without a reply does not know what the counters have recorded for its holder, so it
    // continues under a new holder name.
    const holder = slot.lease.known ? slot.lease.holder : newHolder(context);
    const rolled = new Lease(period, bucket.value, holder);
    rolled.holders = slot.lease.holders;
    // The usage of a new period is known: 0.
    rolled.known = slot.lease.known;
    slot.lease = rolled;
  }
  const { lease } = slot;
  if (!lease.onShare) {
    lease.onShare = true;
    lease.free = Math.max(0, Math.min(lease.free, lease.value - lease.used));
    lease.shelved = shareOf(context, bucket, lease);
  }
  lease.free += lease.shelved;
  lease.share += lease.shelved;
  lease.shelved = 0;
  lease.value = bucket.value;
  const [, ends] = validFor(bucket, lease.period, nowStore, context.settings.leaseMs);
  lease.endsAtMs = ends;
  lease.validUntil = nowMs + Math.min(HORIZON_MS, ends === null ? HORIZON_MS : Math.max(0, ends - nowStore));
}

/**
 * Returns the local share of a limit. A budget's share never exceeds `outageSharePercent`, because
 * the usage by other processes is unknown.
 */
function shareOf(context: BatcherContext, bucket: Bucket, lease: Lease): number {
  const ofRoom = lease.known ? Math.floor(Math.max(0, lease.room) / lease.holders) : Infinity;
  if (isBudget(bucket)) {
    return Math.min(ofRoom, Math.floor((bucket.value / 100) * context.settings.outageSharePercent));
  }
  if (lease.known) return ofRoom;
  return Math.floor(bucket.value / context.settings.processesAssumed);
}

const admitsInOutage = (
  mode: OutageMode,
  bucket: Bucket,
  lease: Lease,
  amount: number,
  nowMs: number,
): boolean =>
  mode === 'refuse' || bucket.strict
    ? lease.validUntil > nowMs && lease.free >= amount && lease.free > 0
    : lease.free > 0;
