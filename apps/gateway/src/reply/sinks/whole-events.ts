/** Longer events, in bytes, are forwarded before they are complete. */
const EVENT_BYTES_MAX = 1_048_576;
/**
 * Bytes of the longest event end, `\r\n\r\n`, without its last byte: the end may be split between
 * two chunks.
 */
const SEAM_BYTES = 3;
const NEW_LINE = 0x0a;
const EMPTY = Buffer.alloc(0);
const ENDS = ['\n\n', '\r\n\r\n', '\n\r\n', '\r\r'].map((end) => Buffer.from(end));
const CRLF_CRLF = Buffer.from('\r\n\r\n');

/**
 * Forwards the events of a stream once they are complete, unchanged, however the stream is split. A
 * stream that breaks inside an event then ends after the previous event. Holds at most one event,
 * up to 1 MiB.
 */
export class WholeEvents {
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** True inside an event that is too long to be held. */
  private passing = false;
  /** The last forwarded bytes of such an event. */
  private lastPassed: Buffer = EMPTY;

  /** True while a part of an event was forwarded without its end. */
  get isInsideEvent(): boolean {
    return this.passing;
  }

  write(chunk: Buffer): Buffer {
    if (this.heldBytes === 0 && !this.passing && endsEvent(chunk)) return this.through(chunk, false);
    const seam = this.seam();
    const end = endOfLastEvent(seam.length === 0 ? chunk : Buffer.concat([seam, chunk])) - seam.length;
    if (end <= 0) return this.hold(chunk);
    const whole = this.take(chunk.subarray(0, end));
    const wasPassing = this.passing;
    this.passing = false;
    const events = this.through(whole, wasPassing);
    const rest = chunk.subarray(end);
    if (rest.length === 0) return events;
    const passed = this.hold(rest);
    return passed.length === 0 ? events : Buffer.concat([events, passed]);
  }

  /** Returns the incomplete event and stops holding it. */
  rest(): Buffer {
    return this.take(EMPTY);
  }

  /** `isTail`: the events begin with the end of an event whose beginning was forwarded. */
  protected through(events: Buffer, _isTail: boolean): Buffer {
    return events;
  }

  private hold(bytes: Buffer): Buffer {
    if (this.passing) {
      // The last bytes may be the start of the event's end.
      this.lastPassed = bytes.subarray(-SEAM_BYTES);
      return bytes;
    }
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= EVENT_BYTES_MAX) return EMPTY;
    this.passing = true;
    const passed = this.take(EMPTY);
    this.lastPassed = passed.subarray(-SEAM_BYTES);
    return passed;
  }

  private seam(): Buffer {
    if (this.passing) return this.lastPassed;
    const last = this.held.at(-1);
    if (last === undefined || last.length >= SEAM_BYTES) return last?.subarray(-SEAM_BYTES) ?? EMPTY;
    return Buffer.concat(this.held.slice(-SEAM_BYTES)).subarray(-SEAM_BYTES);
  }

  private take(more: Buffer): Buffer {
    const { held } = this;
    if (held.length === 0) return more;
    this.held = [];
    this.heldBytes = 0;
    return held.length === 1 && more.length === 0 ? (held[0] as Buffer) : Buffer.concat([...held, more]);
  }
}

const endsEvent = (bytes: Buffer): boolean =>
  bytes.length > 1 &&
  bytes[bytes.length - 1] === NEW_LINE &&
  (bytes[bytes.length - 2] === NEW_LINE || bytes.subarray(-4).equals(CRLF_CRLF));

/** Returns the index after the blank line of the last complete event; 0 if there is none. */
const endOfLastEvent = (bytes: Buffer): number =>
  Math.max(...ENDS.map((end) => endAfter(bytes.lastIndexOf(end), end)));

/**
 * Returns the index after the blank line of the first event from `from` on, or the length of
 * `bytes` if there is none.
 */
export function endOfFirstEvent(bytes: Buffer, from: number): number {
  const ends = ENDS.map((end) => endAfter(bytes.indexOf(end, from), end)).filter((end) => end > 0);
  return ends.length === 0 ? bytes.length : Math.min(...ends);
}

const endAfter = (at: number, mark: Buffer): number => (at < 0 ? 0 : at + mark.length);
