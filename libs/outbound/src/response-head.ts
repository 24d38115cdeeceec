/** Maximum fields of one head; no provider sends a tenth of them. */
const FIELDS_MAX = 1_000;
/** Maximum cached names. Further names are decoded for each response. */
const NAMES_MAX = 1_000;
const NAME_LENGTH_MAX = 64;
/** Longer numbers exceed what a double represents exactly. */
const LENGTH_DIGITS_MAX = 15;
/**
 * An idle connection is closed this long before the provider would close it, so that no request
 * meets its end.
 */
const KEEP_ALIVE_MARGIN_MS = 1_000;

export const CR = 13;
export const LF = 10;
const [TAB, SPACE, COLON, ZERO, ONE, NINE] = [9, 32, 58, 48, 49, 57];

/** Results of `ResponseHead.read` for a head that is not complete, or not valid. */
export const INCOMPLETE = -1;
export const INVALID = -2;

/** 1 for each byte of a header name: the token of RFC 9110. */
export const TOKEN_BYTES = new Uint8Array(256);
for (const byte of Buffer.from(
  "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
))
  TOKEN_BYTES[byte] = 1;

/** 1 for each byte of a header value: no control characters except tab. */
export const VALUE_BYTES = new Uint8Array(256)
  .fill(1, SPACE)
  .fill(0, 127, 128)
  .fill(1, TAB, TAB + 1);

/** Fields that control the message and the connection. All others are only passed on. */
const LENGTH = 'content-length';
const CODING = 'transfer-encoding';
const CONNECTION = 'connection';
const KEEP_ALIVE = 'keep-alive';
const CONTROL_FIELDS: ReadonlySet<string> = new Set([LENGTH, CODING, CONNECTION, KEEP_ALIVE]);

interface FieldName {
  readonly lowerCased: string;
  readonly isControl: boolean;
}

const names = new Map<string, FieldName>();

/**
 * Offsets of the fields in the current head: start and end of the name, start and end of the value.
 * Shared by all heads, because a head is read synchronously.
 */
const marks = new Int32Array(4 * FIELDS_MAX);

/**
 * The status line and the fields of a response. As strict as RFC 9112 allows for a client: anything
 * ambiguous is invalid.
 */
export class ResponseHead {
  status = 0;
  /** Names and values in turn, as received, with names in lower case. */
  fields: string[] = [];
  /** -1: absent. */
  contentLength = -1;
  isChunked = false;
  /** Whether the head allows reuse of the connection. */
  staysOpen = false;
  /** How long the connection may be idle, in milliseconds. */
  idleMs = Infinity;

  /**
   * Reads the head that begins at `from`. Returns the index after it, INCOMPLETE or INVALID; an
   * invalid head may be detected before it is complete.
   */
  read(bytes: Buffer, from: number, to: number): number {
    let at = readStatusLine(bytes, from, to);
    let count = 0;
    for (;;) {
      if (at < 0) return at;
      if (at >= to) return INCOMPLETE;
      if (bytes[at] === CR) break;
      if (count === FIELDS_MAX) return INVALID;
      at = markField(bytes, at, to, 4 * count);
      count += 1;
    }
    const end = endOfLine(bytes, at, to);
    if (end < 0) return end;
    const text = bytes.toString('latin1', from, end);
    this.status = Number(text.slice(9, 12));
    return this.takeFields(text, from, count, text.charCodeAt(7) === ONE) ? end : INVALID;
  }

  private takeFields(text: string, offset: number, count: number, isLatest: boolean): boolean {
    this.contentLength = -1;
    this.isChunked = false;
    this.staysOpen = isLatest;
    this.idleMs = Infinity;
    const fields: string[] = [];
    for (let mark = 0; mark < 4 * count; mark += 4) {
      const name = nameOf(text.slice(markAt(mark) - offset, markAt(mark + 1) - offset));
      const value = text.slice(markAt(mark + 2) - offset, markAt(mark + 3) - offset);
      if (name.isControl) {
        // Skip a repeated length, which would only confuse a reader of both.
        if (name.lowerCased === LENGTH && this.contentLength !== -1) {
          if (readLength(value) === this.contentLength) continue;
          return false;
        }
        if (!this.applyControl(name.lowerCased, value)) return false;
      }
      fields.push(name.lowerCased, value);
    }
    this.fields = fields;
    // A length together with chunks is ambiguous, and an HTTP/1.0 provider that sends chunks is not
    // trusted any further.
    if (this.isChunked && !isLatest) this.staysOpen = false;
    return !this.isChunked || this.contentLength === -1;
  }

