import { asObject, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { dimensionsFor, invokePath, invokeTokens } from '../bedrock-invoke';
import type { EmbeddingsForm } from './embeddings';
import { vectorOf } from './vectors';

/** Cohere's models on Bedrock. Their tokens are in a header. */
export const bedrockCohereEmbeddings: EmbeddingsForm = {
  inputsMax: () => 96,
  encodeCall: ({ dimensions, inputType = 'search_document' }, inputs, facts) => ({
    path: invokePath(facts),
    body: {
      texts: inputs,
      input_type: inputType,
      embedding_types: ['float'],
      ...optional('output_dimension', dimensionsFor(dimensions, facts)),
    },
  }),
  decodeResponse(body, headers) {
    const { embeddings } = body;
    const list = Array.isArray(embeddings) ? embeddings : asObject(embeddings)?.['float'];
    if (!Array.isArray(list)) throw answerInvalid('The body has no embeddings.');
    return { vectors: list.map(vectorOf), ...optional('tokens', invokeTokens(headers)) };
  },
};
