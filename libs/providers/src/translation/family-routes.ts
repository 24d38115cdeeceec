import type { RouteKind } from '@gw/contracts';
import {
  asString,
  EMBEDDINGS_FORMS,
  RERANK_FORMS,
  targetOf,
  translateEmbeddings,
  translateRerank,
  unsupported,
  type Target,
} from '@gw/dialects';
import type { LossMode } from '@gw/kernel';
import type { JsonObject, RouteSupport, Translator } from '../provider';
import { noStream } from './hub-translator';

/** The forms in which a provider takes the small families, by their names in `@gw/dialects`. */
export interface FamilyForms {
  readonly embeddings?: string;
  readonly rerank?: string;
}

type Routes = Readonly<Partial<Record<RouteKind, RouteSupport>>>;

/** Returns the routes of families that a provider takes in a form of its own. Throws for an unknown form. */
export function familyRoutes(provider: string, { embeddings, rerank }: FamilyForms): Routes {
  return {
    ...(embeddings === undefined
      ? {}
      : { embeddings: support('openai-embeddings', embeddings, embeddingsTranslator(provider, embeddings)) }),
    ...(rerank === undefined
      ? {}
      : { rerank: support('cohere-rerank', rerank, rerankTranslator(provider, rerank)) }),
  };
}

const support = (from: string, to: string, translator: Translator): RouteSupport => ({
  via: 'translated',
  name: `${from}>${to}`,
  translator,
});

const targetFor = (provider: string, body: JsonObject): Target =>
  targetOf({ provider, dialect: 'openai-chat', model: asString(body['model']) ?? '' });

/** Translates OpenAI's embeddings. More texts than the provider takes in one call are refused. */
function embeddingsTranslator(provider: string, name: string): Translator {
  const form = formOf(EMBEDDINGS_FORMS, name);
  const translate = (body: JsonObject, loss: LossMode) =>
    translateEmbeddings(form, body, targetFor(provider, body), loss);
  return {
    request(body, loss) {
      const { calls, losses } = translate(body, loss);
      const [call] = calls;
      if (call === undefined || calls.length > 1) {
        const most = String(form.inputsMax(asString(body['model']) ?? ''));
        const message = `The model takes at most ${most} texts in one request; send several requests.`;
        throw unsupported(targetFor(provider, body), [{ path: 'input', message }]);
      }
      return { path: call.path, body: call.body, losses };
    },
    // The request was accepted with the losses of its target, so a response is never refused for them.
    response: (body, { request }) => translate(request, 'adapt').response([body]),
    stream: noStream,
  };
}

/** Translates Cohere's form of ranking documents. */
function rerankTranslator(provider: string, name: string): Translator {
  const form = formOf(RERANK_FORMS, name);
  const translate = (body: JsonObject, loss: LossMode, requestId: string) =>
    translateRerank(form, body, { target: targetFor(provider, body), loss, requestId });
  return {
    request(body, loss) {
      const { call, losses } = translate(body, loss, '');
      return { path: call.path, body: call.body, losses };
    },
    response: (body, { request, requestId }) => translate(request, 'adapt', requestId).response(body),
    stream: noStream,
  };
}

function formOf<Form>(forms: ReadonlyMap<string, Form>, name: string): Form {
  const form = forms.get(name);
  if (form === undefined) throw new Error(`There is no form ${name}.`);
  return form;
}
