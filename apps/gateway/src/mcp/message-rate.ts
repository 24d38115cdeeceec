import type { CallNotice } from '@gw/mcp-client';
import { performance } from 'node:perf_hooks';

const PER_SECOND_MAX = 20;

/** Bounds what a server can make the gateway send to a client: 20 messages of a kind in each second. */
class MessageRate {
  private second = -1;
  private count = 0;

  /** False for a message that is left out; later ones replace it. */
  allows(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) [this.second, this.count] = [second, 0];
    this.count += 1;
    return this.count <= PER_SECOND_MAX;
  }
}

/** Passes on the messages of a call that are within the rate of their kind. */
export function withinRate(relay: (message: CallNotice) => void): (message: CallNotice) => void {
  const rates = { progress: new MessageRate(), notification: new MessageRate() };
  return (message) => {
    if (rates[message.kind].allows(performance.now())) relay(message);
  };
}
