import { skipString } from './json-tokens';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** The bytes of a JSON document from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the index of the first byte at or after `from` that is not white space. */
export function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && (body[at] as number) <= SPACE) at += 1;
  return at;
}

/**
 * Calls `visit` with the name and the range of the value of each member of the object at `open`,
 * until it returns false. Returns the index behind the object; -1 when `visit` ended the walk, when
 * a name contains an escape, and for malformed bytes. Values are skipped by their brackets and
 * quotes, without further checks. Takes linear time. Names are read as Latin-1, so names beyond
 * ASCII are not decoded.
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
 * Returns the range of a member's value in the object at `open`, so that it can be replaced without
 * writing the rest again. Returns null if there is no such member, or if a name before it contains
 * an escape. Of two members with the name it returns the first.
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

/** Returns the index behind the value that begins at `start`; -1 if the value does not end. */
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
