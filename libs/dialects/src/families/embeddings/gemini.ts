import type { JsonObject } from '../../call';
import { modelPath } from '../../gemini/encode-call';
import { asNumber, asObject, objectsOf, optional } from '../../values/json';
import type { EmbeddingsForm, InputType } from './embeddings';
import { vectorOf } from './vectors';

/** Google's names of the purposes of vectors. */
export const TASK_TYPES: Readonly<Record<InputType, string>> = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * `batchEmbedContents` of Google AI Studio. It reports no tokens, except newer models in
 * `usageMetadata`.
 */
export const geminiEmbeddings: EmbeddingsForm = {
  inputsMax: () => 100,
  encodeCall({ dimensions, inputType }, inputs, { target }) {
    const [model = ''] = modelPath(target, '').slice(1).split(':');
    const taskType = inputType === undefined ? undefined : TASK_TYPES[inputType];
    return {
      path: modelPath(target, 'batchEmbedContents'),
      body: {
        requests: inputs.map((text) => ({
          model,
          content: { parts: [{ text }] },
          ...optional('taskType', taskType),
          ...optional('outputDimensionality', dimensions),
        })),
      },
    };
  },
  decodeResponse(body) {
    return {
      vectors: objectsOf(body['embeddings']).map(({ values }) => vectorOf(values)),
      ...optional('tokens', promptTokens(body)),
    };
  },
};

/** Tokens of the inputs in `usageMetadata`. */
export const promptTokens = (body: JsonObject): number | undefined =>
  asNumber(asObject(body['usageMetadata'])?.['promptTokenCount']) ?? undefined;
