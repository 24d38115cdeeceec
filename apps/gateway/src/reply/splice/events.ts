/** An event is held up to this many bytes until it is whole. */
const EVENT_BYTES_MAX = 1_048_576;
const BLANK_LINE = /\n\r?\n|\r\r/g;
/** The longest end of an event, `\n\r\n`, without its last byte: it may lie in two pieces. */
const SEAM = 2;

/** Cuts a stream's bytes into whole events, each with the blank line that ends it. */
export class Events {
  private held = '';

  /** Null: an event is too long to be held. */
  write(chunk: Buffer): Buffer[] | null {
    // One character per byte, so that a piece may end inside a character.
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

  /** What has come of an event that is not whole. */
  rest(): Buffer {
    return Buffer.from(this.held, 'latin1');
  }
}
