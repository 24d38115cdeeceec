import { GatewayError, networkOf } from '@gw/kernel';

/** Hashes at a time: each takes 19 MiB and a thread of the pool for some 60 ms. */
const RUNNING_MAX = 2;
/** Hashes that wait; about two seconds of work. */
const WAITING_MAX = 64;
/** Of one network, running and waiting: one source never fills the queue. */
const NETWORK_MAX = 4;

/** Bounds what passwords cost this process, and shares it among networks. */
export class PasswordGate {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ofNetwork = new Map<string, number>();

  /** Throws `rate_limited` when the network has too many under way, `unavailable` when everyone together has. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const own = this.ofNetwork.get(network) ?? 0;
    if (own >= NETWORK_MAX) throw busy('rate_limited');
    if (this.running >= RUNNING_MAX && this.waiting.length >= WAITING_MAX) throw busy('unavailable');
    this.ofNetwork.set(network, own + 1);
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

  /** A waiting one takes over the place of the one that ends. */
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
