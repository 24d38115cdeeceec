import type { Usage } from '@gw/contracts';
import { codingOf, type OutboundError } from '@gw/outbound';
import { mayContainUsage, readResponse, readUsageAtEnd, type ResponseFacts } from '@gw/providers';
import { contentTypeOf, valueOf } from '../../http/header-rules';
import type { BatchOutputMeter } from '../../usage/batch-output';
import { DecodedOutput } from '../../usage/decoded-output';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { BodySink } from '../../core/upstream';
import { EncodedMeter } from '../encoded-meter';
import { brokenResponse } from '../../attempt/broken-response';
import type { RequestContext } from '../../core/request-context';
import type { Reply } from '../reply';
import type { Meter } from '../request-reply';

/**
 * Forwards a body as it arrives, byte for byte. The chunk that completes a body of known length is
 * sent with the end.
 */
export class PassingSink implements BodySink {
  private left: number;
  private last: Buffer | null = null;
  /** Reads the output of a batch while it is forwarded; null for other bodies. */
  private readonly output: BatchOutputMeter | DecodedOutput | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly reply: Reply,
    response: GatewayResponse,
    outputMeter: BatchOutputMeter | null = null,
    length = valueOf(response.headers, 'content-length'),
  ) {
    this.left = length === undefined || length === '' ? Infinity : Number(length);
    const coding = codingOf(valueOf(response.headers, 'content-encoding'));
    if (outputMeter !== null)
      this.output = coding === null ? outputMeter : new DecodedOutput(outputMeter, coding);
    context.reply.meteredBy(
      this.output ??
        (coding === null
          ? new BodyMeter(reply, response)
          : new EncodedMeter(context, reply, response, coding)),
    );
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    this.output?.write(chunk);
    if (this.left > 0) this.reply.write(chunk);
    else this.last = chunk;
  }

  end(): void {
    this.reply.end(this.last);
  }

  fail(error: OutboundError): void {
    if (this.context.clientGone) {
      this.context.reply.clientLeft();
      this.reply.end(null);
      return;
    }
    this.context.reply.cut(brokenResponse(error));
    this.reply.break();
  }
}

const NO_FACTS: ResponseFacts = { usage: null, model: null };

/**
 * Reads usage and model from the bytes of a complete response, whatever its content type and
 * status.
 */
class BodyMeter implements Meter {
  private read: ResponseFacts | null = null;

  constructor(
    private readonly reply: Reply,
    private readonly response: GatewayResponse,
  ) {}

  usage(): Usage | null {
    return this.facts().usage;
  }

  model(): string | null {
    return this.facts().model;
  }

  /**
   * Returns the body only if the provider declares it as JSON: it may name work of other requests,
   * which the text of a file must not.
   */
  body(): Buffer | null {
    const isJson = contentTypeOf(this.response.headers)?.includes('json') === true;
    return isJson && this.isReadable() ? this.reply.keptBody() : null;
  }

  private facts(): ResponseFacts {
    this.read ??= this.isReadable() ? this.readFacts() : NO_FACTS;
    return this.read;
  }

  /**
   * Reads the kept body. If the response was not kept whole, reads its end, where a long response
   * has its usage.
   */
  private readFacts(): ResponseFacts {
    const { provider } = this.response.upstream;
    const { truncated, tail } = this.reply;
    if (!truncated) return readResponse(provider, this.reply.keptBody());
    return tail === null ? NO_FACTS : { usage: readUsageAtEnd(provider, tail.read()), model: null };
  }

  private isReadable(): boolean {
    const [first] = this.reply.kept;
    const encoding = valueOf(this.response.headers, 'content-encoding');
    return (
      first !== undefined && mayContainUsage(first) && (encoding === undefined || encoding === 'identity')
    );
  }
}
