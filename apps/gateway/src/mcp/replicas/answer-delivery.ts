import { LRUCache } from 'lru-cache';
import type { ReplicaLink } from './replica-link';
import type { AnswerMessage } from './replica-messages';

/**
 * Milliseconds between the attempts to deliver an answer; after the last one, about a minute in
 * total, delivery is given up.
 */
const RETRY_DELAYS_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/**
 * Maximum number of unconfirmed answers; in `UNCONFIRMED_LENGTH_MAX`, of their UTF-16 units. Beyond
 * them, the oldest answers are no longer resent.
 */
const UNCONFIRMED_MAX = 1_000;
const UNCONFIRMED_LENGTH_MAX = 16_777_216;

interface Unconfirmed {
  readonly length: number;
  timer: NodeJS.Timeout | null;
}

/**
 * Delivers answers of clients to the gateways with their calls. Messages are lost while one of the
 * two gateways has no connection to Redis, and the server would wait ten minutes for an answer that
 * its user has given. An answer is therefore resent until the other gateway confirms it.
 */
export class AnswerDelivery {
  private readonly unconfirmed = new LRUCache<string, Unconfirmed>({
    ...{ max: UNCONFIRMED_MAX, maxSize: UNCONFIRMED_LENGTH_MAX, sizeCalculation: ({ length }) => length },
    dispose: ({ timer }) => {
      if (timer !== null) clearTimeout(timer);
    },
  });

  constructor(private readonly link: ReplicaLink) {
    link.on('answer_taken', ({ request }) => void this.unconfirmed.delete(request));
  }

  send(replica: string, answer: Omit<AnswerMessage, 'kind' | 'from'>): void {
    const message: AnswerMessage = { kind: 'answer', from: this.link.id, ...answer };
    const length = JSON.stringify(answer).length;
    this.unconfirmed.set(answer.request, { length, timer: null });
    this.attempt(replica, message, 0);
  }

  private attempt(replica: string, message: AnswerMessage, attempts: number): void {
    this.link.send(replica, message);
    const { request } = message;
    const unconfirmed = this.unconfirmed.get(request);
    const ms = RETRY_DELAYS_MS[attempts];
    if (unconfirmed === undefined) return;
    if (ms === undefined) this.unconfirmed.delete(request);
    else unconfirmed.timer = setTimeout(() => this.attempt(replica, message, attempts + 1), ms).unref();
  }
}
