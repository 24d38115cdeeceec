import type { Buffer } from 'node:buffer';
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';

/** Takes a body as the parser reads it. */
export interface BodyTaker {
  piece(chunk: Buffer): void;
  end(): void;
}

const nodeHeaders = Object.getOwnPropertyDescriptor(
  IncomingMessage.prototype,
  'headers',
) as PropertyDescriptor;

/** Node leaves out of `headers` what comes behind so many. */
const HEADERS_MAX = 1_000;
const NAMES_MAX = 4_096;
const NAME_LENGTH_MAX = 128;
/** Lower-case names by how clients write them; at the cap new spellings are not remembered. */
const lowerNames = new Map<string, string>();

function lowerName(name: string): string {
  const known = lowerNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (lowerNames.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) lowerNames.set(name, lower);
  return lower;
}

/**
 * A request whose body can be had without the machinery of streams, which costs more than authentication and routing together:
 * `push` is what the HTTP parser calls, and a taker intercepts it. Without one it is a stream like any other.
 */
export class GatewayRequest extends IncomingMessage {
  private taker: BodyTaker | null = null;
  private named: IncomingHttpHeaders | null = null;

  /** @internal `headers` as Node gives them. Node works out for each request what a name means; where none comes twice, its lower case is all. */
  static readonly headers: PropertyDescriptor = {
    configurable: true,
    get(this: GatewayRequest) {
      return (this.named ??= this.eachOnce() ?? (nodeHeaders.get?.call(this) as IncomingHttpHeaders));
    },
    set(this: GatewayRequest, headers: IncomingHttpHeaders) {
      this.named = headers;
    },
  };

  private eachOnce(): IncomingHttpHeaders | null {
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

  /** False when some of the body is in the stream already, which must be read from there. */
  takeBody(taker: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.readableFlowing !== null) return false;
    this.taker = taker;
    return true;
  }

  /** What still comes goes into the stream again. */
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
    // The message must end for the server, whichever way its bytes were taken.
    const goesOn = super.push(null);
    taker.end();
    return goesOn;
  }
}

Object.defineProperty(GatewayRequest.prototype, 'headers', GatewayRequest.headers);
