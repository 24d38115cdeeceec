import { skipString } from './json-tokens';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** The bytes from `start` up to `end` of a JSON document. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Index of the first byte from `from` on that is no white space. */
export function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && (body[at] as number) <= SPACE) at += 1;
  return at;
}

/**
 * Calls back with the name and the value of each member of the object whose brace is at `open`, until it returns
 * false. Returns the index behind the object; -1 when the callback ended the walk, when a name has an escape, and
 * for bytes that are no object. Values are skipped by their brackets and quotes, and not checked further. Takes
 * linear time. Names beyond ASCII are not decoded.
 */
export function walkMembers(
  body: Buffer,
  open: number,
  visit: (name: string, start: number, end: number) => boolean,
): number {
  if (body[open] !== OPEN_OBJECT) return -1;
  let at = afterSpace(body, open + 1);
  if (body[at] === CLOSE_OBJECT) return at + 1;
  while (body[at] === QUOTE) {
    const nameEnd = skipString(body, at);
    const colon = nameEnd < 0 ? -1 : afterSpace(body, nameEnd);
    if (colon < 0 || body[colon] !== COLON || hasEscape(body, at, nameEnd)) return -1;
    const start = afterSpace(body, colon + 1);
    const end = valueEnd(body, start);
    if (end < 0 || !visit(body.toString('latin1', at + 1, nameEnd - 1), start, end)) return -1;
    at = afterSpace(body, end);
    if (body[at] === CLOSE_OBJECT) return at + 1;
    if (body[at] !== COMMA) return -1;
    at = afterSpace(body, at + 1);
  }
  return -1;
}

/**
 * Where the value of a member is in the object whose brace is at `open`, so that it can be replaced without
 * writing the rest again. Null when there is none of that name, or when an escape in a name before it leaves that
 * open. Of two members of one name, the first.
 */
export function memberSpan(body: Buffer, open: number, name: string): Span | null {
  let found: Span | null = null;
  walkMembers(body, open, (each, start, end) => {
    if (each === name) found = { start, end };
    return found === null;
  });
  return found;
}

function hasEscape(body: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (body[at] === BACKSLASH) return true;
  return false;
}

/** Index behind the value that begins at `start`; -1 when it never ends. */
export function valueEnd(body: Buffer, start: number): number {
  const first = body[start];
  if (first === QUOTE) return skipString(body, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return containerEnd(body, start);
  let at = start;
  while (at < body.length && !endsScalar(body[at] as number)) at += 1;
  return at > start ? at : -1;
}

const endsScalar = (byte: number): boolean =>
  byte <= SPACE || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte === COLON;

function containerEnd(body: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at >= 0 && at < body.length;) {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      at = skipString(body, at);
      continue;
    }
    at += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
