import type { Target } from '../../target';
import { asArray, asNumber, asObject, asString, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import { projectOf } from '../watsonx';
import { textsOf } from './documents';
import { readResults } from './results';
import type { RerankForm, RerankResult } from './rerank';

/** Returns a model's name for the path; its slashes stay unencoded. */
const modelSegments = ({ model }: Target): string => model.split('/').map(encodeURIComponent).join('/');

const asTexts = (texts: readonly string[]): { readonly text: string }[] => texts.map((text) => ({ text }));

/**
 * NVIDIA NIM, below `https://ai.api.nvidia.com/v1`. The API returns all documents; the gateway
 * selects the best.
 */
export const nvidiaRerank: RerankForm = {
  encodeCall: ({ query, documents }, { target, losses }) => ({
    path: `/retrieval/${modelSegments(target)}/reranking`,
    body: { model: target.model, query: { text: query }, passages: asTexts(textsOf(documents, losses)) },
  }),
  decodeResponse(body) {
    const tokens = asNumber(asObject(body['usage'])?.['total_tokens']);
    return {
      results: readResults(body['rankings'], 'logit'),
      ...optional('tokens', tokens ?? undefined),
    };
  },
};

/**
 * DeepInfra, below `https://api.deepinfra.com/v1/inference`: a score for each document, in their
 * order.
 */
export const deepinfraRerank: RerankForm = {
  encodeCall: ({ query, documents }, { target, losses }) => ({
    path: `/${modelSegments(target)}`,
    body: { queries: [query], documents: textsOf(documents, losses) },
  }),
  decodeResponse: (body) => ({
    results: scoresOf(body['scores']),
    ...optional('tokens', asNumber(body['input_tokens']) ?? undefined),
  }),
};

/** Reads the scores, which may be in a list for each query. */
function scoresOf(value: unknown): RerankResult[] {
  const scores = asArray(asArray(value)?.[0]) ?? asArray(value);
  if (scores === null) throw answerInvalid('The body has no scores.');
  return scores.map((item, index) => {
    const score = asNumber(item);
    if (score === null) throw answerInvalid('A score is no number.');
    return { index, score };
  });
}

/** Pinecone Inference. */
export const pineconeRerank: RerankForm = {
  encodeCall: ({ query, documents, topN }, { target, losses }) => ({
    path: '/rerank',
    body: {
      model: target.model,
      query,
      documents: textsOf(documents, losses).map((text, index) => ({ id: String(index), text })),
      ...optional('top_n', topN),
      return_documents: false,
    },
  }),
  decodeResponse(body) {
    const units = asNumber(asObject(body['usage'])?.['rerank_units']);
    return {
      results: readResults(body['data'], 'score'),
      ...optional('searchUnits', units ?? undefined),
    };
  },
};

/** IBM watsonx.ai. */
export const watsonxRerank: RerankForm = {
  cutsDocuments: true,
  encodeCall({ query, documents, topN, maxTokensPerDocument }, { target, losses }) {
    const parameters = {
      ...optional('truncate_input_tokens', maxTokensPerDocument),
      ...(topN === undefined ? {} : { return_options: { top_n: topN } }),
    };
    return {
      path: '/text/rerank',
      body: {
        model_id: target.model,
        ...projectOf(target),
        query,
        inputs: asTexts(textsOf(documents, losses)),
        ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
      },
    };
  },
  decodeResponse: (body) => ({
    results: readResults(body['results'], 'score'),
    ...optional('tokens', asNumber(body['input_token_count']) ?? undefined),
  }),
};

/**
 * The ranking API of Vertex AI, below
 * `https://discoveryengine.googleapis.com/v1/projects/{project}/locations/global`.
 */
export const vertexRerank: RerankForm = {
  encodeCall: ({ query, documents, topN }, { target, losses }) => ({
    path: '/rankingConfigs/default_ranking_config:rank',
    body: {
      model: target.model,
      query,
      records: textsOf(documents, losses).map((content, index) => ({ id: String(index), content })),
      ...optional('topN', topN),
      ignoreRecordDetailsInResponse: true,
    },
  }),
  decodeResponse(body) {
    const results = asArray(body['records'])?.map((record) => {
      const { id, score } = asObject(record) ?? {};
      return { index: placeOf(id), score };
    });
    return { results: readResults(results, 'score') };
  },
};

/** Returns the index for a document id that the request contains; null for any other id. */
const placeOf = (id: unknown): number | null => {
  const text = asString(id) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
};
