import { Buffer } from 'node:buffer';
import type { RequestContext } from '../core/request-context';
import { Events } from './splice/events';
import { dataOf } from './splice/splice';

/**
 * Whether the client receives its stream as one JSON list, as Gemini's clients do without
 * `alt=sse`.
 */
export const isListStream = ({ route, query }: RequestContext): boolean =>
  route.address?.stream === true && !WANTS_EVENTS.test(query);

const WANTS_EVENTS = /[?&](?:\$|%24)?alt=sse(?:&|$)/i;

/**
 * Turns events into the items of one JSON list. Comments become white space. Memory is bounded by
 * one event (1 MiB).
 */
export class EventList {
  private readonly events = new Events();
  private isOpen = false;

  /**
   * Accepts bytes that may be split anywhere and returns the list items that they complete. An
   * event that is too long is dropped.
   */
  write(chunk: Buffer): Buffer {
    return Buffer.from((this.events.write(chunk) ?? []).map((event) => this.item(dataOf(event))).join(''));
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
