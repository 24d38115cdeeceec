/** Headers of every event stream; proxies must not buffer it. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** A comment that keeps an idle stream open; sent every 15 seconds. */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** Returns an event that makes a legacy client resume its stream after `afterMs` milliseconds. */
export const retryEvent = (afterMs: number): string => `retry: ${String(Math.trunc(afterMs))}\n\n`;

/**
 * Returns one message as an event. `json` must have no line breaks; `JSON.stringify` writes none.
 */
export const messageEvent = (
  json: string,
  id: string | null,
  type: 'message' | 'error' = 'message',
): string => `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json.replace(/[\r\n]/g, ' ')}\n\n`;

/** An event of a stream, numbered from 1. */
export interface StreamEvent {
  readonly id: string;
  readonly json: string;
}

const STREAM_ID = /^[A-Za-z0-9]{1,64}$/;

/** Id of an event: `<stream>-<number>`, so that it names its stream (MCP 2025-11-25). */
export const eventId = (stream: string, number: number): string => `${stream}-${String(number)}`;

/** Reads a `Last-Event-ID` header; null for an id that does not have the form of `eventId`. */
export function readEventId(text: string): { readonly stream: string; readonly number: number } | null {
  const [stream = '', number = '', ...more] = text.slice(0, 128).split('-', 3);
  const isOurs = more.length === 0 && STREAM_ID.test(stream) && /^\d{1,15}$/.test(number);
  return isOurs ? { stream, number: Number(number) } : null;
}

/** Bounds of the events that are stored for one stream. */
export const RING_LIMITS = { eventsMax: 100, charactersMax: 262_144 } as const;
const { eventsMax, charactersMax } = RING_LIMITS;

/**
 * Stores the last events of a stream, for clients that resume it: at most 100 events and 262,144
 * characters. One process keeps the ring in memory; several processes share it through a store with
 * the same bounds.
 */
export class EventRing {
  private readonly events: StreamEvent[] = [];
  private characters = 0;
  private last = 0;

  constructor(readonly stream: string) {}

  /** Adds a message and returns its event. */
  add(json: string): StreamEvent {
    this.last += 1;
    const event = { id: eventId(this.stream, this.last), json };
    this.events.push(event);
    this.characters += json.length;
    while (this.events.length > eventsMax || (this.characters > charactersMax && this.events.length > 1))
      this.characters -= this.events.shift()?.json.length ?? 0;
    return event;
  }

  /** Total size of the events in UTF-16 units. */
  get size(): number {
    return this.characters;
  }

  /**
   * Returns the events after an id, each once. Dropped events are missing: the response to a call
   * is the last event, so a client that missed progress still gets the response. Null for an id of
   * another stream or an invalid id.
   */
  after(lastEventId: string): readonly StreamEvent[] | null {
    const place = readEventId(lastEventId);
    if (place?.stream !== this.stream || place.number > this.last) return null;
    const first = this.last - this.events.length;
    return this.events.slice(Math.max(0, place.number - first));
  }
}
