import type { Eventually } from '@gw/guardrails';
import type { Peer } from '../../realtime/peer';

/**
 * Processes the messages of one peer one after another. While a message is being judged, the peer
 * is not read, so only messages already received by its socket are queued.
 */
export class MessageQueue {
  private readonly waiting: (() => Eventually<void>)[] = [];
  private isBusy = false;

  constructor(
    private readonly from: Peer,
    private readonly to: Peer,
  ) {}

  /** Runs `step`, or queues it behind the current step. `step` must never throw or reject. */
  run(step: () => Eventually<void>): void {
    if (this.isBusy) this.waiting.push(step);
    else this.begin(step);
  }

  /** Reads from the peer again, because the other peer can accept more messages. */
  resume(): void {
    if (!this.isBusy) this.from.resume();
  }

  private begin(step: () => Eventually<void>): void {
    const pending = step();
    if (!(pending instanceof Promise)) return;
    this.isBusy = true;
    this.from.pause();
    void pending.then(() => {
      this.next();
    });
  }

  private next(): void {
    this.isBusy = false;
    for (let step = this.waiting.shift(); step !== undefined; step = this.waiting.shift()) {
      this.begin(step);
      // `begin` may have set `isBusy` again.
      if (this.isBusy as boolean) return;
    }
    if (!this.to.transport.writableNeedDrain) this.from.resume();
  }
}
