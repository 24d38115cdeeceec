import { StringDecoder } from 'node:string_decoder';

const CR = '\r';
/** A byte order mark, which may begin a stream. */
const BOM = '\ufeff';

/**
 * Decodes an event stream that arrives in chunks, with every line end converted to `\n`. The parser
 * would search text with `\r` to its end for each line, which takes quadratic time.
 */
export class LineText {
  private readonly decoder = new StringDecoder('utf8');
  /**
   * Whether the last character ended a line with `\r`; a following `\n` belongs to the same line
   * end.
   */
  private isAfterCr = false;
  private isStart = true;

  write(chunk: Buffer): string {
    const decoded = this.decoder.write(chunk);
    const text = this.isStart && decoded.startsWith(BOM) ? decoded.slice(1) : decoded;
    if (decoded !== '') this.isStart = false;
    if (text === '') return '';
    const rest = this.isAfterCr && text.startsWith('\n') ? text.slice(1) : text;
    this.isAfterCr = text.endsWith(CR);
    return rest.includes(CR) ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  /** Returns the rest of a truncated character. */
  end(): string {
    return this.decoder.end();
  }
}
