import { Buffer } from 'node:buffer';
import type { RequestContext } from '../core/request-context';
import { LossyEvents } from './splice/events';
import { dataOf } from './splice/splice';

/**
 * Whether the client requested a stream as one JSON list, as Gemini's clients do without `alt=sse`.
 * The response may still be an error, which is no stream.
 */
export const isListStream = ({ route, query }: RequestContext): boolean =>
  route.address?.stream === true && !WANTS_EVENTS.test(query);

const WANTS_EVENTS = /[?&](?:\$|%24)?alt=sse(?:&|$)/i;

/** Maximum size in bytes of an event that is held: events of Gemini contain whole images. */
const EVENT_BYTES_MAX = 16 * 1_048_576;

/**
 * Turns server-sent events into the items of one JSON list. Events without data, such as comments,
 * become white space. Holds at most one event.
 */
export class EventList {
  private readonly events = new LossyEvents(EVENT_BYTES_MAX);
  private isOpen = false;

  /**
   * Accepts bytes that may be split anywhere and returns the list items that they complete. An
   * event that is incomplete after `EVENT_BYTES_MAX` bytes is dropped.
   */
  write(chunk: Buffer): Buffer {
    return Buffer.from(
      this.events
        .write(chunk)
        .map((event) => this.item(dataOf(event)))
        .join(''),
    );
  }

  /** Returns the end of the list. An event without its final blank line is dropped. */
  end(): Buffer {
    return Buffer.from(this.isOpen ? ']' : '[]');
  }

  private item(data: string | null): string {
    if (data === null) return '\r\n';
    const item = this.isOpen ? `,\r\n${data}` : `[${data}`;
    this.isOpen = true;
    return item;
  }
}
