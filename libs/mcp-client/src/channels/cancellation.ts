import { cancellationOf } from '@gw/mcp';
import { CallClock } from '../http/call-clock';
import type { Channel } from './channel';

/** Sends the cancellation of a request on a legacy channel, within a time limit. Never rejects. */
export async function sendCancellation(
  channel: Channel,
  call: { readonly id: number; readonly reason: string },
  farewellMs: number,
): Promise<void> {
  const { notification } = cancellationOf(channel.era, call.id, call.reason);
  if (notification === null || !channel.isOpen) return;
  const clock = new CallClock({ totalMs: farewellMs, idleMs: farewellMs });
  try {
    await channel.post(notification, clock);
  } catch {
    // The upstream runs into its own limits.
  } finally {
    clock.end();
  }
}
