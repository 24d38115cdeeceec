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

/**
 * Name of the wire format that a provider takes, a key of `EMBEDDINGS_FORMS`, `IMAGES_FORMS` or
 * `RERANK_FORMS`; or a function that returns the name for a model, null for a model that is not
 * served.
 */
export type FormName = string | ((model: string) => string | null);

/** Wire formats in which a provider takes embeddings, images and rerank. */
export interface FamilyForms {
  readonly embeddings?: FormName;
  readonly images?: FormName;
  readonly rerank?: string;
}

type Routes = Readonly<Partial<Record<RouteKind, RouteSupport>>>;

/**
 * Returns the routes of these families that a provider takes in a wire format of its own. Throws
 * for an unknown name.
 */
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

/**
 * Returns a function that finds the wire format for the model of a body. The function throws
 * `unsupported_by_provider` for a model without one.
 */
function formFinder<Form>(
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
    const formName = name(target.model);
    if (formName !== null) return formOf(forms, formName);
    throw unsupported(target, [{ path: 'model', message: 'The model does not serve this route.' }]);
  };
}

const targetFor = (provider: string, body: JsonObject): Target =>
  targetOf({ provider, dialect: 'openai-chat', model: asString(body['model']) ?? '' });

/** Translates OpenAI's embeddings. More texts than the provider takes in one call are refused. */
function embeddingsTranslator(provider: string, name: FormName): Translator {
  const findForm = formFinder(EMBEDDINGS_FORMS, name, provider);
  const translate = (body: JsonObject, loss: LossMode) =>
    translateEmbeddings(findForm(body), body, targetFor(provider, body), loss);
  return {
    request(body, loss) {
      const { calls, losses } = translate(body, loss);
      const [call] = calls;
      if (call === undefined || calls.length > 1) {
        const inputsMax = String(findForm(body).inputsMax(asString(body['model']) ?? ''));
        const message = `The model takes at most ${inputsMax} texts in one request; send several requests.`;
        throw unsupported(targetFor(provider, body), [{ path: 'input', message }]);
      }
      return { path: call.path, body: call.body, losses };
    },
    isNumeric: true,
    // Translates the request again, because nothing is kept between request and response and the
    // decoder depends on both. The request was accepted with the losses of its target, so a
    // response is never refused for them.
    response: (body, { request }) => translate(request, 'adapt').response([body]),
    stream: noStream,
  };
}

/**
 * Translates OpenAI's requests for images. More images than the provider makes in one call are
 * refused.
 */
function imagesTranslator(provider: string, name: FormName): Translator {
  const findForm = formFinder(IMAGES_FORMS, name, provider);
  const translate = (body: JsonObject, loss: LossMode, createdAt: number) =>
    translateImages(findForm(body), body, { target: targetFor(provider, body), loss, createdAt });
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
    isNumeric: true,
    response: (body, { request, requestId }) => translate(request, 'adapt', requestId).response(body),
    stream: noStream,
  };
}

/**
 * Throws for an unknown name, which is a mistake in the provider's row: at start, or for a function
 * at the request.
 */
function formOf<Form>(forms: ReadonlyMap<string, Form>, name: string): Form {
  const form = forms.get(name);
  if (form === undefined) throw new Error(`There is no form ${name}.`);
  return form;
}
