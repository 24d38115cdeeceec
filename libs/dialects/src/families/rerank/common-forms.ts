import type { JsonObject } from '../../call';
import { asNumber, asObject, asString, optional } from '../../values/json';
import { textsOf } from './documents';
import { readResults } from './results';
import type { Ranking, RerankForm } from './rerank';

/** How a provider differs from the common form. */
interface Spelling {
  readonly path?: string;
  /** Member of the request with the documents. */
  readonly documents?: string;
  readonly topN?: string;
  /**
   * Member that removes the documents from the response, for a provider that returns them by
   * default.
   */
  readonly without?: string;
  /** Whether documents may be objects without a text. */
  readonly takesObjects?: boolean;
  /** Member that limits the tokens of a document. */
  readonly maxTokens?: string;
  /** Member of the response with the results. */
  readonly results?: string;
  /** Member of a result with its score. */
  readonly score?: string;
}

/**
 * Returns the form of a provider that is close to the common form. The gateway adds the documents
 * to the response.
 */
function formOf(spelling: Spelling): RerankForm {
  const { results = 'results', score = 'relevance_score', maxTokens } = spelling;
  return {
    ...(maxTokens === undefined ? {} : { cutsDocuments: true }),
    encodeCall({ query, documents, topN, maxTokensPerDocument }, { target, losses }) {
      const { path = '/rerank', documents: list = 'documents', topN: limit = 'top_n', without } = spelling;
      const items =
        spelling.takesObjects === true
          ? documents.map((document) => ('text' in document ? document.text : document.object))
          : textsOf(documents, losses);
      return {
        path,
        body: {
          model: target.model,
          query,
          [list]: items,
          ...optional(limit, topN),
          ...(without === undefined ? {} : { [without]: false }),
          ...(maxTokens === undefined ? {} : optional(maxTokens, maxTokensPerDocument)),
        },
      };
    },
    decodeResponse: (body) => ({
      ...optional('id', asString(body['id']) ?? undefined),
      results: readResults(body[results], score),
      ...counts(body),
    }),
  };
}

/** Reads tokens and search units from `usage`, or from Cohere's `meta`. */
function counts(body: JsonObject): Pick<Ranking, 'tokens' | 'searchUnits'> {
  const meta = asObject(body['meta']);
  const usage = asObject(body['usage']);
  const tokens =
    asNumber(usage?.['total_tokens']) ??
    asNumber(usage?.['prompt_tokens']) ??
    asNumber(asObject(meta?.['tokens'])?.['input_tokens']);
  const searchUnits = asNumber(asObject(meta?.['billed_units'])?.['search_units']);
  return { ...optional('tokens', tokens ?? undefined), ...optional('searchUnits', searchUnits ?? undefined) };
}

export const cohereRerank = formOf({ path: '/v2/rerank', maxTokens: 'max_tokens_per_doc' });
/** Jina, which ranks images too. */
export const jinaRerank = formOf({ without: 'return_documents', takesObjects: true });
/** Together AI and SiliconFlow. */
export const commonRerank = formOf({ without: 'return_documents' });
/** vLLM, Infinity and other servers of open models. */
export const plainRerank = formOf({});
export const voyageRerank = formOf({ topN: 'top_k', results: 'data' });
export const mixedbreadRerank = formOf({
  path: '/reranking',
  documents: 'input',
  topN: 'top_k',
  results: 'data',
  score: 'score',
});
