import { Buffer } from 'node:buffer';

const ROOM_BYTES = 65_536;
/** Fragments up to this length are copied byte by byte, because a copy call costs more. */
const SHORT_BYTES = 24;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const POINT = 0x2e;
const LETTER_Z = 0x5a;
/** The smallest number with more than 1, 2 and 3 digits. */
const LEAST_LIMITS = { 1: 10, 2: 100, 3: 1_000 } as const;
/** Integers below this are written digit by digit; a double divides them exactly. */
const WHOLE_MAX = 1e15;

/** Encodes a piece of JSON that is written unchanged. ASCII only. */
export const fragment = (json: string): Buffer => Buffer.from(json, 'latin1');

const NULL = fragment('null');

/**
 * Writes JSON into a buffer that is reused for every document; the content is overwritten after the
 * next `begin`. Concatenated strings would cost several times as much in memory and flattening.
 */
export class JsonWriter {
  private buffer = Buffer.allocUnsafeSlow(ROOM_BYTES);
  private at = 0;

  begin(): void {
    this.at = 0;
    if (this.buffer.length > ROOM_BYTES) this.buffer = Buffer.allocUnsafeSlow(ROOM_BYTES);
  }

  /** Returns the document; valid until the next `begin`. */
  end(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  raw(piece: Buffer): void {
    const { length } = piece;
    this.ensure(length);
    const { buffer, at } = this;
    if (length > SHORT_BYTES) buffer.set(piece, at);
    else for (let i = 0; i < length; i += 1) buffer[at + i] = piece[i] as number;
    this.at = at + length;
  }

  /** Writes ASCII that needs no escape, without quotes. */
  ascii(text: string): void {
    const { length } = text;
    this.ensure(length);
    const { buffer, at } = this;
    for (let i = 0; i < length; i += 1) buffer[at + i] = text.charCodeAt(i);
    this.at = at + length;
  }

  /** Writes a quoted string, or null. This and the following methods write `key` first. */
  text(key: Buffer, value: string | null): void {
    this.raw(key);
    if (value === null) this.raw(NULL);
    else this.quoted(value);
  }

  private quoted(value: string): void {
    const { length } = value;
    this.ensure(length + 2);
    const { buffer } = this;
    const start = this.at;
    buffer[start] = QUOTE;
    let at = start + 1;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) {
        this.any(value);
        return;
      }
      buffer[at] = code;
      at += 1;
    }
    buffer[at] = QUOTE;
    this.at = at + 1;
  }

  /** Writes any value; slower than the other methods. */
  json(key: Buffer, value: unknown): void {
    this.raw(key);
    this.any(value);
  }

  private any(value: unknown): void {
    const text = JSON.stringify(value);
    this.ensure(text.length * 3);
    this.at += this.buffer.write(text, this.at);
  }

  /** Writes a finite number, or null. */
  number(key: Buffer, value: number | null): void {
    this.raw(key);
    this.numeral(value);
  }

  private numeral(value: number | null): void {
    if (value === null) this.raw(NULL);
    else if (Number.isInteger(value) && value >= 0 && value < WHOLE_MAX) this.digits(value, 1);
    else this.ascii(String(value));
  }

  boolean(key: Buffer, value: boolean): void {
    this.raw(key);
    this.ascii(value ? 'true' : 'false');
  }

  /**
   * Writes non-negative milliseconds with up to three decimals, or null. Formatting a fraction as a
   * double costs ten times as much.
   */
  ms(key: Buffer, value: number | null): void {
    this.raw(key);
    if (value === null) {
      this.raw(NULL);
      return;
    }
    const micros = Math.round(value * 1_000);
    const whole = Math.floor(micros / 1_000);
    this.numeral(whole);
    const rest = micros - whole * 1_000;
    if (rest === 0) return;
    this.byte(POINT);
    this.digits(rest, 3);
  }

  /** Writes the end of an ISO time, `SS.sssZ`, from integer milliseconds below a minute. */
  seconds(inMinuteMs: number): void {
    const whole = Math.floor(inMinuteMs / 1_000);
    this.digits(whole, 2);
    this.byte(POINT);
    this.digits(inMinuteMs - whole * 1_000, 3);
    this.byte(LETTER_Z);
  }

  private byte(byte: number): void {
    this.ensure(1);
    this.buffer[this.at] = byte;
    this.at += 1;
  }

  /** Writes leading zeros up to `least` digits. */
  private digits(value: number, least: 1 | 2 | 3): void {
    let count: number = least;
    for (let limit = LEAST_LIMITS[least]; value >= limit; limit *= 10) count += 1;
    this.ensure(count);
    const { buffer, at } = this;
    let left = value;
    for (let i = at + count - 1; i >= at; i -= 1) {
      const next = Math.floor(left / 10);
      buffer[i] = ZERO + (left - next * 10);
      left = next;
    }
    this.at = at + count;
  }

  private ensure(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}

/** Caches the JSON of an object for the object's lifetime. */
export function remembered<T extends object>(make: (value: T) => string): (value: T) => Buffer {
  const made = new WeakMap<T, Buffer>();
  return (value) => {
    let json = made.get(value);
    if (json === undefined) {
      json = Buffer.from(make(value), 'utf8');
      made.set(value, json);
    }
    return json;
  };
}
