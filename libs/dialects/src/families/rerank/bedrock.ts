import type { JsonObject } from '../../call';
import type { Target } from '../../target';
import { asString, optional } from '../../values/json';
import type { RerankDocument, RerankForm } from './rerank';
import { readResults } from './results';

/** `Rerank` of Bedrock's agent runtime, which has its own base URL. */
export const bedrockRerank: RerankForm = {
  encodeCall: ({ query, documents, topN }, { target }) => ({
    path: '/rerank',
    body: {
      queries: [{ type: 'TEXT', textQuery: { text: query } }],
      sources: documents.map((document) => ({ type: 'INLINE', inlineDocumentSource: sourceOf(document) })),
      rerankingConfiguration: {
        type: 'BEDROCK_RERANKING_MODEL',
        bedrockRerankingConfiguration: {
          modelConfiguration: { modelArn: modelArn(target) },
          ...optional('numberOfResults', topN),
        },
      },
    },
  }),
  decodeResponse: (body, headers) => ({
    results: readResults(body['results'], 'relevanceScore'),
    ...optional('id', headers?.['x-amzn-requestid']),
  }),
};

const sourceOf = (document: RerankDocument): JsonObject =>
  'text' in document
    ? { type: 'TEXT', textDocument: { text: document.text } }
    : { type: 'JSON', jsonDocument: document.object };

const PARTITIONS: readonly (readonly [region: string, partition: string])[] = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
];

/** Returns the ARN of a model of AWS in the target's region; an ARN is returned unchanged. */
function modelArn({ model, settings }: Target): string {
  const region = asString(settings?.['aws_region']);
  if (model.startsWith('arn:') || region === null) return model;
  const partition = PARTITIONS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'aws';
  return `arn:${partition}:bedrock:${region}::foundation-model/${model}`;
}
