import type { Buffer } from 'node:buffer';
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';

/** Receives a body as the parser reads it. */
export interface BodyTaker {
  piece(chunk: Buffer): void;
  end(): void;
}

const nodeHeaders = Object.getOwnPropertyDescriptor(
  IncomingMessage.prototype,
  'headers',
) as PropertyDescriptor;

/** Node.js omits headers after this number from `headers`. */
const HEADERS_MAX = 1_000;
const NAMES_MAX = 4_096;
const NAME_LENGTH_MAX = 128;
/** Lower-case names by the spelling that clients use; at the cap, new spellings are not stored. */
const lowerNames = new Map<string, string>();

function lowerName(name: string): string {
  const known = lowerNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (lowerNames.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) lowerNames.set(name, lower);
  return lower;
}

/**
 * A request whose body can be read without stream machinery, which costs more than authentication
 * and routing together: the HTTP parser calls `push`, and a taker intercepts it. Without a taker it
 * is an ordinary stream.
 */
export class GatewayRequest extends IncomingMessage {
  private taker: BodyTaker | null = null;
  private parsedHeaders: IncomingHttpHeaders | null = null;

  /**
   * @internal Returns `headers` as Node.js does. Node.js looks up the rules of each name in each
   * request; if no name is repeated, lower-case names are all that is needed.
   */
  static readonly headers: PropertyDescriptor = {
    configurable: true,
    get(this: GatewayRequest) {
      return (this.parsedHeaders ??=
        this.uniqueHeaders() ?? (nodeHeaders.get?.call(this) as IncomingHttpHeaders));
    },
    set(this: GatewayRequest, headers: IncomingHttpHeaders) {
      this.parsedHeaders = headers;
    },
  };

  private uniqueHeaders(): IncomingHttpHeaders | null {
    const { rawHeaders } = this;
    const { length } = rawHeaders;
    if (length > 2 * HEADERS_MAX) return null;
    const headers: IncomingHttpHeaders = {};
    for (let i = 0; i < length; i += 2) {
      const name = lowerName(rawHeaders[i] as string);
      if (headers[name] !== undefined || name === 'set-cookie' || name === '__proto__') return null;
      headers[name] = rawHeaders[i + 1];
    }
    return headers;
  }

  /** Returns false if part of the body is in the stream already and must be read from there. */
  takeBody(taker: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.readableFlowing !== null) return false;
    this.taker = taker;
    return true;
  }

  /** Makes the rest of the body go to the stream again. */
  stopTaking(): void {
    this.taker = null;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const { taker } = this;
    if (taker === null) return super.push(chunk, encoding);
    if (chunk !== null) {
      taker.piece(chunk);
      return true;
    }
    // The server must see the end of the message, also when other code received the bytes.
    const goesOn = super.push(null);
    taker.end();
    return goesOn;
  }
}

Object.defineProperty(GatewayRequest.prototype, 'headers', GatewayRequest.headers);
