import type { Usage } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { readResponse, type ResponseFacts, type CreatedObject, type Provider } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import { tellsOfOthers } from '../usage/made-earlier';
import type { GatewayResponse } from '../attempt/gateway-response';
import { decode, type Coding } from '../attempt/decoding';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import type { Reply } from './reply';

/** A decoded JSON answer is held whole while it is read. */
const JSON_BYTES_MAX = 8 * 1_048_576;
/** Decoded events are only looked through. */
const EVENT_BYTES_MAX = 64 * 1_048_576;

/**
 * Usage and model of an answer that the provider has compressed, whatever its content type and its status. The client got the provider's bytes; what was kept of them is
 * decoded once they have all gone by, and the record waits for that. An answer that was not kept whole, that decodes to more
 * than the bounds above or that can't be decoded has no usage.
 */
export class EncodedMeter {
  private found: ResponseFacts = NOTHING;
  private decoded: Buffer | null = null;
  private streamedMade: CreatedObject | null = null;
  private streamedBegun: Usage | null = null;
  private readonly isJson: boolean;

  constructor(
    private readonly context: RequestContext,
    private readonly reply: Reply,
    private readonly answer: GatewayResponse,
    private readonly coding: Coding,
  ) {
    const type = valueOf(answer.headers, 'content-type');
    if (answer.status < 400 && type?.startsWith('text/event-stream')) context.reply.streams();
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

  begun(): Usage | null {
    return this.streamedBegun;
  }

  made(): CreatedObject | null {
    return this.streamedMade;
  }

  /** Never rejects. */
  async prepare(): Promise<void> {
    if (this.reply.keptBytes === 0) return;
    const { provider } = this.answer.upstream;
    if (this.context.reply.streamed) await this.readEvents(provider);
    else if (!this.reply.truncated) await this.readWhole(provider);
  }

  private async readWhole(provider: Provider): Promise<void> {
    const decoded: Buffer[] = [];
    const whole = await decode(this.reply.kept, this.coding, JSON_BYTES_MAX, (chunk) => decoded.push(chunk));
    if (!whole) return;
    const body = Buffer.concat(decoded);
    this.found = readResponse(provider, body);
    if (this.isJson && tellsOfOthers(this.context, this.found.usage)) this.decoded = body;
  }

  /** Usage that a cut stream has reported until then counts too. */
  private async readEvents(provider: Provider): Promise<void> {
    const tap = provider.tap();
    const whole = await decode(this.reply.kept, this.coding, EVENT_BYTES_MAX, (chunk) => {
      tap.write(chunk);
    });
    this.found = { usage: tap.usage(), model: tap.model };
    this.streamedMade = tap.made;
    this.streamedBegun = tap.begun();
    const { context, reply } = this;
    if (outcomeOf(context.reply) !== 'ok' || reply.truncated || !whole) return;
    if (tap.complete && !tap.failed) return;
    context.reply.cut(tap.complete ? null : new GatewayError('stream_interrupted'));
  }
}

const NOTHING = { usage: null, model: null } as const;
