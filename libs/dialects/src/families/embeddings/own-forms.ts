import { asArray, asNumber, asObject, objectsOf, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { projectOf } from '../watsonx';
import { floatsOf } from './cohere';
import type { EmbeddingsForm, InputType } from './embeddings';
import { vectorOf } from './vectors';

/** `/embedding/text` of Nomic Atlas, which uses Cohere's names of the purposes of vectors. */
export const nomicEmbeddings: EmbeddingsForm = {
  inputsMax: () => 2_048,
  encodeCall: ({ dimensions, inputType }, inputs, { target }) => ({
    path: '/embedding/text',
    body: {
      model: target.model,
      texts: inputs,
      ...optional('task_type', inputType),
      ...optional('dimensionality', dimensions),
    },
  }),
  decodeResponse(body) {
    const usage = asObject(body['usage']);
    const tokens = asNumber(usage?.['prompt_tokens']) ?? asNumber(usage?.['total_tokens']);
    return { vectors: floatsOf(body['embeddings']), ...optional('tokens', tokens ?? undefined) };
  },
};

/** `/text/embeddings` of IBM watsonx.ai, whose models have vectors of one length. */
export const watsonxEmbeddings: EmbeddingsForm = {
  inputsMax: () => 1_000,
  encodeCall({ dimensions, inputType }, inputs, { target, losses }) {
    if (dimensions !== undefined)
      losses.refuse('dimensions', 'The provider has vectors of one length; leave dimensions out.');
    if (inputType !== undefined) losses.note('input_type');
    return {
      path: '/text/embeddings',
      body: { model_id: target.model, ...projectOf(target), inputs },
    };
  },
  decodeResponse(body) {
    if (asArray(body['results']) === null) throw answerInvalid('The response has no embeddings.');
    return {
      vectors: objectsOf(body['results']).map(({ embedding }) => vectorOf(embedding)),
      ...optional('tokens', asNumber(body['input_token_count']) ?? undefined),
    };
  },
};

const PINECONE_TYPES: Readonly<Partial<Record<InputType, string>>> = {
  search_document: 'passage',
  search_query: 'query',
};

/** `/embed` of Pinecone Inference, which requires the type. */
export const pineconeEmbeddings: EmbeddingsForm = {
  inputsMax: () => 96,
  encodeCall({ dimensions, inputType }, inputs, { target, losses }) {
    const type = inputType === undefined ? undefined : PINECONE_TYPES[inputType];
    if (inputType === undefined) losses.note('input_type', 'generated', 'passage');
    else if (type === undefined) losses.note('input_type', 'approximated', 'passage');
    return {
      path: '/embed',
      body: {
        model: target.model,
        parameters: { input_type: type ?? 'passage', ...optional('dimension', dimensions) },
        inputs: inputs.map((text) => ({ text })),
      },
    };
  },
  decodeResponse(body) {
    if (asArray(body['data']) === null) throw answerInvalid('The response has no embeddings.');
    const tokens = asNumber(asObject(body['usage'])?.['total_tokens']);
    return {
      vectors: objectsOf(body['data']).map(({ values }) => vectorOf(values)),
      ...optional('tokens', tokens ?? undefined),
    };
  },
};
