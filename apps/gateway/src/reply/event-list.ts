import { Buffer } from 'node:buffer';
import type { RequestContext } from '../core/request-context';
import { LossyEvents } from './splice/events';
import { dataOf } from './splice/splice';

/**
 * Whether the client receives its stream as one JSON list, as Gemini's clients do without
 * `alt=sse`.
 */
export const isListStream = ({ route, query }: RequestContext): boolean =>
  route.address?.stream === true && !WANTS_EVENTS.test(query);

const WANTS_EVENTS = /[?&](?:\$|%24)?alt=sse(?:&|$)/i;

/** Maximum size of an event in bytes: events of Gemini contain whole images. */
const EVENT_BYTES_MAX = 16 * 1_048_576;

/**
 * Turns events into the items of one JSON list. Comments become white space. Memory is bounded by
 * one event.
 */
export class EventList {
  private readonly events = new LossyEvents(EVENT_BYTES_MAX);
  private isOpen = false;

  /**
   * Accepts bytes that may be split anywhere and returns the list items that they complete. An
   * event longer than `EVENT_BYTES_MAX` is dropped.
   */
  write(chunk: Buffer): Buffer {
    return Buffer.from(
      this.events
        .write(chunk)
        .map((event) => this.item(dataOf(event)))
        .join(''),
    );
  }

  /** Returns the end of the list. */
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
