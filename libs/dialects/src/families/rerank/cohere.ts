import type { JsonObject } from '../../call';
import { invalid } from '../../losses';
import { asObject, isAbsent, membersBesides, optional, read, required } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import type { Ranking, RerankCall, RerankDocument } from './rerank';

/** Maximum number of documents in one request. */
const DOCUMENTS_MAX = 10_000;
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'query',
  'documents',
  'top_n',
  'return_documents',
  'max_tokens_per_doc',
]);

/**
 * Decodes a rerank request in Cohere's form, which clients of every provider use. Throws
 * `validation_failed` for a broken body.
 */
export function decodeRerank(body: JsonObject): RerankCall {
  return {
    model: read.string(body['model'], 'model') ?? '',
    query: required(read.string(body['query'], 'query'), 'query', 'a text'),
    documents: documentsOf(body['documents']),
    ...optional('topN', atLeastOne(body, 'top_n')),
    returnDocuments: read.boolean(body['return_documents'], 'return_documents') ?? false,
    ...optional('maxTokensPerDocument', atLeastOne(body, 'max_tokens_per_doc')),
    hints: Object.keys(membersBesides(body, KNOWN) ?? {}).filter((name) => !isAbsent(body[name])),
  };
}

function atLeastOne(body: JsonObject, name: string): number | undefined {
  const value = read.integer(body[name], name);
  if (value !== undefined && value < 1) throw invalid(name, `${name} must be at least 1.`);
  return value;
}

function documentsOf(value: unknown): RerankDocument[] {
  const documents = required(read.array(value, 'documents'), 'documents', 'a list of texts');
  if (documents.length === 0 || documents.length > DOCUMENTS_MAX)
    throw invalid('documents', `documents must have 1 to ${String(DOCUMENTS_MAX)} items.`);
  return documents.map((document, index) => {
    if (typeof document === 'string') return { text: document };
    const object = asObject(document);
    if (object === null)
      throw invalid(`documents.${String(index)}`, 'A document must be a string or an object.');
    return typeof object['text'] === 'string' ? { text: object['text'] } : { object };
  });
}

/**
 * Writes the response: the best documents first, as many as the client requests, with their indexes
 * in the request.
 */
export function encodeRerank(call: RerankCall, ranking: Ranking, requestId: string): JsonObject {
  const sorted = [...ranking.results].sort((one, other) => other.score - one.score);
  const results = sorted.slice(0, call.topN);
  return {
    id: ranking.id ?? requestId,
    results: results.map(({ index, score }) => {
      const document = call.documents[index];
      if (document === undefined) throw answerInvalid('A result is of no document in the request.');
      const repeated = 'text' in document ? { text: document.text } : document.object;
      return { index, relevance_score: score, ...(call.returnDocuments ? { document: repeated } : {}) };
    }),
    ...metaOf(ranking),
  };
}

function metaOf({ tokens, searchUnits }: Ranking): JsonObject {
  if (tokens === undefined && searchUnits === undefined) return {};
  return {
    meta: {
      ...(tokens === undefined ? {} : { tokens: { input_tokens: tokens } }),
      ...(searchUnits === undefined ? {} : { billed_units: { search_units: searchUnits } }),
    },
  };
}
