import { codingOf, decodeNow } from '@gw/outbound';
import { readResponse, type ResponseFacts } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { BodySink } from '../core/upstream';

/** Maximum number of bytes that are read of an unwanted response; a longer one is cancelled. */
const BYTES_MAX = 65_536;
/**
 * Maximum decoded size of a response with a coding. It is decoded synchronously, because its
 * request may end in the same turn.
 */
const DECODED_BYTES_MAX = 1_048_576;

/**
 * Reads the usage of a response that the client does not receive, and lets its connection be
 * reused.
 */
export class DiscardedBody implements BodySink {
  private readonly chunks: Buffer[] = [];
  private left = BYTES_MAX;
  private reported = false;

  private constructor(
    private readonly response: GatewayResponse,
    private readonly report: (facts: ResponseFacts) => void,
  ) {}

  /** Calls `report` once, as soon as the usage is known. */
  static read(response: GatewayResponse, report: (facts: ResponseFacts) => void): void {
    response.discard(new DiscardedBody(response, report));
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left >= 0) this.chunks.push(chunk);
    else this.response.call?.abort();
  }

  end(): void {
    const body = this.left < 0 ? null : this.whole();
    this.finish(body === null ? NO_FACTS : readResponse(this.response.upstream.provider, body));
  }

  fail(): void {
    this.finish(NO_FACTS);
  }

  /** Null: the coding cannot be decoded. */
  private whole(): Buffer | null {
    const encoding = valueOf(this.response.headers, 'content-encoding');
    const body = Buffer.concat(this.chunks);
    if (encoding === undefined || encoding === 'identity') return body;
    const coding = codingOf(encoding);
    return coding === null ? null : decodeNow(body, coding, DECODED_BYTES_MAX);
  }

  private finish(facts: ResponseFacts): void {
    if (this.reported) return;
    this.reported = true;
    this.chunks.length = 0;
    this.report(facts);
  }
}

const NO_FACTS: ResponseFacts = { usage: null, model: null };
