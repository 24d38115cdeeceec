import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../call';
import { targetOf } from '../../target';
import { RERANK_FORMS } from '../forms';
import { translateRerank, type TranslatedRerank } from './translate-rerank';

function translated(name: string, request: JsonObject, model = 'm'): TranslatedRerank {
  const form = RERANK_FORMS.get(name);
  if (form === undefined) throw new Error(`No form ${name}`);
  const target = targetOf({
    provider: name,
    dialect: 'openai-chat',
    model,
    settings: { watsonx_project_id: 'p1' },
  });
  return translateRerank(form, request, { target, loss: 'strict', requestId: 'req_1' });
}

const REQUEST = { model: 'm', query: 'q', documents: ['a', { text: 'b' }], top_n: 1 };

describe('forms of rerank: requests', () => {
  const common = { model: 'm/v1', query: 'q', documents: ['a', 'b'] };

  it.each<[string, string, JsonObject]>([
    ['cohere', '/v2/rerank', { ...common, top_n: 1 }],
    ['jina', '/rerank', { ...common, top_n: 1, return_documents: false }],
    ['together-ai', '/rerank', { ...common, top_n: 1, return_documents: false }],
    ['siliconflow', '/rerank', { ...common, top_n: 1, return_documents: false }],
    ['vllm', '/rerank', { ...common, top_n: 1 }],
    ['voyage', '/rerank', { ...common, top_k: 1 }],
    ['mixedbread', '/reranking', { model: 'm/v1', query: 'q', input: ['a', 'b'], top_k: 1 }],
    [
      'nvidia-nim',
      '/retrieval/m/v1/reranking',
      { model: 'm/v1', query: { text: 'q' }, passages: [{ text: 'a' }, { text: 'b' }] },
    ],
    ['deepinfra', '/m/v1', { queries: ['q'], documents: ['a', 'b'] }],
    [
      'pinecone',
      '/rerank',
      {
        model: 'm/v1',
        query: 'q',
        documents: [
          { id: '0', text: 'a' },
          { id: '1', text: 'b' },
        ],
        top_n: 1,
        return_documents: false,
      },
    ],
    [
      'watsonx',
      '/text/rerank',
      {
        model_id: 'm/v1',
        project_id: 'p1',
        query: 'q',
        inputs: [{ text: 'a' }, { text: 'b' }],
        parameters: { return_options: { top_n: 1 } },
      },
    ],
    [
      'vertex',
      '/rankingConfigs/default_ranking_config:rank',
      {
        model: 'm/v1',
        query: 'q',
        records: [
          { id: '0', content: 'a' },
          { id: '1', content: 'b' },
        ],
        topN: 1,
        ignoreRecordDetailsInResponse: true,
      },
    ],
  ])('writes the request of %s', (name, path, body) => {
    expect(translated(name, REQUEST, 'm/v1').call).toEqual({ path, body });
  });

  it('sends the token limit to providers that cut documents, and records it as a loss for others', () => {
    const request = { ...REQUEST, max_tokens_per_doc: 100 };
    expect(translated('cohere', request)).toMatchObject({ call: { body: { max_tokens_per_doc: 100 } } });
    expect(translated('cohere', request).losses.losses).toEqual([]);
    expect(translated('voyage', request).losses.losses).toEqual([
      { path: 'max_tokens_per_doc', code: 'dropped' },
    ]);
  });

  it('sends objects to Jina, and refuses them for providers that rank only texts', () => {
    const request = { ...REQUEST, documents: [{ image: 'https://e.com/a.png' }] };
    expect(translated('jina', request).call.body['documents']).toEqual(request.documents);
    expect(() => translated('cohere', request)).toThrow('ranks texts only');
  });
});

describe('forms of rerank: responses', () => {
  const scored = (score: string): JsonObject[] => [
    { index: 0, [score]: 0.1 },
    { index: 1, [score]: 0.9 },
  ];
  const results = scored('relevance_score');

  it.each<[string, JsonObject, JsonObject]>([
    [
      'cohere',
      { id: 'r1', results, meta: { billed_units: { search_units: 1 } } },
      { id: 'r1', meta: { billed_units: { search_units: 1 } } },
    ],
    ['jina', { results, usage: { total_tokens: 7 } }, { meta: { tokens: { input_tokens: 7 } } }],
    [
      'siliconflow',
      { id: 'r1', results, meta: { tokens: { input_tokens: 7, output_tokens: 0 } } },
      { id: 'r1', meta: { tokens: { input_tokens: 7 } } },
    ],
    ['vllm', { id: 'r1', results, usage: { total_tokens: 7 } }, { id: 'r1' }],
    ['voyage', { data: results, usage: { total_tokens: 7 } }, { meta: { tokens: { input_tokens: 7 } } }],
    ['mixedbread', { data: scored('score'), usage: { total_tokens: 7 } }, {}],
    ['nvidia-nim', { rankings: scored('logit') }, { id: 'req_1' }],
    ['deepinfra', { scores: [0.1, 0.9], input_tokens: 7 }, { meta: { tokens: { input_tokens: 7 } } }],
    ['deepinfra', { scores: [[0.1, 0.9]] }, {}],
    [
      'pinecone',
      { data: scored('score'), usage: { rerank_units: 1 } },
      { meta: { billed_units: { search_units: 1 } } },
    ],
    ['watsonx', { results: scored('score'), input_token_count: 7 }, {}],
    [
      'vertex',
      {
        records: [
          { id: '0', score: 0.1 },
          { id: '1', score: 0.9 },
        ],
      },
      {},
    ],
  ])('reads the response of %s, keeps the best and adds the documents', (name, body, more) => {
    const { response } = translated(name, { ...REQUEST, return_documents: true });
    expect(response(body)).toMatchObject({
      results: [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }],
      ...more,
    });
  });

  it.each([...RERANK_FORMS.keys()])('refuses a response of %s without results', (name) => {
    const { response } = translated(name, REQUEST);
    const entries: readonly unknown[] = [null, {}, { index: 0 }, { index: 7, relevance_score: 1, score: 1 }];
    const members = ['results', 'data', 'rankings', 'records', 'scores'];
    const broken: readonly JsonObject[] = [
      {},
      ...entries.map((entry) => Object.fromEntries(members.map((member) => [member, [entry]]))),
    ];
    for (const body of broken) expect(() => response(body)).toThrow(GatewayError);
  });
});
