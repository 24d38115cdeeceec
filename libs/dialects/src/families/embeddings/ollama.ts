import { asNumber, optional } from '../../values/json';
import { floatsOf } from './cohere';
import type { EmbeddingsForm } from './embeddings';

/** `/api/embed` of Ollama. The base URL of a target ends in `/api`. */
export const ollamaEmbeddings: EmbeddingsForm = {
  inputsMax: () => 2_048,
  encodeCall({ dimensions, inputType }, inputs, { target, losses }) {
    if (inputType !== undefined) losses.note('input_type');
    return {
      path: '/embed',
      body: { model: target.model, input: inputs, ...optional('dimensions', dimensions) },
    };
  },
  decodeResponse: (body) => ({
    vectors: floatsOf(body['embeddings']),
    ...optional('tokens', asNumber(body['prompt_eval_count']) ?? undefined),
  }),
};
