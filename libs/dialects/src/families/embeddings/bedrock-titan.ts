import { baseId } from '../../bedrock-converse/models';
import { readCount } from '../../values/counts';
import { isAbsent, optional } from '../../values/json';
import { dimensionsFor, invokePath } from '../bedrock-invoke';
import type { EmbeddingsForm } from './embeddings';
import { vectorOf } from './vectors';

const IMAGE_MODEL = 'amazon.titan-embed-image';

/** Amazon's Titan models, which accept one text in each call. */
export const bedrockTitanEmbeddings: EmbeddingsForm = {
  inputsMax: () => 1,
  encodeCall(call, [text = ''], facts) {
    const dimensions = dimensionsFor(call.dimensions, facts);
    if (call.inputType !== undefined) facts.losses.note('input_type');
    const isImage = baseId(facts.target.model).startsWith(IMAGE_MODEL);
    return {
      path: invokePath(facts),
      body: {
        inputText: text,
        ...(isImage && dimensions !== undefined
          ? { embeddingConfig: { outputEmbeddingLength: dimensions } }
          : optional('dimensions', dimensions)),
      },
    };
  },
  decodeResponse(body) {
    const tokens = isAbsent(body['inputTextTokenCount']) ? null : readCount(body['inputTextTokenCount']);
    return { vectors: [vectorOf(body['embedding'])], ...optional('tokens', tokens ?? undefined) };
  },
};
