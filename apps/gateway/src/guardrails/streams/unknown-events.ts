import type { Buffer } from 'node:buffer';
import { Events } from '../../reply/splice/events';
import { dataOf } from '../../reply/splice/splice';

const DEPTH_MAX = 64;

/**
 * Extracts texts from a stream in an unknown dialect. Strings at the same path in its events form
 * one text, because clients join them.
 */
export function textsOfEvents(bytes: Buffer): Readonly<Record<string, string>> {
  const events = new Events();
  const texts: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const event of [...(events.write(bytes) ?? [bytes]), events.rest()]) {
    const data = dataOf(event);
    if (data === null) continue;
    collect(valueOf(data), '$', 0, texts);
  }
  return { ...texts };
}

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}

function collect(value: unknown, path: string, depth: number, texts: Record<string, string>): void {
  if (typeof value === 'string') texts[path] = (texts[path] ?? '') + value;
  else if (typeof value === 'object' && value !== null && depth < DEPTH_MAX) {
    for (const [name, item] of Object.entries(value)) collect(item, `${path}.${name}`, depth + 1, texts);
  }
}
