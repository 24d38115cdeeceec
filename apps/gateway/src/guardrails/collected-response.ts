import { Buffer } from 'node:buffer';
import { addPiece, GatewayError } from '@gw/kernel';
import { codingOf, decode } from '@gw/outbound';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { BodySink } from '../core/upstream';

/** Maximum bytes of a response that is judged as a whole, after decoding. */
export const RESPONSE_BYTES_MAX = 16 * 1_048_576;

/**
 * Collects and decodes a response that guardrails judge. Reports its bytes, or an error when it
 * cannot be read, or null when it broke off; the response's `error` then holds the reason.
 */
export class CollectedResponse implements BodySink {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isDone = false;

  constructor(
    private readonly response: GatewayResponse,
    private readonly done: (body: Buffer | GatewayError | null) => void,
  ) {}

  data(chunk: Buffer): void {
    if (this.isDone) return;
    this.size += chunk.length;
    if (this.size <= RESPONSE_BYTES_MAX) {
      addPiece(this.chunks, chunk);
      return;
    }
    this.isDone = true;
    this.done(unreadable(TOO_LARGE));
    this.response.call?.abort();
  }

  end(): void {
    if (this.isDone) return;
    this.isDone = true;
    const encoding = valueOf(this.response.headers, 'content-encoding');
    const coding = codingOf(encoding);
    if (coding !== null) this.decode(coding);
    else if (encoding === undefined || encoding.trim().toLowerCase() === 'identity')
      this.done(Buffer.concat(this.chunks, this.size));
    else this.done(unreadable('The response has a content encoding that guardrails cannot decode.'));
  }

  fail(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.done(null);
  }

  private decode(coding: NonNullable<ReturnType<typeof codingOf>>): void {
    const pieces: Buffer[] = [];
    this.response.guard(async () => {
      const end = await decode(this.chunks, coding, RESPONSE_BYTES_MAX, (piece) => pieces.push(piece));
      if (end === 'whole') this.done(Buffer.concat(pieces));
      else this.done(unreadable(end === 'too_large' ? TOO_LARGE : 'The response could not be decoded.'));
    });
  }
}

export const TOO_LARGE = 'The response is larger than guardrails can read.';
const unreadable = (message: string): GatewayError =>
  new GatewayError('provider_answer_invalid', { message });
