/** Maximum size in bytes of an event that `Events` holds until it is complete. */
const EVENT_BYTES_MAX = 1_048_576;
const BLANK_LINE = /\n\r?\n|\r\r/g;
/**
 * Bytes of the longest event end, `\n\r\n`, without its last byte: the end may be split between two
 * chunks.
 */
const SEAM = 2;

/** Byte order mark at the start of a stream, in Latin-1. Clients ignore it. */
const BOM = '\u00ef\u00bb\u00bf';

/**
 * Splits a stream's bytes into complete events, each with its final blank line, without a byte
 * order mark. An event that is incomplete after `heldBytesMax` bytes is dropped; the events after it
 * are returned.
 */
export class LossyEvents {
  /** Whether an event was dropped. */
  hasDropped = false;
  // Latin-1: one character per byte, because a chunk may end inside a character.
  private held: string[] = [];
  private heldBytes = 0;
  /** The last bytes of an incomplete event. */
  private seam = '';
  private isDropping = false;
  private isFirst = true;

  constructor(private readonly heldBytesMax: number) {}

  /** Accepts bytes that may be split anywhere and returns the events that they complete. */
  write(chunk: Buffer): Buffer[] {
    const text = this.seam + chunk.toString('latin1');
    const events: Buffer[] = [];
    let from = this.seam.length;
    let start = 0;
    BLANK_LINE.lastIndex = 0;
    while (BLANK_LINE.exec(text) !== null) {
      start = BLANK_LINE.lastIndex;
      if (!this.isDropping) events.push(this.eventOf(this.held.join('') + text.slice(from, start)));
      this.isFirst = false;
      from = start;
      this.isDropping = false;
      this.release();
    }
    this.hold(text.slice(from));
    this.seam = text.slice(start).slice(-SEAM);
    return events;
  }

  /** Returns the received part of an incomplete event. */
  rest(): Buffer {
    return this.eventOf(this.held.join(''));
  }

  private eventOf(text: string): Buffer {
    return Buffer.from(this.isFirst && text.startsWith(BOM) ? text.slice(BOM.length) : text, 'latin1');
  }

  private hold(bytes: string): void {
    if (this.isDropping || bytes.length === 0) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= this.heldBytesMax) return;
    this.hasDropped = this.isDropping = true;
    this.release();
  }

  private release(): void {
    this.held = [];
    this.heldBytes = 0;
  }
}

/** Like `LossyEvents`, for readers that must not miss an event. */
export class Events {
  private readonly events = new LossyEvents(EVENT_BYTES_MAX);

  /** Null, now and for all later bytes: an event is too long to be held. */
  write(chunk: Buffer): Buffer[] | null {
    const events = this.events.write(chunk);
    return this.events.hasDropped ? null : events;
  }

  /** Returns the received part of an incomplete event. */
  rest(): Buffer {
    return this.events.rest();
  }
}
