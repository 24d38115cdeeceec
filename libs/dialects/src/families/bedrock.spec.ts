import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { targetOf, type Target } from '../target';
import { translateEmbeddings, type TranslatedEmbeddings } from './embeddings/translate-embeddings';
import { EMBEDDINGS_FORMS, IMAGES_FORMS, RERANK_FORMS } from './forms';
import { translateImages, type TranslatedImages } from './images/translate-images';
import { translateRerank, type TranslatedRerank } from './rerank/translate-rerank';

function found<T>(forms: ReadonlyMap<string, T>, name: string): T {
  const form = forms.get(name);
  if (form === undefined) throw new Error(`No form ${name}`);
  return form;
}
const targetFor = (model: string): Target =>
  targetOf({
    provider: 'bedrock',
    dialect: 'bedrock-converse',
    model,
    settings: { aws_region: 'us-gov-west-1' },
  });
const embeddings = (form: string, model: string, body: JsonObject): TranslatedEmbeddings =>
  translateEmbeddings(found(EMBEDDINGS_FORMS, form), body, targetFor(model), 'strict');
const images = (form: string, model: string, body: JsonObject): TranslatedImages =>
  translateImages(found(IMAGES_FORMS, form), body, {
    target: targetFor(model),
    loss: 'strict',
    createdAt: 1,
  });
const rerank = (model: string, body: JsonObject): TranslatedRerank =>
  translateRerank(found(RERANK_FORMS, 'bedrock-rerank'), body, {
    target: targetFor(model),
    loss: 'strict',
    requestId: 'req_1',
  });

function refused(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  return null;
}

