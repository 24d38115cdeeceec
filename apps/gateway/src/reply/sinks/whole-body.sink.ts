import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import { valueOf } from '../../http/header-rules';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import { brokenResponse } from '../../attempt/broken-response';
import { codingOf, decode, type Coding } from '../../attempt/decoding';

/**
 * Collects a body that has to be read before it can be answered, and undoes its coding. Past the cap the call is cancelled; the cap
 * is that of the decoded body too.
 */
export class WholeBodySink implements BodySink {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private over = false;

  constructor(
    private readonly answer: GatewayResponse,
    private readonly maxBytes: number,
    /** Null: the body did not arrive whole. */
    private readonly done: (body: Buffer | null, failure: GatewayError | null) => void,
  ) {}

  data(chunk: Buffer): void {
    if (this.over) return;
    this.size += chunk.length;
    if (this.size <= this.maxBytes) {
      this.chunks.push(chunk);
      return;
    }
    this.over = true;
    this.answer.call?.abort();
    this.done(
      null,
      unreadable(`The answer is larger than the ${String(this.maxBytes)} bytes that are read.`),
    );
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    const encoding = valueOf(this.answer.headers, 'content-encoding');
    const coding = codingOf(encoding);
    if (coding !== null) this.decode(coding);
    else if (encoding === undefined || encoding === 'identity')
      this.done(Buffer.concat(this.chunks, this.size), null);
    else this.done(null, unreadable('The answer has a content encoding that the gateway cannot undo.'));
  }

  fail(error: OutboundError): void {
    if (this.over) return;
    this.over = true;
    this.done(null, brokenResponse(error));
  }

  private decode(coding: Coding): void {
    const pieces: Buffer[] = [];
    void decode(this.chunks, coding, this.maxBytes, (piece) => pieces.push(piece)).then((isWhole) => {
      if (isWhole) this.done(Buffer.concat(pieces), null);
      else this.done(null, unreadable('The answer could not be decoded.'));
    });
  }
}

const unreadable = (message: string): GatewayError =>
  new GatewayError('provider_answer_invalid', { message });
