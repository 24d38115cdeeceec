import type { JsonObject } from '../../call';
import { asArray, asNumber, asObject, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import type { EmbeddingsForm, InputType } from './embeddings';
import { vectorOf } from './vectors';

/** Purpose of the vectors when the client names none; Cohere requires one. */
const DEFAULT_TYPE: InputType = 'search_document';

/** Models before `embed-v4.0` have vectors of one length. */
const hasOneLength = (model: string): boolean => /^embed-(?:english|multilingual)-/.test(model);

/** `/v2/embed` of Cohere. */
export const cohereEmbeddings: EmbeddingsForm = {
  inputsMax: () => 96,
  encodeCall({ dimensions, inputType }, inputs, { target, losses }) {
    if (dimensions !== undefined && hasOneLength(target.model))
      losses.refuse('dimensions', `${target.model} has vectors of one length; leave dimensions out.`);
    if (inputType === undefined) losses.note('input_type', 'generated', DEFAULT_TYPE);
    return {
      path: '/v2/embed',
      body: {
        model: target.model,
        texts: inputs,
        input_type: inputType ?? DEFAULT_TYPE,
        embedding_types: ['float'],
        ...optional('output_dimension', dimensions),
      },
    };
  },
  decodeResponse: (body) => ({ vectors: floatsOf(body['embeddings']), ...optional('tokens', billed(body)) }),
};

/**
 * Returns the vectors of a response: a list, or lists by type. Throws `provider_answer_invalid`.
 */
export function floatsOf(embeddings: unknown): (readonly number[])[] {
  const floats = asArray(embeddings) ?? asArray(asObject(embeddings)?.['float']);
  if (floats === null) throw answerInvalid('The response has no embeddings of floats.');
  return floats.map(vectorOf);
}

const billed = (body: JsonObject): number | undefined =>
  asNumber(asObject(asObject(body['meta'])?.['billed_units'])?.['input_tokens']) ?? undefined;
