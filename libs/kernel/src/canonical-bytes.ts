import { isAscii } from 'node:buffer';
import { isNumberStart } from './json-tokens';
import { afterSpace, valueEnd, walkMembers } from './member-span';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/**
 * Maximum nesting. Members are scanned before they are canonical in another order, so that bytes at
 * this depth are scanned up to eight times.
 */
const LEVELS_MAX = 8;
const BYTES_MAX = 16_384;

/**
 * Returns `canonicalJson` of a value, from the JSON text that it was parsed from. That costs a
 * fraction of serialising the value. Returns null if the canonical form may have other strings or
 * numbers, and for large or deep JSON; use `canonicalJson` then. The JSON must be valid, without
 * duplicate names and without surrounding white space.
 */
export function canonicalBytes(json: Buffer): Buffer | null {
  if (json.length > BYTES_MAX || !isAscii(json) || json.includes(BACKSLASH)) return null;
  const canonical = new Canonical(json);
  return canonical.value(0, json.length, LEVELS_MAX) ? canonical.bytes() : null;
}

interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

class Canonical {
  /** Output buffer. The output is never longer than its source. */
  private readonly out: Buffer;
  private at = 0;

  constructor(private readonly json: Buffer) {
    this.out = Buffer.allocUnsafe(json.length);
  }

  bytes(): Buffer {
    return this.out.subarray(0, this.at);
  }

  /** Writes the value in these bytes; returns false if its canonical form may differ. */
  value(start: number, end: number, levels: number): boolean {
    const first = this.json[start] as number;
    if (first === OPEN_OBJECT) return levels > 0 && this.object(start, levels - 1);
    if (first === OPEN_LIST) return levels > 0 && this.list(start, levels - 1);
    if (isNumberStart(first) && !this.isCanonicalNumber(start, end)) return false;
    this.at += this.json.copy(this.out, this.at, start, end);
    return true;
  }

  private object(open: number, levels: number): boolean {
    const members: Member[] = [];
    let isSorted = true;
    const closed = walkMembers(this.json, open, (name, start, end) => {
      const last = members.at(-1);
      if (last !== undefined && last.name > name) isSorted = false;
      members.push({ name, start, end });
      return true;
    });
    if (closed < 0) return false;
    if (!isSorted) members.sort(byName);
    this.byte(OPEN_OBJECT);
    for (const [index, { name, start, end }] of members.entries()) {
      if (index > 0) this.byte(COMMA);
      this.byte(QUOTE);
      this.at += this.out.write(name, this.at, 'latin1');
      this.byte(QUOTE);
      this.byte(COLON);
      if (!this.value(start, end, levels)) return false;
    }
    this.byte(CLOSE_OBJECT);
    return true;
  }

  private list(open: number, levels: number): boolean {
    const { json } = this;
    this.byte(OPEN_LIST);
    let at = afterSpace(json, open + 1);
    while (json[at] !== CLOSE_LIST) {
      const end = valueEnd(json, at);
      if (end < 0 || !this.value(at, end, levels)) return false;
      at = afterSpace(json, end);
      if (json[at] !== COMMA) continue;
      this.byte(COMMA);
      at = afterSpace(json, at + 1);
    }
    this.byte(CLOSE_LIST);
    return true;
  }

  private isCanonicalNumber(start: number, end: number): boolean {
    const text = this.json.toString('latin1', start, end);
    return String(Number(text)) === text;
  }

  private byte(byte: number): void {
    this.out[this.at] = byte;
    this.at += 1;
  }
}

const byName = (one: Member, other: Member): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
