import type { Usage } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { decode, type Coding } from '@gw/outbound';
import { readResponse, type ResponseFacts, type CreatedObject, type Provider } from '@gw/providers';
import { contentTypeOf } from '../http/header-rules';
import { mayReportEarlierWork } from '../usage/made-earlier';
import type { GatewayResponse } from '../attempt/gateway-response';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import type { Reply } from './reply';
import type { Meter } from './request-reply';

/** Maximum size of a decoded JSON response in bytes; it is held in memory while it is read. */
const JSON_BYTES_MAX = 8 * 1_048_576;
/** Maximum size of decoded events in bytes; they are scanned and not held. */
const EVENT_BYTES_MAX = 64 * 1_048_576;

/**
 * Reads usage and model of a response that the provider has compressed, whatever its content type
 * and status. The client receives the provider's bytes. The kept bytes are decoded once the whole
 * response has been forwarded, and the log record waits for that. No usage is read from a response
 * that was not kept whole, that decodes to more than the limits above, or that cannot be decoded.
 */
export class EncodedMeter implements Meter {
  private found: ResponseFacts = NOTHING;
  private decoded: Buffer | null = null;
  private created: CreatedObject | null = null;
  private streamedInitially: Usage | null = null;
  private readonly isJson: boolean;

  constructor(
    private readonly context: RequestContext,
    private readonly reply: Reply,
    private readonly response: GatewayResponse,
    private readonly coding: Coding,
  ) {
    const type = contentTypeOf(response.headers);
    if (response.status < 400 && type?.startsWith('text/event-stream')) context.reply.streams();
    this.isJson = type?.includes('json') ?? false;
  }

  usage(): Usage | null {
    return this.found.usage;
  }

  model(): string | null {
    return this.found.model;
  }

  body(): Buffer | null {
    return this.decoded;
  }

  initialUsage(): Usage | null {
    return this.streamedInitially;
  }

  createdObject(): CreatedObject | null {
    return this.created;
  }

  /** Never rejects. */
  async prepare(): Promise<void> {
    if (this.reply.keptBytes === 0) return;
    const { provider } = this.response.upstream;
    if (this.context.reply.streamed) await this.readEvents(provider);
    else if (!this.reply.truncated) await this.readWhole(provider);
  }

  private async readWhole(provider: Provider): Promise<void> {
    const decoded: Buffer[] = [];
    const end = await decode(this.reply.kept, this.coding, JSON_BYTES_MAX, (chunk) => decoded.push(chunk));
    if (end !== 'whole') return;
    const body = Buffer.concat(decoded);
    this.found = readResponse(provider, body);
    if (this.isJson && mayReportEarlierWork(this.context, this.found.usage)) this.decoded = body;
  }

  /** Reads a decoded event stream, including usage that a cut stream reported before it was cut. */
  private async readEvents(provider: Provider): Promise<void> {
    const tap = provider.tap();
    const end = await decode(this.reply.kept, this.coding, EVENT_BYTES_MAX, (chunk) => {
      tap.write(chunk);
    });
    this.found = { usage: tap.usage(), model: tap.model };
    this.created = tap.made;
    this.streamedInitially = tap.begun();
    const { context, reply } = this;
    if (outcomeOf(context.reply) !== 'ok' || reply.truncated || end !== 'whole') return;
    if (tap.complete && !tap.failed) return;
    context.reply.cut(tap.complete ? null : new GatewayError('stream_interrupted'));
  }
}

const NOTHING = { usage: null, model: null } as const;
