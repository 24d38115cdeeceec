import type { CallNotice } from '@gw/mcp-client';
import { performance } from 'node:perf_hooks';

const PER_SECOND_MAX = 20;

/**
 * Bounds how many messages of one kind a server can make the gateway send to a client: 20 in each
 * second.
 */
class MessageRate {
  private second = -1;
  private count = 0;

  /** Returns false when the message must be dropped; later messages supersede it. */
  allows(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) [this.second, this.count] = [second, 0];
    this.count += 1;
    return this.count <= PER_SECOND_MAX;
  }
}

/**
 * Returns a function that relays the messages of a call within the rate of their kind and drops the
 * rest.
 */
export function withinRate(relay: (message: CallNotice) => void): (message: CallNotice) => void {
  const rates = { progress: new MessageRate(), notification: new MessageRate() };
  return (message) => {
    if (rates[message.kind].allows(performance.now())) relay(message);
  };
}
