import { objectsOf, optional } from '../../values/json';
import { dimensionsFor, invokePath, invokeTokens } from '../bedrock-invoke';
import type { EmbeddingsForm, InputType } from './embeddings';
import { vectorOf } from './vectors';

/** Nova's names of the purposes of vectors. */
const PURPOSES: Readonly<Record<InputType, string>> = {
  search_document: 'GENERIC_INDEX',
  search_query: 'TEXT_RETRIEVAL',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** Amazon's Nova models, which accept one text in each call. */
export const bedrockNovaEmbeddings: EmbeddingsForm = {
  inputsMax: () => 1,
  encodeCall: ({ dimensions, inputType = 'search_document' }, [text = ''], facts) => ({
    path: invokePath(facts),
    body: {
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: PURPOSES[inputType],
        ...optional('embeddingDimension', dimensionsFor(dimensions, facts)),
        text: { truncationMode: 'NONE', value: text },
      },
    },
  }),
  decodeResponse: (body, headers) => ({
    vectors: objectsOf(body['embeddings']).map(({ embedding }) => vectorOf(embedding)),
    ...optional('tokens', invokeTokens(headers)),
  }),
};
