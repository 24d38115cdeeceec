import { StringDecoder } from 'node:string_decoder';

const CR = '\r';

/**
 * The text of an event stream that arrives in pieces, with `\n` alone at the ends of its lines. The parser searches a text that has
 * `\r` to its end for each line, which is quadratic.
 */
export class LineText {
  private readonly decoder = new StringDecoder('utf8');
  /** A line ended with the last character, and a `\n` that comes next belongs to that end. */
  private isAfterCr = false;

  write(chunk: Buffer): string {
    const text = this.decoder.write(chunk);
    if (text === '') return '';
    const rest = this.isAfterCr && text.startsWith('\n') ? text.slice(1) : text;
    this.isAfterCr = text.endsWith(CR);
    return rest.includes(CR) ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  /** What is left of a character that was cut. */
  end(): string {
    return this.decoder.end();
  }
}
