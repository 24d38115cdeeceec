import type { IncomingMessage } from 'node:http';
import type { ControlPlaneEvent } from '@gw/contracts';

/** Far over the longest event: 512 keys of 300 characters. */
const LINE_MAX = 1024 * 1024;

/** Calls `onEvent` for every line; destroys the stream at a line that is no event, since something was then missed. */
export function readEvents(res: IncomingMessage, onEvent: (event: ControlPlaneEvent) => void): void {
  let rest = '';
  res.setEncoding('utf8');
  res.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = parseEvent(line);
      if (event === null) {
        res.destroy();
        return;
      }
      onEvent(event);
    }
    if (rest.length > LINE_MAX) res.destroy();
  });
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
