import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ControlPlaneEvent } from '@gw/contracts';

/** Far above the longest event: 512 keys of 300 characters. */
const LINE_MAX = 1024 * 1024;

/**
 * Yields the event of each line. Ends at a line that is not an event, because an event was then
 * missed.
 */
export async function* readEvents(body: Readable): AsyncGenerator<ControlPlaneEvent> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = parseEvent(line);
      if (event === null) return;
      yield event;
    }
    if (rest.length > LINE_MAX) return;
  }
}

/** Parses an event; returns null when the text is not one. */
export function parseEvent(text: string): ControlPlaneEvent | null {
  try {
    const event = JSON.parse(text) as Partial<ControlPlaneEvent> | null;
    if (event === null || !Number.isSafeInteger(event.sequence)) return null;
    switch (event.type) {
      case 'change':
        return isList(event.changed) && isList(event.removed) && Number.isSafeInteger(event.previous)
          ? (event as ControlPlaneEvent)
          : null;
      case 'heartbeat':
      case 'reset':
        return event as ControlPlaneEvent;
      case undefined:
      default:
        return null;
    }
  } catch {
    return null;
  }
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
