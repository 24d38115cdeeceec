import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ControlPlaneEvent } from '@gw/contracts';

/** Far over the longest event: 512 keys of 300 characters. */
const LINE_MAX = 1024 * 1024;

/** Reads an event from each line. Ends the stream at a line that is not an event, because something was then missed. */
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

/** The event, or null when the text is none. */
export function parseEvent(text: string): ControlPlaneEvent | null {
  try {
    const event = JSON.parse(text) as Partial<ControlPlaneEvent> | null;
    if (event === null || !Number.isSafeInteger(event.sequence)) return null;
    switch (event.type) {
      case 'change':
        return isList(event.changed) && isList(event.removed) ? (event as ControlPlaneEvent) : null;
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
