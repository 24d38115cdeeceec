import type { CallClock } from '../http/call-clock';
import type { UpstreamMessage } from '../rpc/messages';
import { busy, type UpstreamError } from '../upstream-error';
import { MessageQueue } from './message-queue';

const LISTENERS_MAX = 20;

/** Readers of notifications that belong to no call. Each has its own bounded queue. */
export class Listeners {
  private readonly queues = new Set<MessageQueue>();

  get size(): number {
    return this.queues.size;
  }

  /** Adds a reader and returns its queue. Throws `busy` when there are 20 already. */
  add(clock: CallClock): MessageQueue {
    if (this.queues.size >= LISTENERS_MAX) throw busy(LISTENERS_MAX, 'listeners');
    const queue = new MessageQueue(clock);
    this.queues.add(queue);
    return queue;
  }

  delete(queue: MessageQueue): void {
    this.queues.delete(queue);
  }

  push(message: UpstreamMessage): void {
    for (const queue of this.queues) queue.push(message);
  }

  fail(error: UpstreamError): void {
    for (const queue of this.queues) queue.fail(error);
  }
}
