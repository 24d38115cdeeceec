import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundClient } from '@gw/outbound';
import type { FrontDoor } from '../http/front-door';
import type { Realtime } from '../realtime/realtime';
import type { RequestsInFlight } from './requests-in-flight';

/** Milliseconds that interrupted requests have to end before they are cut. */
const INTERRUPT_MS = 2_000;
const INTERRUPT_POLL_MS = 20;

export interface Interruptible {
  readonly door: FrontDoor;
  readonly realtime: Realtime;
  readonly outbound: OutboundClient;
  readonly requestsInFlight: RequestsInFlight;
}

/**
 * Refuses new requests and ends those in flight. Resolves when every request has ended or was cut.
 */
export async function interruptAll(of: Interruptible): Promise<void> {
  const { door, realtime, outbound, requestsInFlight } = of;
  door.stop();
  realtime.close();
  outbound.close();
  const until = performance.now() + INTERRUPT_MS;
  while (!requestsInFlight.isEmpty && performance.now() < until) await delay(INTERRUPT_POLL_MS);
  for (const context of requestsInFlight.olderThan(Infinity)) {
    // A call of a check ends with its request.
    if (context.madeFor === null) context.containment?.interrupt(context);
  }
}
