import { readResponse, type ResponseFacts } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { BodySink } from '../core/upstream';
import { codingOf, decodeNow } from '../attempt/decoding';

/** More of an answer that is not wanted is not read; its call is ended. */
const BYTES_MAX = 65_536;
/** Of one with a coding: its request may end in the same turn. */
const DECODED_BYTES_MAX = 1_048_576;

/** Reads an answer that the client does not get, for what it says was used, so that its connection can be used again too. */
export class DiscardedBody implements BodySink {
  private readonly chunks: Buffer[] = [];
  private left = BYTES_MAX;
  private reported = false;

  private constructor(
    private readonly answer: GatewayResponse,
    private readonly tell: (facts: ResponseFacts) => void,
  ) {}

  /** Tells once, as soon as it is known. */
  static read(answer: GatewayResponse, tell: (facts: ResponseFacts) => void): void {
    answer.discard(new DiscardedBody(answer, tell));
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left >= 0) this.chunks.push(chunk);
    else this.answer.call?.abort();
  }

  end(): void {
    const body = this.left < 0 ? null : this.whole();
    this.finish(body === null ? UNTOLD : readResponse(this.answer.upstream.provider, body));
  }

  fail(): void {
    this.finish(UNTOLD);
  }

  /** Null: its coding cannot be undone. */
  private whole(): Buffer | null {
    const encoding = valueOf(this.answer.headers, 'content-encoding');
    const body = Buffer.concat(this.chunks);
    if (encoding === undefined || encoding === 'identity') return body;
    const coding = codingOf(encoding);
    return coding === null ? null : decodeNow(body, coding, DECODED_BYTES_MAX);
  }

  private finish(facts: ResponseFacts): void {
    if (this.reported) return;
    this.reported = true;
    this.chunks.length = 0;
    this.tell(facts);
  }
}

const UNTOLD: ResponseFacts = { usage: null, model: null };
