import type { JsonObject } from '../../call';
import type { ProviderCall } from '../../codec';
import { bareModel } from '../../capabilities';
import { modelPath } from '../../gemini/encode-call';
import { asNumber, asObject, objectsOf, optional } from '../../values/json';
import type { FamilyFacts } from '../fan-out';
import type { Embeddings, EmbeddingsCall, EmbeddingsForm } from './embeddings';
import { promptTokens, TASK_TYPES } from './gemini';
import { vectorOf } from './vectors';

/** The first Gemini model for embeddings, which accepts one text in each `predict`. */
const FIRST_GEMINI = 'gemini-embedding-001';

/**
 * Returns whether a model has the method `embedContent`, as later Gemini models do; it accepts one
 * text.
 */
const hasEmbedContent = (model: string): boolean =>
  bareModel(model).startsWith('gemini-') && bareModel(model) !== FIRST_GEMINI;

/** Embeddings of Vertex AI: `predict`, and `embedContent` of newer models. */
export const vertexEmbeddings: EmbeddingsForm = {
  inputsMax: (model) => (bareModel(model).startsWith('gemini-') ? 1 : 250),
  encodeCall: (call, inputs, facts) =>
    hasEmbedContent(facts.target.model) ? embedContent(call, inputs, facts) : predict(call, inputs, facts),
  decodeResponse: (body) => (asObject(body['embedding']) === null ? predictions(body) : single(body)),
};

function embedContent(
  { dimensions, inputType }: EmbeddingsCall,
  inputs: readonly string[],
  { target }: FamilyFacts,
): ProviderCall {
  const config = {
    ...optional('taskType', inputType === undefined ? undefined : TASK_TYPES[inputType]),
    ...optional('outputDimensionality', dimensions),
  };
  return {
    path: modelPath(target, 'embedContent'),
    body: {
      content: { parts: inputs.map((text) => ({ text })) },
      ...(Object.keys(config).length === 0 ? {} : { embedContentConfig: config }),
    },
  };
}

function predict(
  { dimensions, inputType }: EmbeddingsCall,
  inputs: readonly string[],
  { target }: FamilyFacts,
): ProviderCall {
  const task = optional('task_type', inputType === undefined ? undefined : TASK_TYPES[inputType]);
  return {
    path: modelPath(target, 'predict'),
    body: {
      instances: inputs.map((content) => ({ content, ...task })),
      ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
    },
  };
}

function single(body: JsonObject): Embeddings {
  return {
    vectors: [vectorOf(asObject(body['embedding'])?.['values'])],
    ...optional('tokens', promptTokens(body)),
  };
}

/** Reads the vectors and sums the tokens of all inputs; the sum is unknown if one of them is. */
function predictions(body: JsonObject): Embeddings {
  const found = objectsOf(body['predictions']).map((prediction) => asObject(prediction['embeddings']) ?? {});
  const counts = found.map(({ statistics }) => asNumber(asObject(statistics)?.['token_count']));
  const tokens = counts.reduce<number | undefined>(
    (sum, count) => (sum === undefined || count === null ? undefined : sum + count),
    0,
  );
  return { vectors: found.map(({ values }) => vectorOf(values)), ...optional('tokens', tokens) };
}