describe('embeddings of Bedrock', () => {
  it.each([
    ['bedrock-titan', 'amazon.titan-embed-text-v2:0', { inputText: 'a', dimensions: 256 }],
    [
      'bedrock-titan',
      'amazon.titan-embed-image-v1',
      { inputText: 'a', embeddingConfig: { outputEmbeddingLength: 256 } },
    ],
    [
      'bedrock-cohere',
      'us.cohere.embed-v4:0',
      { texts: ['a'], input_type: 'search_document', embedding_types: ['float'], output_dimension: 256 },
    ],
    [
      'bedrock-nova',
      'amazon.nova-2-multimodal-embeddings-v1:0',
      {
        taskType: 'SINGLE_EMBEDDING',
        singleEmbeddingParams: {
          embeddingPurpose: 'GENERIC_INDEX',
          embeddingDimension: 256,
          text: { truncationMode: 'NONE', value: 'a' },
        },
      },
    ],
  ])('requests embeddings in the form %s for %s', (form, model, body) => {
    const [call] = embeddings(form, model, { input: 'a', dimensions: 256 }).calls;
    expect(call).toEqual({ path: `/model/${encodeURIComponent(model)}/invoke`, body });
  });

  it.each([
    ['bedrock-titan', 'amazon.titan-embed-text-v1'],
    ['bedrock-titan', 'amazon.titan-embed-text-v2:0'],
    ['bedrock-cohere', 'cohere.embed-english-v3'],
  ])('refuses dimensions that the model does not have: %s, %s', (form, model) => {
    expect(refused(() => embeddings(form, model, { input: 'a', dimensions: 300 }))).toEqual([
      'unsupported_by_provider',
      'dimensions',
    ]);
  });

  it('are one call for each text, whose tokens are summed', () => {
    const call = embeddings('bedrock-titan', 'amazon.titan-embed-text-v2:0', { input: ['a', 'b'] });
    const bodies = [
      { embedding: [1, 2], inputTextTokenCount: 3 },
      { embedding: [3, 4], inputTextTokenCount: 4 },
    ];
    expect(call.response(bodies)).toMatchObject({
      data: [
        { index: 0, embedding: [1, 2] },
        { index: 1, embedding: [3, 4] },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  it.each([
    [{ embeddings: [[1], [2]], response_type: 'embeddings_floats' }],
    [{ embeddings: { float: [[1], [2]] }, response_type: 'embeddings_by_type' }],
  ])('reads the tokens of Cohere from a header: %j', (body) => {
    const call = embeddings('bedrock-cohere', 'cohere.embed-english-v3', { input: ['a', 'b'] });
    expect(call.response([body], [{ 'x-amzn-bedrock-input-token-count': '5' }])).toMatchObject({
      data: [{ embedding: [1] }, { embedding: [2] }],
      usage: { prompt_tokens: 5 },
    });
    expect(call.response([body])).not.toHaveProperty('usage');
  });

  it.each([
    ['bedrock-titan', {}],
    ['bedrock-titan', { embedding: ['x'] }],
    ['bedrock-cohere', { embeddings: { int8: [[1]] } }],
    ['bedrock-nova', { embeddings: [{}] }],
    ['bedrock-nova', {}],
  ])('fails with 502 for a broken embeddings response: %s, %j', (form, body) => {
    expect(refused(() => embeddings(form, 'm', { input: 'a' }).response([body]))).toEqual([
      'provider_answer_invalid',
      undefined,
    ]);
  });
});

describe('rerank of Bedrock', () => {
  const documents = ['a', { text: 'b' }, { title: 'c' }];

  it('names the model by its ARN in the region of the settings', () => {
    const { call } = rerank('amazon.rerank-v1:0', { query: 'q', documents, top_n: 2 });
    expect(call.body).toEqual({
      queries: [{ type: 'TEXT', textQuery: { text: 'q' } }],
      sources: [
        { type: 'INLINE', inlineDocumentSource: { type: 'TEXT', textDocument: { text: 'a' } } },
        { type: 'INLINE', inlineDocumentSource: { type: 'TEXT', textDocument: { text: 'b' } } },
        { type: 'INLINE', inlineDocumentSource: { type: 'JSON', jsonDocument: { title: 'c' } } },
      ],
      rerankingConfiguration: {
        type: 'BEDROCK_RERANKING_MODEL',
        bedrockRerankingConfiguration: {
          modelConfiguration: {
            modelArn: 'arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/amazon.rerank-v1:0',
          },
          numberOfResults: 2,
        },
      },
    });
  });

  it('returns the results by score, with the documents of the request if requested', () => {
    const call = rerank('amazon.rerank-v1:0', { query: 'q', documents, return_documents: true });
    const results = [
      { index: 0, relevanceScore: 0.1 },
      { index: 2, relevanceScore: 0.9 },
    ];
    expect(call.response({ results }, { 'x-amzn-requestid': 'aws-1' })).toMatchObject({
      id: 'aws-1',
      results: [
        { index: 2, relevance_score: 0.9, document: { title: 'c' } },
        { index: 0, relevance_score: 0.1, document: { text: 'a' } },
      ],
    });
  });

  it.each([[{}], [{ results: [{ index: 7, relevanceScore: 1 }] }], [{ results: [{ index: 0 }] }]])(
    'fails with 502 for a broken rerank response: %j',
    (body) => {
      expect(refused(() => rerank('m', { query: 'q', documents }).response(body))).toEqual([
        'provider_answer_invalid',
        undefined,
      ]);
    },
  );
});

describe('images of Bedrock', () => {
  it('are made by Nova Canvas, up to five in a call', () => {
    const call = images('bedrock-canvas', 'amazon.nova-canvas-v1:0', {
      prompt: 'p',
      n: 3,
      size: '1024x1024',
    });
    expect(call.calls).toEqual([
      {
        path: '/model/amazon.nova-canvas-v1%3A0/invoke',
        body: {
          taskType: 'TEXT_IMAGE',
          textToImageParams: { text: 'p' },
          imageGenerationConfig: { numberOfImages: 3, width: 1_024, height: 1_024 },
        },
      },
    ]);
    expect(call.response([{ images: ['AAAA', 'BBBB'], error: null }])).toMatchObject({
      body: { data: [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }] },
    });
    expect(call.response([{ images: [], error: 'blocked by policy' }])).toMatchObject({
      fault: { class: 'blocked', message: 'blocked by policy' },
    });
  });

  it('are one in each call of Stability', () => {
    const body = { prompt: 'p', n: 2, size: '1536x1024', output_format: 'jpeg' };
    const call = images('bedrock-stability', 'stability.stable-image-core-v1:1', body);
    expect(call.calls.map((made) => made.body)).toEqual([
      { prompt: 'p', mode: 'text-to-image', aspect_ratio: '3:2', output_format: 'jpeg' },
      { prompt: 'p', mode: 'text-to-image', aspect_ratio: '3:2', output_format: 'jpeg' },
    ]);
    expect(
      call.response([
        { images: ['AAAA'], finish_reasons: [null] },
        { finish_reasons: ['Filter reason: prompt'] },
      ]),
    ).toMatchObject({
      body: { data: [{ b64_json: 'AAAA' }] },
    });
  });

  it.each([
    ['size', { size: '100x100' }],
    ['output_format', { output_format: 'webp' }],
    ['background', { background: 'transparent' }],
  ])('refuses images that the model cannot generate: %s', (param, body) => {
    expect(
      refused(() => images('bedrock-canvas', 'amazon.nova-canvas-v1:0', { prompt: 'p', ...body })),
    ).toEqual(['unsupported_by_provider', param]);
  });

  it('of a broken response are a 502', () => {
    const call = images('bedrock-canvas', 'amazon.nova-canvas-v1:0', { prompt: 'p' });
    expect(refused(() => call.response([{ images: 'x' }]))).toEqual(['provider_answer_invalid', undefined]);
  });
});
