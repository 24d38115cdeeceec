import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../call';
import { targetOf } from '../../target';
import { EMBEDDINGS_FORMS } from '../forms';
import { translateEmbeddings, type TranslatedEmbeddings } from './translate-embeddings';

function translated(name: string, request: JsonObject, model = 'm'): TranslatedEmbeddings {
  const form = EMBEDDINGS_FORMS.get(name);
  if (form === undefined) throw new Error(`No form ${name}`);
  const target = targetOf({
    provider: name,
    dialect: 'openai-chat',
    model,
    settings: { watsonx_project_id: 'p1' },
  });
  return translateEmbeddings(form, request, target, 'strict');
}

const bodyOf = (name: string, request: JsonObject, model?: string): JsonObject =>
  JSON.parse(JSON.stringify(translated(name, request, model).calls[0]?.body)) as JsonObject;

describe('forms of embeddings: requests', () => {
  const request = { input: ['a', 'b'], dimensions: 256, input_type: 'search_query' };

  it.each([
    [
      'cohere-v2',
      '/v2/embed',
      {
        model: 'embed-v4.0',
        texts: ['a', 'b'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 256,
      },
    ],
    ['ollama', '/embed', { model: 'embed-v4.0', input: ['a', 'b'], dimensions: 256 }],
    [
      'voyage',
      '/embeddings',
      { model: 'embed-v4.0', input: ['a', 'b'], output_dimension: 256, input_type: 'query' },
    ],
    [
      'jina',
      '/embeddings',
      { model: 'embed-v4.0', input: ['a', 'b'], dimensions: 256, task: 'retrieval.query' },
    ],
    ['mistral', '/embeddings', { model: 'embed-v4.0', input: ['a', 'b'], output_dimension: 256 }],
    [
      'nvidia-nim',
      '/embeddings',
      { model: 'embed-v4.0', input: ['a', 'b'], dimensions: 256, input_type: 'query' },
    ],
    [
      'nomic',
      '/embedding/text',
      { model: 'embed-v4.0', texts: ['a', 'b'], task_type: 'search_query', dimensionality: 256 },
    ],
    [
      'pinecone',
      '/embed',
      {
        model: 'embed-v4.0',
        parameters: { input_type: 'query', dimension: 256 },
        inputs: [{ text: 'a' }, { text: 'b' }],
      },
    ],
  ])('writes the request of %s', (name, path, body) => {
    const { calls } = translated(name, request, 'embed-v4.0');
    expect(calls).toEqual([{ path, body }]);
  });

  it('forwards members that only the provider has, with its own names of purposes, and drops those of OpenAI', () => {
    const own = { input: 'a', input_type: 'document', truncation: false, user: 'u' };
    const { calls, losses } = translated('voyage', own);
    expect(calls[0]?.body).toEqual({ model: 'm', input: ['a'], input_type: 'document', truncation: false });
    expect(losses.losses).toEqual([{ path: 'user', code: 'dropped' }]);
    expect(() => translated('voyage', { ...own, input_type: 'toString' })).toThrow(
      /input_type must be one of/,
    );
  });

  it('writes the request of watsonx, which has vectors of one length', () => {
    const { calls } = translated('watsonx', { input: 'a' });
    expect(calls).toEqual([
      { path: '/text/embeddings', body: { model_id: 'm', project_id: 'p1', inputs: ['a'] } },
    ]);
  });

  it.each([
    ['cohere-v2', 'search_document', 'embed-v4.0'],
    ['nvidia-nim', 'passage', 'm'],
  ])('sends %s the purpose of documents if the client names none', (name, type, model) => {
    const { calls, losses } = translated(name, { input: 'a' }, model);
    expect(calls[0]?.body['input_type']).toBe(type);
    expect(losses.losses).toEqual([{ path: 'input_type', code: 'generated', to: type }]);
  });

  it.each(['ollama', 'mistral', 'watsonx'])(
    'reports that %s has no word for what the vectors are for',
    (name) => {
      const { losses } = translated(name, { input: 'a', input_type: 'clustering' });
      expect(losses.losses).toEqual([{ path: 'input_type', code: 'dropped' }]);
    },
  );

  it('sends a cluster task to Jina, and nothing to Voyage', () => {
    expect(bodyOf('jina', { input: 'a', input_type: 'clustering' })).toEqual({
      model: 'm',
      input: ['a'],
      task: 'separation',
    });
    expect(bodyOf('voyage', { input: 'a', input_type: 'clustering' })).toEqual({ model: 'm', input: ['a'] });
  });

  it.each([
    ['cohere-v2', 'embed-english-v3.0'],
    ['watsonx', 'm'],
  ])('refuses dimensions for %s %s', (name, model) => {
    expect(() => translated(name, { input: 'a', dimensions: 64 }, model)).toThrow(GatewayError);
  });

  it('takes encoding_format null for Cohere, and refuses tokens as input', () => {
    expect(translated('cohere-v2', { input: 'a', encoding_format: null }).calls).toHaveLength(1);
    expect(() => translated('cohere-v2', { input: [[1, 2]] })).toThrow('texts, not tokens');
  });

  it.each([
    ['cohere-v2', 96],
    ['pinecone', 96],
    ['voyage', 1_000],
    ['watsonx', 1_000],
  ])('splits the inputs of %s into calls of %i', (name, size) => {
    const input = Array.from({ length: size + 1 }, () => 'a');
    expect(translated(name, { input }).calls).toHaveLength(2);
  });
});

describe('forms of embeddings: responses', () => {
  const expected = {
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [1, 2] },
      { object: 'embedding', index: 1, embedding: [3, 4] },
    ],
    model: 'm',
    usage: { prompt_tokens: 5, total_tokens: 5 },
  };
  const listed = [
    { index: 1, embedding: [3, 4] },
    { index: 0, embedding: [1, 2] },
  ];
  const pair = [
    [1, 2],
    [3, 4],
  ];

  it.each<[string, JsonObject]>([
    ['cohere-v2', { embeddings: { float: pair }, meta: { billed_units: { input_tokens: 5 } } }],
    ['ollama', { model: 'x', embeddings: pair, prompt_eval_count: 5 }],
    ['voyage', { object: 'list', data: listed, usage: { total_tokens: 5 } }],
    ['jina', { data: listed, usage: { total_tokens: 5, prompt_tokens: 5 } }],
    ['mistral', { data: listed, usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } }],
    ['nvidia-nim', { data: listed, usage: { prompt_tokens: 5, total_tokens: 5 } }],
    ['nomic', { embeddings: pair, usage: { prompt_tokens: 5, total_tokens: 5 } }],
    ['watsonx', { results: [{ embedding: [1, 2] }, { embedding: [3, 4] }], input_token_count: 5 }],
    ['pinecone', { data: [{ values: [1, 2] }, { values: [3, 4] }], usage: { total_tokens: 5 } }],
  ])('reads the response of %s', (name, body) => {
    const { response } = translated(name, { model: 'm', input: ['a', 'b'] });
    expect(response([body])).toEqual(expected);
  });

  it.each([...EMBEDDINGS_FORMS.keys()])('refuses a response of %s without vectors', (name) => {
    const { response } = translated(name, { model: 'm', input: 'a' });
    const broken: readonly JsonObject[] = [
      {},
      { embeddings: {} },
      { embeddings: [null] },
      { data: [null] },
      { data: [{ embedding: 'x' }] },
      { results: 1, data: 1, embeddings: 1 },
      { error: 'no' },
    ];
    for (const body of broken) expect(() => response([body])).toThrow(GatewayError);
  });
});
