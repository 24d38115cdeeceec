import {
  CLIENT_CODECS,
  PROVIDER_CODECS,
  LossLedger,
  prepareCall,
  targetOf,
  type CallAddress,
  type ClientCodec,
  type Dialect as WireDialect,
  type PreparedCall,
  type ProviderCodec,
  type ProviderTraits,
  type StreamTranslation,
  type ResponseTranslation,
  asString,
} from '@gw/dialects';
import { GatewayError, type LossMode } from '@gw/kernel';
import type {
  JsonObject,
  StreamTranslator,
  TranslatedRequest,
  TranslationContext,
  Translator,
} from '../provider';

export interface HubOptions {
  /** The dialect that clients of the route speak. */
  readonly from: WireDialect;
  /** The provider's dialect. */
  readonly to: WireDialect;
  /** Id of the provider. */
  readonly provider: string;
  readonly traits?: ProviderTraits;
  /** Path of the calls after the base URL; overrides the dialect's path. */
  readonly path?: string;
}

/**
 * Creates the translator of one pair of dialects on the codecs of `@gw/dialects`. The translation
 * of the response is kept by the identity of the client's body: pass the object given to `request`
 * as `TranslationContext.request`. For another object the response decodes and encodes the call
 * again.
 */
export function hubTranslator({ from, to, provider, traits = {}, path }: HubOptions): Translator {
  const client = codecOf<ClientCodec>(CLIENT_CODECS, from);
  const target = providerCodec(to);
  const translations = new WeakMap<JsonObject, PreparedCall['translation']>();
  const prepare = (body: JsonObject, loss: LossMode, address?: CallAddress): PreparedCall =>
    prepareCall(client, target, body, {
      target: targetOf({ provider, dialect: to, model: modelOf(body, address), traits }),
      loss,
      ...(address === undefined ? {} : { address }),
    });
  // The request was accepted with the losses of its target, so a response is never refused for
  // them.
  const translationOf = (context: TranslationContext): ResponseTranslation =>
    (translations.get(context.request) ?? prepare(context.request, 'adapt', context.address).translation)(
      context,
    );
  return {
    request(body: JsonObject, loss: LossMode, address?: CallAddress): TranslatedRequest {
      const call = prepare(body, loss, address);
      translations.set(body, call.translation);
      return { path: path ?? call.path, body: call.body, losses: call.losses };
    },
    response: (body, context) => translationOf(context).response(body),
    stream: (context) => new HubStream(translationOf(context).stream()),
  };
}

/** Returns the model of the path, or else that of the body; empty when neither names one. */
const modelOf = (body: JsonObject, address: CallAddress = {}): string =>
  address.model ?? asString(body['model']) ?? '';

/**
 * Creates the translator of calls that count tokens; null when one of the dialects has none. Such
 * calls have no stream.
 */
export function tokensTranslator({ from, to, provider, traits = {} }: HubOptions): Translator | null {
  const client = codecOf<ClientCodec>(CLIENT_CODECS, from).tokenCounter;
  const counter = providerCodec(to).tokenCounter;
  if (client === undefined || counter === undefined) return null;
  return {
    request(body, loss, address) {
      const target = targetOf({ provider, dialect: to, model: modelOf(body, address), traits });
      const losses = new LossLedger(loss, target);
      const { path, body: sent } = counter.encodeCall(client.decodeCall(body, address), target, losses);
      losses.check();
      return { path, body: sent, losses };
    },
    response: (body) => client.encodeResponse(counter.decodeResponse(body)),
    stream: noStream,
  };
}

/** Throws, because the provider sent a stream that was not requested. */
export const noStream = (): never => {
  throw new GatewayError('provider_answer_invalid', { detail: { reason: 'a stream was not requested' } });
};

/** Returns the codec of a dialect that a provider speaks. */
export const providerCodec = (dialect: WireDialect): ProviderCodec => codecOf(PROVIDER_CODECS, dialect);

function codecOf<T>(codecs: ReadonlyMap<string, T>, dialect: WireDialect): T {
  const codec = codecs.get(dialect);
  if (codec === undefined) throw new Error(`There is no codec of ${dialect}.`);
  return codec;
}

/** One translated stream, as bytes. */
class HubStream implements StreamTranslator {
  constructor(private readonly stream: StreamTranslation) {}

  get complete(): boolean {
    return this.stream.complete;
  }

  get failed(): boolean {
    return this.stream.failed;
  }

  write(chunk: Buffer): Buffer {
    return Buffer.from(this.stream.write(chunk));
  }

  end(): Buffer {
    return Buffer.from(this.stream.end());
  }
}
