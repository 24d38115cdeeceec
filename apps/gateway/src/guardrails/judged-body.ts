import type { Buffer } from 'node:buffer';
import type { ResponseFacts, HeaderList } from '@gw/providers';
import { removeHeader, setHeader } from '../http/header-rules';
import type { BodySink } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { Reply } from '../reply/reply';

/** A whole answer in the client's dialect, as its guardrails have left it. */
export class JudgedBody {
  readonly kind = 'body';

  constructor(
    readonly bytes: Buffer,
    /** Null: as the provider's answer has it. */
    private readonly contentType: string | null,
    /** What the provider's own answer tells. */
    readonly facts: () => ResponseFacts,
  ) {}

  /** Hands the body on at once: nothing more of the provider's is waited for. */
  sink(context: RequestContext, reply: Reply, status: number, headers: HeaderList): BodySink {
    for (const name of OF_OTHER_BYTES) removeHeader(headers, name);
    if (this.contentType !== null) setHeader(headers, 'content-type', this.contentType);
    context.reply.meteredBy({ usage: () => this.facts().usage, model: () => this.facts().model });
    return {
      data: () => undefined,
      end: () => {
        reply.start(status, headers);
        reply.end(this.bytes);
      },
      fail: () => undefined,
    };
  }
}

/** What the provider says of bytes that the client may not get. */
const OF_OTHER_BYTES = ['content-length', 'content-encoding', 'content-md5', 'digest', 'etag'];
