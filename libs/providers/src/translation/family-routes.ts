import type { RouteKind } from '@gw/contracts';
import {
  asString,
  EMBEDDINGS_FORMS,
  IMAGES_FORMS,
  RERANK_FORMS,
  targetOf,
  translateEmbeddings,
  translateImages,
  translateRerank,
  unsupported,
  type Target,
} from '@gw/dialects';
import { GatewayError, type LossMode } from '@gw/kernel';
import type { JsonObject, RouteSupport, Translator } from '../provider';
import { noStream } from './hub-translator';

/** The name of a form in `@gw/dialects`, or that for a model; null: the model is not served. */
export type FormName = string | ((model: string) => string | null);

/** The forms in which a provider takes the small families. */
export interface FamilyForms {
  readonly embeddings?: FormName;
  readonly images?: FormName;
  readonly rerank?: string;
}

type Routes = Readonly<Partial<Record<RouteKind, RouteSupport>>>;

/** Returns the routes of families that a provider takes in a form of its own. Throws for an unknown form. */
export function familyRoutes(provider: string, { embeddings, images, rerank }: FamilyForms): Routes {
  return {
    ...(embeddings === undefined
      ? {}
      : { embeddings: support('openai-embeddings', embeddings, embeddingsTranslator(provider, embeddings)) }),
    ...(images === undefined
      ? {}
      : { 'images.generations': support('openai-images', images, imagesTranslator(provider, images)) }),
    ...(rerank === undefined
      ? {}
      : { rerank: support('cohere-rerank', rerank, rerankTranslator(provider, rerank)) }),
  };
}

const support = (from: string, to: FormName, translator: Translator): RouteSupport => ({
  via: 'translated',
  name: `${from}>${typeof to === 'string' ? to : 'own'}`,
  translator,
});

/** Returns the form for the model of a body. Throws `unsupported_by_provider` for a model without one. */
function formFor<Form>(
  forms: ReadonlyMap<string, Form>,
  name: FormName,
  provider: string,
): (body: JsonObject) => Form {
  if (typeof name === 'string') {
    const form = formOf(forms, name);
    return () => form;
  }
  return (body) => {
    const target = targetFor(provider, body);
    const found = name(target.model);
    if (found !== null) return formOf(forms, found);
    throw unsupported(target, [{ path: 'model', message: 'The model does not serve this route.' }]);
  };
}

const targetFor = (provider: string, body: JsonObject): Target =>
  targetOf({ provider, dialect: 'openai-chat', model: asString(body['model']) ?? '' });

/** Translates OpenAI's embeddings. More texts than the provider takes in one call are refused. */
function embeddingsTranslator(provider: string, name: FormName): Translator {
  const formFrom = formFor(EMBEDDINGS_FORMS, name, provider);
  const translate = (body: JsonObject, loss: LossMode) =>
    translateEmbeddings(formFrom(body), body, targetFor(provider, body), loss);
  return {
    request(body, loss) {
      const { calls, losses } = translate(body, loss);
      const [call] = calls;
      if (call === undefined || calls.length > 1) {
        const most = String(formFrom(body).inputsMax(asString(body['model']) ?? ''));
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

/** Translates OpenAI's requests for images. More images than the provider makes in one call are refused. */
function imagesTranslator(provider: string, name: FormName): Translator {
  const formFrom = formFor(IMAGES_FORMS, name, provider);
  const translate = (body: JsonObject, loss: LossMode, createdAt: number) =>
    translateImages(formFrom(body), body, { target: targetFor(provider, body), loss, createdAt });
  return {
    request(body, loss) {
      const { calls, losses } = translate(body, loss, 0);
      const [call] = calls;
      if (call === undefined || calls.length > 1) {
        const message = 'The model makes one image in one request; send several requests.';
        throw unsupported(targetFor(provider, body), [{ path: 'n', message }]);
      }
      return { path: call.path, body: call.body, losses };
    },
    response(body, { request, createdAt }) {
      const outcome = translate(request, 'adapt', createdAt).response([body]);
      if ('body' in outcome) return outcome.body;
      throw new GatewayError('validation_failed', {
        message: outcome.fault.message,
        param: 'prompt',
        extra: { provider_code: outcome.fault.code ?? null },
      });
    },
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
