import { Buffer } from 'node:buffer';
import { GatewayError } from '@gw/kernel';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { BodySink } from '../core/upstream';
import { codingOf, decode } from '../attempt/decoding';

/** Bytes of an answer that is judged as a whole, undone of its coding. */
export const RESPONSE_BYTES_MAX = 16 * 1_048_576;

/**
 * Collects an answer that guardrails judge, and undoes its coding. Tells its bytes, or why it cannot be looked at; null: it broke
 * off, as the answer's `error` says.
 */
export class WholeResponse implements BodySink {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private over = false;

  constructor(
    private readonly answer: GatewayResponse,
    private readonly done: (body: Buffer | GatewayError | null) => void,
  ) {}

  data(chunk: Buffer): void {
    if (this.over) return;
    this.size += chunk.length;
    if (this.size <= RESPONSE_BYTES_MAX) {
      this.chunks.push(chunk);
      return;
    }
    this.over = true;
    this.done(unreadable('The answer is larger than guardrails look at.'));
    this.answer.call?.abort();
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    const encoding = valueOf(this.answer.headers, 'content-encoding');
    const coding = codingOf(encoding);
    if (coding !== null) this.decode(coding);
    else if (encoding === undefined || encoding === 'identity')
      this.done(Buffer.concat(this.chunks, this.size));
    else this.done(unreadable('The answer has a content encoding that guardrails cannot undo.'));
  }

  fail(): void {
    if (this.over) return;
    this.over = true;
    this.done(null);
  }

  private decode(coding: NonNullable<ReturnType<typeof codingOf>>): void {
    const pieces: Buffer[] = [];
    void decode(this.chunks, coding, RESPONSE_BYTES_MAX, (piece) => pieces.push(piece)).then((isWhole) => {
      this.done(isWhole ? Buffer.concat(pieces) : unreadable('The answer could not be decoded.'));
    });
  }
}

const unreadable = (message: string): GatewayError =>
  new GatewayError('provider_answer_invalid', { message });
