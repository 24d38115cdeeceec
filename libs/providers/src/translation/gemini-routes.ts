import type { RouteKind } from '@gw/contracts';
import {
  geminiModel,
  geminiModels,
  geminiPath,
  geminiToOpenAiEmbeddings,
  LossLedger,
  type CallAddress,
} from '@gw/dialects';
import type { LossMode } from '@gw/kernel';
import type { JsonObject, RouteSupport, TranslationContext, Translator } from '../provider';
import { noStream } from './hub-translator';

const NO_LOSSES = { losses: [], more: 0 };

type Routes = Readonly<Partial<Record<RouteKind, RouteSupport>>>;

/** Returns the routes of Gemini clients at a provider that speaks their dialect. */
export function nativeGeminiRoutes(provider: string): Routes {
  const native = {
    via: 'native',
    prefix: '',
    pathOf: (model: string, method: string) => geminiPath({ provider, model }, method),
  } as const;
  return {
    'gemini.generate': native,
    'gemini.count': native,
    'gemini.embed': native,
    'gemini.list': { via: 'native', prefix: '' },
  };
}

/**
 * Returns the routes of Gemini clients to the embeddings that a provider serves OpenAI's clients,
 * and to its list of models in OpenAI's form.
 */
export function translatedGeminiRoutes(provider: string, { embeddings, models }: Routes): Routes {
  return {
    ...(embeddings === undefined
      ? {}
      : {
          'gemini.embed': {
            via: 'translated',
            name: 'gemini>openai-embeddings',
            translator: embeddingsTranslator(provider, embeddings),
          },
        }),
    ...(models?.via !== 'native'
      ? {}
      : {
          'gemini.list': {
            via: 'translated',
            name: 'gemini>openai-models',
            translator: modelsTranslator(models.prefix + (models.path ?? '/models')),
          },
        }),
  };
}

/**
 * Translates to OpenAI's embeddings, and from there to the provider's form where it has another.
 */
function embeddingsTranslator(provider: string, embeddings: RouteSupport): Translator {
  const openAi = (body: JsonObject, loss: LossMode, address: CallAddress) => {
    const losses = new LossLedger(loss, { provider, model: address.model ?? '' });
    return { losses, ...geminiToOpenAiEmbeddings(body, address, losses) };
  };
  return {
    request(body, loss, address = {}) {
      const { losses, body: translated } = openAi(body, loss, address);
      if (embeddings.via === 'translated') {
        const call = embeddings.translator.request(translated, loss);
        return { ...call, losses: { ...call.losses, losses: [...losses.losses, ...call.losses.losses] } };
      }
      return { path: embeddings.prefix + (embeddings.path ?? '/embeddings'), body: translated, losses };
    },
    isNumeric: true,
    response(found, context) {
      const translated = openAi(context.request, 'adapt', context.address ?? {});
      return translated.response(
        embeddings.via === 'translated'
          ? embeddings.translator.response(found, { ...context, request: translated.body })
          : found,
      );
    },
    stream: noStream,
  };
}

/**
 * Translates requests for models. An address with a model becomes the path of that model, an
 * address without one the path of the list.
 */
function modelsTranslator(path: string): Translator {
  return {
    request: (_body, _loss, { model } = {}) => ({
      path: model === undefined ? path : `${path}/${encodeURIComponent(model)}`,
      body: {},
      losses: NO_LOSSES,
    }),
    response: (body: JsonObject, { address }: TranslationContext) =>
      address?.model === undefined ? geminiModels(body) : geminiModel(body),
    stream: noStream,
  };
}
