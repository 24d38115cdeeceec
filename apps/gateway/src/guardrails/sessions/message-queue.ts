import type { Eventually } from '@gw/guardrails';
import type { Peer } from '../../realtime/peer';

/**
 * What is done with the messages of one side, one after the other. While one of them is judged, the side is not read: what waits is
 * no more than its socket had given already.
 */
export class MessageQueue {
  private readonly waiting: (() => Eventually<void>)[] = [];
  private isBusy = false;

  constructor(
    private readonly from: Peer,
    private readonly to: Peer,
  ) {}

  /** `step` never throws and never rejects. */
  run(step: () => Eventually<void>): void {
    if (this.isBusy) this.waiting.push(step);
    else this.begin(step);
  }

  /** The other side takes more. */
  goOn(): void {
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
      // `begin` may have made it busy again.
      if (this.isBusy as boolean) return;
    }
    if (!this.to.transport.writableNeedDrain) this.from.resume();
  }
}
