import { GatewayError, networkOf } from '@gw/kernel';

/** Concurrent hashes. Each takes 19 MiB and one thread of the pool for about 60 ms. */
const RUNNING_MAX = 2;
/** Maximum number of queued hashes; about two seconds of work. */
const WAITING_MAX = 64;
/**
 * Maximum number of running and queued hashes of one network, so that one source cannot fill the
 * queue.
 */
const NETWORK_MAX = 4;

/** Bounds the cost of password hashing in this process and shares the capacity among networks. */
export class PasswordGate {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ofNetwork = new Map<string, number>();

  /**
   * Runs `work` when a slot is free. Throws `rate_limited` when the network has too many jobs,
   * `unavailable` when the queue is full.
   */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const runningOfNetwork = this.ofNetwork.get(network) ?? 0;
    if (runningOfNetwork >= NETWORK_MAX) throw busy('rate_limited');
    if (this.running >= RUNNING_MAX && this.waiting.length >= WAITING_MAX) throw busy('unavailable');
    this.ofNetwork.set(network, runningOfNetwork + 1);
    try {
      await this.turn();
      return await work().finally(() => {
        this.next();
      });
    } finally {
      const left = (this.ofNetwork.get(network) ?? 1) - 1;
      if (left === 0) this.ofNetwork.delete(network);
      else this.ofNetwork.set(network, left);
    }
  }

  private turn(): Promise<void> | void {
    if (this.running < RUNNING_MAX) {
      this.running += 1;
      return;
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Gives the slot of a finished job to the next queued one. */
  private next(): void {
    const waiting = this.waiting.shift();
    if (waiting) waiting();
    else this.running -= 1;
  }
}

const busy = (type: 'rate_limited' | 'unavailable'): GatewayError =>
  new GatewayError(type, {
    message: 'Too many logins are being checked. Try again in a second.',
    headers: { 'retry-after': '1' },
  });