  private applyControl(name: string, value: string): boolean {
    switch (name) {
      case LENGTH:
        this.contentLength = readLength(value);
        return this.contentLength !== -1;
      case CODING:
        if (this.isChunked || value.toLowerCase() !== 'chunked') return false;
        this.isChunked = true;
        return true;
      case KEEP_ALIVE:
        this.idleMs = Math.min(this.idleMs, readKeepAlive(value));
        return true;
      default:
        if (value === KEEP_ALIVE && this.staysOpen) return true;
        for (const option of value.toLowerCase().split(',')) {
          if (option.trim() === 'close') this.closes();
          else if (option.trim() === KEEP_ALIVE && this.idleMs > 0) this.staysOpen = true;
        }
        return true;
    }
  }

  /** Overrides everything else in the head. */
  private closes(): void {
    this.staysOpen = false;
    this.idleMs = 0;
  }
}

const markAt = (index: number): number => marks[index] as number;

/** Returns the index after the status line, INCOMPLETE or INVALID. */
function readStatusLine(bytes: Buffer, from: number, to: number): number {
  const known = Math.min(STATUS_LINE_START, to - from);
  for (let index = 0; index < known; index += 1) {
    if (!startsStatusLine(bytes[from + index] as number, index)) return INVALID;
  }
  let at = from + known;
  if (known === STATUS_LINE_START && at < to && bytes[at] !== SPACE && bytes[at] !== CR) return INVALID;
  while (at < to && VALUE_BYTES[bytes[at] as number] === 1) at += 1;
  return endOfLine(bytes, at, to);
}

const PROTOCOL = Buffer.from('HTTP/1.');
/** The length of `HTTP/1.1 200`. */
const STATUS_LINE_START = PROTOCOL.length + 5;

function startsStatusLine(byte: number, index: number): boolean {
  if (index < 7) return byte === PROTOCOL[index];
  if (index === 7) return byte === ZERO || byte === ONE;
  if (index === 8) return byte === SPACE;
  return byte >= (index === 9 ? ONE : ZERO) && byte <= NINE;
}

/**
 * Records the offsets of the field at `at`. Returns the index after its line, INCOMPLETE or
 * INVALID.
 */
function markField(bytes: Buffer, at: number, to: number, mark: number): number {
  let index = at;
  while (index < to && TOKEN_BYTES[bytes[index] as number] === 1) index += 1;
  if (index >= to) return INCOMPLETE;
  if (bytes[index] !== COLON || index === at) return INVALID;
  marks[mark] = at;
  marks[mark + 1] = index;
  index += 1;
  while (index < to && isBlank(bytes[index] as number)) index += 1;
  const value = index;
  while (index < to && VALUE_BYTES[bytes[index] as number] === 1) index += 1;
  let end = index;
  while (end > value && isBlank(bytes[end - 1] as number)) end -= 1;
  marks[mark + 2] = value;
  marks[mark + 3] = end;
  return endOfLine(bytes, index, to);
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

/** Returns the index after the CR LF at `at`, INCOMPLETE, or INVALID if there is something else. */
function endOfLine(bytes: Buffer, at: number, to: number): number {
  if (at >= to) return INCOMPLETE;
  if (bytes[at] !== CR) return INVALID;
  if (at + 1 >= to) return INCOMPLETE;
  return bytes[at + 1] === LF ? at + 2 : INVALID;
}

function nameOf(raw: string): FieldName {
  const known = names.get(raw);
  if (known) return known;
  // Copy the name, because a slice would keep the whole head in memory.
  const own = Buffer.from(raw, 'latin1').toString('latin1');
  const lowerCased = own.toLowerCase();
  const name = { lowerCased, isControl: CONTROL_FIELDS.has(lowerCased) };
  if (names.size < NAMES_MAX && own.length <= NAME_LENGTH_MAX) names.set(own, name);
  return name;
}

/** Returns -1 for anything but digits. */
function readLength(value: string): number {
  if (value.length === 0 || value.length > LENGTH_DIGITS_MAX) return -1;
  let length = 0;
  for (let index = 0; index < value.length; index += 1) {
    const digit = value.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    length = 10 * length + digit;
  }
  return length;
}

const TIMEOUT = 'timeout=';
const lastKeepAlive = { text: '', idleMs: Infinity };

/**
 * Returns the milliseconds of `keep-alive: timeout=5, max=100`, less a margin; Infinity without a
 * timeout.
 */
function readKeepAlive(value: string): number {
  // Providers send the same value each time.
  if (value !== lastKeepAlive.text) Object.assign(lastKeepAlive, { text: value, idleMs: keepAliveOf(value) });
  return lastKeepAlive.idleMs;
}

function keepAliveOf(value: string): number {
  const at = value.toLowerCase().indexOf(TIMEOUT);
  if (at === -1) return Infinity;
  const seconds = Number.parseInt(value.slice(at + TIMEOUT.length, at + TIMEOUT.length + 9), 10);
  return Number.isNaN(seconds) ? Infinity : Math.max(0, 1_000 * seconds - KEEP_ALIVE_MARGIN_MS);
}
