import type { JsonObject } from '@gw/mcp';
import { CallClock } from '../http/call-clock';
import type { Channel } from './channel';

/** Sends the last message of an ended call within `farewellMs` milliseconds. Never rejects. */
export async function sendFarewell(channel: Channel, message: JsonObject, farewellMs: number): Promise<void> {
  if (!channel.isOpen) return;
  const clock = new CallClock({ totalMs: farewellMs, idleMs: farewellMs });
  try {
    await channel.post(message, clock);
  } catch {
    // Without the message, the upstream ends the call by its own time limits.
  } finally {
    clock.end();
  }
}
