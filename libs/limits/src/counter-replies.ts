import type { CounterReply } from './counter-store';
import { crossingsBetween, RESTATE_MS, validFor, type BatcherContext } from './batcher-parts';
import { Lease, type CounterSlot } from './lease';

/** The part of a round trip that concerns one counter: lease, stated usage and time of sending. */
export interface Stated {
  readonly stated: Lease;
  readonly consumed: number;
  readonly sentAt: number;
}

/**
 * A round trip takes several turns of the event loop, so a late loop makes the store look slow.
 * This many times the loop's delay is subtracted from the latency.
 */
const LOOP_TURNS = 4;

/**
 * Notes a successful round trip. After an outage all holds are stated again, because their leases
 * may have ended meanwhile.
 */
export function noteRoundTrip(context: BatcherContext, sentAt: number): void {
  const { breaker, monotonic, loopLateMs } = context;
  const nowMs = monotonic();
  const wasOpen = breaker.isOpen;
  breaker.succeeded(nowMs, nowMs - sentAt - LOOP_TURNS * loopLateMs);
  if (wasOpen) context.restateSince = nowMs;
}

/** Applies a counter's reply to the local state. `nowMs` is the time of the counter store. */
export function applyReply(
  context: BatcherContext,
  slot: CounterSlot,
  { stated, consumed, sentAt }: Stated,
  counter: CounterReply,
  nowMs: number,
): void {
  slot.missing = counter.status === 'unknown';
  if (counter.status === 'lost') {
    slot.lostUntil = sentAt + RESTATE_MS;
    context.restateSince = context.monotonic();
  }
  // A lost counter does not know what other processes hold. The slot keeps its earlier values until
  // they have stated it again.
  if (counter.status !== 'ok' || slot.lostUntil > sentAt) return;
  slot.seed = null;
  if (counter.period === stated.period) {
    // The durable record may know more about this process than the process itself.
    stated.consumed += counter.consumed - consumed;
    stated.acknowledged = counter.consumed;
    slot.lease = stated;
  } else if (slot.lease.period !== counter.period) {
    slot.lease = new Lease(counter.period, stated.value, stated.holder, counter.consumed);
  }
  const { lease, bucket } = slot;
  for (const kind of crossingsBetween(bucket, lease.used, counter.used)) {
    context.onCrossing({ bucket, kind, period: counter.period, used: counter.used });
  }
  lease.apply(counter);
  const [validMs, ends] = validFor(bucket, counter.period, nowMs, context.settings.leaseMs);
  lease.endsAtMs = ends;
  // A standard limit may be reserved past its end. Amounts freed from such a reservation are not
  // headroom, so the counters must decide.
  lease.validUntil = lease.room < 0 ? -Infinity : sentAt + validMs;
}
