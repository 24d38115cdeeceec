import { addPiece, GatewayError } from '@gw/kernel';
import { type Coding, codingOf, decode, type OutboundError } from '@gw/outbound';
import { valueOf } from '../../http/header-rules';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import { brokenResponse } from '../../attempt/broken-response';

/**
 * Collects and decodes a body that must be read before a response can be sent. If the body exceeds
 * the cap, received or decoded, the call is cancelled.
 */
export class WholeBodySink implements BodySink {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isDone = false;

  constructor(
    private readonly response: GatewayResponse,
    private readonly maxBytes: number,
    /**
     * Called once. `body` is null when it did not arrive completely or could not be decoded;
     * `failure` is then the reason.
     */
    private readonly done: (body: Buffer | null, failure: GatewayError | null) => void,
  ) {}

  data(chunk: Buffer): void {
    if (this.isDone) return;
    this.size += chunk.length;
    if (this.size <= this.maxBytes) {
      addPiece(this.chunks, chunk);
      return;
    }
    this.isDone = true;
    this.response.call?.abort();
    this.done(null, this.tooLarge());
  }

  end(): void {
    if (this.isDone) return;
    this.isDone = true;
    const encoding = valueOf(this.response.headers, 'content-encoding');
    const coding = codingOf(encoding);
    if (coding !== null) this.decode(coding);
    else if (encoding === undefined || encoding === 'identity')
      this.done(Buffer.concat(this.chunks, this.size), null);
    else this.done(null, unreadable('The response has a content encoding that the gateway cannot decode.'));
  }

  fail(error: OutboundError): void {
    if (this.isDone) return;
    this.isDone = true;
    this.done(null, brokenResponse(error));
  }

  private tooLarge(): GatewayError {
    const bytes = String(this.maxBytes);
    return unreadable(`The provider's response is larger than the ${bytes} bytes that the gateway reads.`);
  }

  private decode(coding: Coding): void {
    const pieces: Buffer[] = [];
    this.response.guard(async () => {
      const end = await decode(this.chunks, coding, this.maxBytes, (piece) => pieces.push(piece));
      if (end === 'whole') this.done(Buffer.concat(pieces), null);
      else if (end === 'too_large') this.done(null, this.tooLarge());
      else this.done(null, unreadable('The response could not be decoded.'));
    });
  }
}

const unreadable = (message: string): GatewayError =>
  new GatewayError('provider_answer_invalid', { message });
