import { boundaryOf, formScan, PART_BYTES_MAX } from './form-scan';
import { EscapeCheck } from './json-bytes';
import { DOUBT, scanMembers, type ShallowScan } from './shallow-scan';
import { Skeleton } from './skeleton';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Longer than any key, model or primitive that a scan reads. */
const STRING_BYTES_MAX = 2_048;
const FILLER = Buffer.from('x');

/** Keeps the parts of a body that a scan needs, while its chunks pass. */
interface Skimmer {
  add(chunk: Buffer): void;
  scan(): ShallowScan | null;
}

/**
 * Scans a body that is too large to keep.
 * It reports what `shallowScan` or `formScan` would report for the whole body, from a skeleton of
 * at most 512 KiB: the top level of a JSON object without nested values, or the head and the start
 * of each part of a form. A body with a larger skeleton is in doubt.
 */
export class BodySkim {
  private skimmer: Skimmer | null = null;
  private blanks = 0;
  private readable = true;

  /** `formType` is the content type of what may be a form; undefined when forms are not read. */
  constructor(private readonly formType: string | undefined) {}

  /** Reads the chunk without keeping it, so the caller may change it afterwards. */
  add(chunk: Buffer): void {
    if (this.skimmer) {
      this.skimmer.add(chunk);
      return;
    }
    if (!this.readable) return;
    let at = 0;
    while (at < chunk.length && isBlank(chunk[at] as number)) at += 1;
    if (at === chunk.length) {
      this.blanks += at;
      return;
    }
    this.blanks += at;
    this.skimmer = this.skimmerFor(chunk[at] as number);
    this.readable = this.skimmer !== null;
    this.skimmer?.add(at === 0 ? chunk : chunk.subarray(at));
  }

  /**
   * Returns the scan of the bytes; null when they are neither a JSON object nor an expected form.
   */
  scan(): ShallowScan | null {
    return this.skimmer?.scan() ?? null;
  }

  /**
   * Reads a body that starts like an object as JSON. A form starts with its boundary, without white
   * space before it.
   */
  private skimmerFor(first: number): Skimmer | null {
    if (first === OPEN_OBJECT) return new JsonSkimmer(this.blanks);
    const boundary = boundaryOf(this.formType);
    return boundary === null || this.blanks > 0 ? null : new FormSkimmer(this.formType, boundary);
  }
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Keeps every delimiter of a form, and after each as many bytes as a part's head and a model may
 * take.
 */
class FormSkimmer implements Skimmer {
  private readonly skeleton = new Skeleton();
  private readonly delimiter: Buffer;
  /** The end of the last chunk, in which a delimiter may have started. */
  private tail: Buffer = Buffer.alloc(0);
  private at = 0;
  private left = PART_BYTES_MAX;

  constructor(
    private readonly contentType: string | undefined,
    boundary: string,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(chunk: Buffer): void {
    if (this.skeleton.isFull) return;
    const bytes = this.tail.length === 0 ? chunk : Buffer.concat([this.tail, chunk]);
    const { length } = this.delimiter;
    let from = 0;
    for (;;) {
      const hit = bytes.indexOf(this.delimiter, from);
      if (hit === -1) break;
      this.pass(bytes, from, hit);
      this.skeleton.keep(bytes, hit, hit + length, this.at + hit);
      this.left = PART_BYTES_MAX;
      from = hit + length;
    }
    const rest = Math.max(from, bytes.length - length + 1);
    this.pass(bytes, from, rest);
    this.tail = Buffer.from(bytes.subarray(rest));
    this.at += rest;
  }

  scan(): ShallowScan | null {
    this.pass(this.tail, 0, this.tail.length);
    const scan = formScan(this.skeleton.bytes(), this.contentType);
    if (!this.skeleton.isFull) return this.skeleton.located(scan);
    return scan && { ...scan, model: null, modelSpan: null };
  }

  private pass(bytes: Buffer, from: number, to: number): void {
    const end = Math.min(to, from + this.left);
    if (end <= from) return;
    this.skeleton.keep(bytes, from, end, this.at + from);
    this.left -= end - from;
  }
}

/**
 * Keeps the top level of an object: nested values shrink to their brackets, long strings to their
 * start.
 */
class JsonSkimmer implements Skimmer {
  private readonly skeleton = new Skeleton();
  /** Checks the whole body, because a kept string may end within an escape. */
  private readonly escapes = new EscapeCheck();
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private stringBytes = 0;

  /** `at` is the number of body bytes before the first chunk. */
  constructor(private at: number) {}

  add(chunk: Buffer): void {
    if (this.skeleton.isFull) return;
    this.escapes.add(chunk);
    let i = 0;
    while (i < chunk.length && !this.skeleton.isFull) {
      if (this.inString) {
        i = this.passString(chunk, i);
      } else {
        this.passByte(chunk, i);
        i += 1;
      }
    }
    this.at += chunk.length;
  }

  scan(): ShallowScan | null {
    const { skeleton } = this;
    if (skeleton.isFull || !this.escapes.isSound) return DOUBT;
    return skeleton.located(scanMembers(skeleton.bytes(), false));
  }

  private passByte(chunk: Buffer, i: number): void {
    const byte = chunk[i];
    let isKept = this.depth <= 1;
    if (byte === QUOTE) {
      this.inString = true;
      this.stringBytes = 0;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.depth += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      isKept = this.depth <= 2;
      this.depth -= 1;
    }
    if (isKept) this.skeleton.keep(chunk, i, i + 1, this.at + i);
  }

  /** Consumes the string's bytes in this chunk. Returns the index after them. */
  private passString(chunk: Buffer, from: number): number {
    const close = this.closingQuote(chunk, from);
    const end = close === -1 ? chunk.length : close;
    if (this.depth <= 1) this.keepString(chunk, from, end);
    if (close === -1) return end;
    this.inString = false;
    if (this.depth <= 1) this.skeleton.keep(chunk, close, close + 1, this.at + close);
    return close + 1;
  }

  private keepString(chunk: Buffer, from: number, end: number): void {
    const before = this.stringBytes;
    this.stringBytes += end - from;
    if (before > STRING_BYTES_MAX) return;
    const to = Math.min(end, from + STRING_BYTES_MAX - before);
    this.skeleton.keep(chunk, from, to, this.at + from);
    // A backslash may have been the last byte kept; it must not escape the closing quote.
    if (this.stringBytes > STRING_BYTES_MAX) this.skeleton.keep(FILLER, 0, 1, this.at + to);
  }

  /** Returns the index of the quote that ends the string, or -1. */
  private closingQuote(chunk: Buffer, from: number): number {
    let at = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      at += 1;
    }
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      let run = 0;
      while (end - 1 - run >= at && chunk[end - 1 - run] === BACKSLASH) run += 1;
      if (quote === -1) {
        this.isEscaped = run % 2 === 1;
        return -1;
      }
      if (run % 2 === 0) return quote;
      at = quote + 1;
    }
  }
}
