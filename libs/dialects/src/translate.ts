import type { Dialect, JsonObject, ModelCall } from './call';
import type {
  CallAddress,
  ClientCodec,
  ClientContext,
  ProviderCodec,
  ProviderContext,
  StreamDecoder,
  StreamEncoder,
} from './codec';
import type { LossMode } from '@gw/kernel';
import { LossLedger } from './losses';
import type { StreamEvent, TokenUsage } from './response';
import type { Target } from './target';

/** The target of a translation, and the parts of the client's call outside of its body. */
export interface CallFacts {
  readonly target: Target;
  readonly loss: LossMode;
  readonly address?: CallAddress;
}

/** Facts that are known once the provider responds. */
export interface ResponseFacts {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly strict?: boolean;
}

export interface TranslationFacts extends CallFacts, ResponseFacts {}

/** Translates the response to one call. */
export interface ResponseTranslation {
  /** Translates a complete successful response. Throws `provider_answer_invalid`. */
  response(body: JsonObject, headers?: Readonly<Record<string, string>>): JsonObject;
  stream(headers?: Readonly<Record<string, string>>): StreamTranslation;
}

/** A call that is translated for one target. */
export interface PreparedCall {
  readonly path: string;
  readonly body: JsonObject;
  readonly call: ModelCall;
  readonly losses: LossLedger;
  /**
   * Returns the translation of the response. The function does not hold `body`, so that it may
   * outlive the request.
   */
  readonly translation: (facts: ResponseFacts) => ResponseTranslation;
}

export type TranslatedCall = Omit<PreparedCall, 'translation'> & ResponseTranslation;

/** Translates one stream from the provider's bytes to the client's. */
export class StreamTranslation {
  complete = false;
  failed = false;
  /** Usage so far; null until the provider reports it. */
  usage: TokenUsage | null = null;

  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encoder: StreamEncoder,
  ) {}

  get contentType(): string {
    return this.encoder.contentType;
  }

  get keepAlive(): string {
    return this.encoder.keepAlive;
  }

  /** Returns the client's text for these bytes; '' when no event is complete yet. */
  write(chunk: Buffer): string {
    return this.isOver ? '' : this.encode(this.decoder.write(chunk));
  }

  /** Returns the rest once the provider has ended. */
  end(): string {
    return this.isOver ? '' : this.encode(this.decoder.end());
  }

  private get isOver(): boolean {
    return this.complete || this.failed;
  }

  private encode(events: readonly StreamEvent[]): string {
    for (const event of events) {
      if (event.t === 'done') this.complete = true;
      else if (event.t === 'error') this.failed = true;
      else if ((event.t === 'usage' || event.t === 'start') && event.usage !== undefined)
        this.usage = event.usage;
    }
    const text = events.length === 0 ? '' : this.encoder.write(events);
    if (this.encoder.hasFailed === true) [this.complete, this.failed] = [false, true];
    return text;
  }
}

/**
 * Translates a client's call for a target of another dialect. Throws `validation_failed` for a body
 * that breaks the client's dialect, and `unsupported_by_provider` for features that the target
 * cannot express.
 */
export function prepareCall(
  client: ClientCodec,
  provider: ProviderCodec,
  request: JsonObject,
  { target, loss, address }: CallFacts,
): PreparedCall {
  const decoded = client.decodeCall(request, address);
  const call = client.dialect === provider.dialect ? decoded : (client.toNeutral?.(decoded) ?? decoded);
  const losses = new LossLedger(loss, target);
  const { path, body, outputTool = false } = provider.encodeCall(call, target, losses);
  losses.check();
  const translation = ({ requestId, createdAt, strict = false }: ResponseFacts): ResponseTranslation => {
    const clientContext: ClientContext = {
      call,
      request,
      provider: target.provider,
      model: call.model,
      requestId,
      createdAt,
      strict,
      losses,
      listStream: address?.listStream ?? false,
    };
    const providerContext = (headers?: Readonly<Record<string, string>>): ProviderContext => ({
      call,
      target,
      requestId,
      createdAt,
      outputTool,
      ...(headers === undefined ? {} : { headers }),
    });
    return {
      response: (response, headers) =>
        client.encodeResponse(provider.decodeResponse(response, providerContext(headers)), clientContext),
      stream: (headers) =>
        new StreamTranslation(
          provider.decodeStream(providerContext(headers)),
          client.encodeStream(clientContext),
        ),
    };
  };
  return { path, body, call, losses, translation };
}

/** Like `prepareCall`, for callers that know the facts about the response in advance. */
export function translateCall(
  client: ClientCodec,
  provider: ProviderCodec,
  request: JsonObject,
  facts: TranslationFacts,
): TranslatedCall {
  const { translation, ...prepared } = prepareCall(client, provider, request, facts);
  return { ...prepared, ...translation(facts) };
}

/** Returns the names of the two dialects of a translation for `x-gw-translation`. */
export const translationName = (from: Dialect, to: Dialect): string => `${from}>${to}`;
