import {
  CLIENT_CODECS,
  PROVIDER_CODECS,
  targetOf,
  translateCall,
  type ClientCodec,
  type Dialect as WireDialect,
  type ProviderCodec,
  type ProviderTraits,
  type StreamTranslation,
  type TranslatedCall,
  asString,
} from '@gw/dialects';
import type { DroppedParams } from '../losses';
import type { JsonObject, StreamTranslator, TranslationContext, Translator } from '../provider';

export interface HubOptions {
  /** The dialect that clients of the route speak. */
  readonly from: WireDialect;
  /** The provider's dialect. */
  readonly to: WireDialect;
  /** Id of the provider. */
  readonly provider: string;
  readonly traits?: ProviderTraits;
}

/** Id and time that stand in until the response is translated, when the real ones are known. */
const NO_CONTEXT = { requestId: '', createdAt: 0 } as const;

/**
 * Creates the translator of one pair of dialects on the codecs of `@gw/dialects`. It keeps no state: the call is decoded again for
 * its response.
 */
export function hubTranslator({ from, to, provider, traits = {} }: HubOptions): Translator {
  const client = codecOf<ClientCodec>(CLIENT_CODECS, from);
  const target = codecOf<ProviderCodec>(PROVIDER_CODECS, to);
  const translate = (
    body: JsonObject,
    drops: boolean,
    context: Pick<TranslationContext, 'requestId' | 'createdAt'> & { readonly strict?: boolean },
  ): TranslatedCall =>
    translateCall(client, target, body, {
      ...context,
      target: targetOf({ provider, dialect: to, model: asString(body['model']) ?? '', traits }),
      loss: drops ? 'adapt' : 'strict',
    });
  // The request was accepted with the losses of its target, so a response is never refused for them.
  const again = (context: TranslationContext): TranslatedCall => translate(context.request, true, context);
  return {
    request(body: JsonObject, losses: DroppedParams): JsonObject {
      const call = translate(body, losses.drops, NO_CONTEXT);
      for (const loss of call.losses.losses) losses.note(loss);
      return call.body;
    },
    response: (body, context) => again(context).response(body),
    stream: (context) => new HubStream(again(context).stream()),
  };
}

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
