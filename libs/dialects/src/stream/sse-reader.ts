import { createParser } from 'eventsource-parser';
import { LineText } from './line-text';

/** Maximum characters of one event. */
export const EVENT_MAX = 8 * 1024 * 1024;

export interface SseEvent {
  /** Value of the `event` field; '' when absent. */
  readonly name: string;
  readonly data: string;
}

/**
 * Splits a provider's event stream into events, whatever its line ends and wherever its chunks are
 * cut.
 */
export class SseReader {
  /** Whether an event was larger than 8 MiB; the stream cannot be read further. */
  overflowed = false;
  private readonly lines = new LineText();
  private events: SseEvent[] = [];
  private readonly parser = createParser({
    maxBufferSize: EVENT_MAX,
    onEvent: ({ event = '', data }) => {
      this.events.push({ name: event, data });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.overflowed = true;
    },
  });

  write(chunk: Buffer): SseEvent[] {
    // The parser throws if it gets further text.
    if (this.overflowed) return [];
    this.parser.feed(this.lines.write(chunk));
    return this.taken();
  }

  /** Returns a last event without a blank line after it, as some providers send it. */
  end(): SseEvent[] {
    if (this.overflowed) return [];
    this.parser.feed(`${this.lines.end()}\n\n`);
    return this.taken();
  }

  private taken(): SseEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }
}
