/** Maximum size in bytes of an event that is held until it is complete. */
const EVENT_BYTES_MAX = 1_048_576;
const BLANK_LINE = /\n\r?\n|\r\r/g;
/**
 * Bytes of the longest event end, `\n\r\n`, without its last byte: the end may be split between two
 * chunks.
 */
const SEAM = 2;

/** Splits a stream's bytes into complete events, each with its final blank line. */
export class Events {
  private held = '';

  /** Null: an event is too long to be held. */
  write(chunk: Buffer): Buffer[] | null {
    // Latin-1: one character per byte, because a chunk may end inside a character.
    const text = this.held + chunk.toString('latin1');
    const events: Buffer[] = [];
    let from = 0;
    BLANK_LINE.lastIndex = Math.max(0, this.held.length - SEAM);
    for (let found = BLANK_LINE.exec(text); found !== null; found = BLANK_LINE.exec(text)) {
      events.push(Buffer.from(text.slice(from, BLANK_LINE.lastIndex), 'latin1'));
      from = BLANK_LINE.lastIndex;
    }
    this.held = text.slice(from);
    return this.held.length > EVENT_BYTES_MAX ? null : events;
  }

  /** Returns the received part of an incomplete event. */
  rest(): Buffer {
    return Buffer.from(this.held, 'latin1');
  }
}
