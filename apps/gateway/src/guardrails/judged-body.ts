import type { Buffer } from 'node:buffer';
import type { ResponseFacts, HeaderList } from '@gw/providers';
import { removeHeader, setHeader } from '../http/header-rules';
import type { BodySink } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { Reply } from '../reply/reply';

/** A whole response after its guardrails, in the client's dialect. */
export class JudgedBody {
  readonly kind = 'body';

  constructor(
    readonly bytes: Buffer,
    /** Null to keep the content type of the provider's response. */
    private readonly contentType: string | null,
    /** Usage and model that the provider's own response reports. */
    readonly facts: () => ResponseFacts,
  ) {}

  /** Returns a sink that sends the body when it ends and ignores the provider's bytes. */
  sink(context: RequestContext, reply: Reply, status: number, headers: HeaderList): BodySink {
    for (const name of BODY_HEADERS) removeHeader(headers, name);
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

/** Headers that describe the provider's original bytes, which the client may not receive. */
const BODY_HEADERS = ['content-length', 'content-encoding', 'content-md5', 'digest', 'etag'];
