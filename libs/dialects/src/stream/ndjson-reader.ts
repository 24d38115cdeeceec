import { StringDecoder } from 'node:string_decoder';
import { EVENT_MAX, type SseEvent } from './sse-reader';

/**
 * Splits a provider's stream with one JSON value per line into lines, wherever its chunks are cut.
 */
export class NdjsonReader {
  /** Whether a line was longer than 8 MiB; the stream cannot be read further. */
  overflowed = false;
  private readonly decoder = new StringDecoder('utf8');
  /**
   * The pieces of the incomplete line. They are joined once, so that long lines are not copied for
   * each chunk.
   */
  private pieces: string[] = [];
  private length = 0;

  write(chunk: Buffer): SseEvent[] {
    return this.lines(this.decoder.write(chunk));
  }

  /** Returns a last line without its line end. */
  end(): SseEvent[] {
    return this.lines(`${this.decoder.end()}\n`);
  }

  private lines(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.keep(text.slice(from, at));
      const data = this.pieces.join('').trim();
      if (data !== '') events.push({ name: '', data });
      this.pieces = [];
      this.length = 0;
      from = at + 1;
    }
    this.keep(text.slice(from));
    return events;
  }

  private keep(piece: string): void {
    if (piece === '' || this.overflowed) return;
    this.length += piece.length;
    if (this.length > EVENT_MAX) {
      this.overflowed = true;
      this.pieces = [];
    } else this.pieces.push(piece);
  }
}
