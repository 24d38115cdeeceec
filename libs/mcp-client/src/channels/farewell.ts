import type { JsonObject } from '@gw/mcp';
import { CallClock } from '../http/call-clock';
import type { Channel } from './channel';

/** Sends a message of a call that is over, within a time limit of its own. Never rejects. */
export async function sendFarewell(channel: Channel, message: JsonObject, farewellMs: number): Promise<void> {
  if (!channel.isOpen) return;
  const clock = new CallClock({ totalMs: farewellMs, idleMs: farewellMs });
  try {
    await channel.post(message, clock);
  } catch {
    // The upstream runs into its own limits.
  } finally {
    clock.end();
  }
}
