import type { RouteKind } from '@gw/contracts';
import { geminiModel, geminiModels, geminiPath, geminiToOpenAiEmbeddings, LossLedger } from '@gw/dialects';
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

/** Returns the routes of Gemini clients to embeddings and lists of models that a provider has in OpenAI's form. */
export function translatedGeminiRoutes(provider: string, { embeddings, models }: Routes): Routes {
  return {
    ...(embeddings?.via !== 'native'
      ? {}
      : {
          'gemini.embed': {
            via: 'translated',
            name: 'gemini>openai-embeddings',
            translator: embeddingsTranslator(
              provider,
              embeddings.prefix + (embeddings.path ?? '/embeddings'),
            ),
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

function embeddingsTranslator(provider: string, path: string): Translator {
  return {
    request(body, loss, address = {}) {
      const losses = new LossLedger(loss, { provider, model: address.model ?? '' });
      const translated = geminiToOpenAiEmbeddings(body, address, losses);
      return { path, body: translated.body, losses };
    },
    response: (body, { request, address = {}, provider: responds }) =>
      geminiToOpenAiEmbeddings(
        request,
        address,
        new LossLedger('adapt', { provider: responds, model: address.model ?? '' }),
      ).response(body),
    stream: noStream,
  };
}

/** An address with a model is the path of that model; without, the path of the list. */
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
