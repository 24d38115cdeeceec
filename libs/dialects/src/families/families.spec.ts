import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import type { LossMode } from '@gw/kernel';
import { targetOf, type Target } from '../target';
import type { EmbeddingsForm } from './embeddings/embeddings';
import { geminiEmbeddings } from './embeddings/gemini';
import { translateEmbeddings, type TranslatedEmbeddings } from './embeddings/translate-embeddings';
import { vertexEmbeddings } from './embeddings/vertex';
import { geminiImages } from './images/gemini';
import type { ImagesForm } from './images/images';
import { translateImages, type TranslatedImages } from './images/translate-images';
import { imagenImages } from './images/vertex-imagen';

const targetFor = (provider: string, model: string): Target =>
  targetOf({ provider, dialect: 'gemini', model });

function refusal(run: () => unknown): { type: string; param: string | undefined } {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { type: thrown.type, param: thrown.options.param };
    throw thrown;
  }
  throw new Error('The request was not refused.');
}

const embeddings = (
  form: EmbeddingsForm,
  request: JsonObject,
  target = targetFor('google', 'gemini-embedding-001'),
): TranslatedEmbeddings => translateEmbeddings(form, { model: 'm', ...request }, target, 'strict');

describe('embeddings of Google', () => {
  const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

  it('splits more inputs than one call accepts, keeps their order and joins the vectors', () => {
    const { calls, response } = embeddings(geminiEmbeddings, {
      input: texts(250),
      input_type: 'search_query',
    });
    const sizes = calls.map(({ body }) => (body['requests'] as JsonObject[]).length);
    expect(sizes).toEqual([100, 100, 50]);
    expect((calls[2]?.body['requests'] as JsonObject[])[49]).toEqual({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text: '249' }] },
      taskType: 'RETRIEVAL_QUERY',
    });
    const bodies = sizes.map((size, call) => ({
      embeddings: Array.from({ length: size }, (_, at) => ({ values: [call, at] })),
    }));
    const body = response(bodies);
    expect((body['data'] as JsonObject[])[249]).toEqual({
      object: 'embedding',
      index: 249,
      embedding: [2, 49],
    });
    expect(body['usage']).toBeUndefined();
  });

  it('sums the tokens that Vertex counts', () => {
    const { calls, response } = embeddings(
      vertexEmbeddings,
      { input: ['a', 'b'], dimensions: 8, input_type: 'clustering' },
      targetFor('vertex-ai', 'text-embedding-005'),
    );
    expect(calls).toEqual([
      {
        path: '/publishers/google/models/text-embedding-005:predict',
        body: {
          instances: [
            { content: 'a', task_type: 'CLUSTERING' },
            { content: 'b', task_type: 'CLUSTERING' },
          ],
          parameters: { outputDimensionality: 8 },
        },
      },
    ]);
    const predictions = [3, 4].map((count) => ({
      embeddings: { values: [count], statistics: { token_count: count, truncated: false } },
    }));
    expect(response([{ predictions }])['usage']).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  });

  it('sends one text per call to Gemini models of Vertex, to newer ones with embedContent', () => {
    const first = embeddings(
      vertexEmbeddings,
      { input: ['a', 'b'] },
      targetFor('vertex-ai', 'gemini-embedding-001'),
    );
    expect(first.calls.map(({ path }) => path)).toEqual(
      Array(2).fill('/publishers/google/models/gemini-embedding-001:predict'),
    );
    const newer = embeddings(
      vertexEmbeddings,
      { input: 'a', dimensions: 8 },
      targetFor('vertex-ai', 'gemini-embedding-2'),
    );
    expect(newer.calls).toEqual([
      {
        path: '/publishers/google/models/gemini-embedding-2:embedContent',
        body: { content: { parts: [{ text: 'a' }] }, embedContentConfig: { outputDimensionality: 8 } },
      },
    ]);
    expect(
      newer.response([{ embedding: { values: [1] }, usageMetadata: { promptTokenCount: 2 } }])['usage'],
    ).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  it.each<[string, string, JsonObject]>([
    ['validation_failed', 'input', {}],
    ['validation_failed', 'input', { input: [] }],
    ['validation_failed', 'input.1', { input: ['a', {}] }],
    ['validation_failed', 'input', { input: texts(2_049) }],
    ['unsupported_by_provider', 'input', { input: [1, 2] }],
    ['unsupported_by_provider', 'input', { input: [[1, 2]] }],
    ['validation_failed', 'dimensions', { input: 'a', dimensions: 0 }],
    ['validation_failed', 'encoding_format', { input: 'a', encoding_format: 'hex' }],
    ['validation_failed', 'input_type', { input: 'a', input_type: 'x' }],
  ])('refuses with %s for %s', (type, param, request) => {
    expect(refusal(() => embeddings(geminiEmbeddings, request))).toEqual({ type, param });
  });

  it('treats encoding_format null as absent, and drops hints', () => {
    const { losses } = embeddings(geminiEmbeddings, {
      input: 'a',
      encoding_format: null,
      user: 'u',
      extra: null,
    });
    expect(losses.losses).toEqual([{ path: 'user', code: 'dropped' }]);
  });

  it.each([
    [{}],
    [{ embeddings: [] }],
    [{ embeddings: [{ values: ['x'] }] }],
    [{ embeddings: [{ values: [1] }, { values: [2] }] }],
  ])('refuses the response %j', (body) => {
    const { response } = embeddings(geminiEmbeddings, { input: 'a' });
    expect(refusal(() => response([body])).type).toBe('provider_answer_invalid');
  });
});

const images = (
  form: ImagesForm,
  request: JsonObject,
  model: string,
  loss: LossMode = 'strict',
): TranslatedImages =>
  translateImages(
    form,
    { prompt: 'p', ...request },
    { target: targetFor('vertex-ai', model), loss, createdAt: 5 },
  );
const imagen = (request: JsonObject, loss?: LossMode): TranslatedImages =>
  images(imagenImages, request, 'imagen-4.0-generate-001', loss);
const gemini = (request: JsonObject, model = 'gemini-2.5-flash-image'): TranslatedImages =>
  images(geminiImages, request, model);

describe('images of Google', () => {
  it('translates size, format and compression for Imagen', () => {
    const { calls, losses } = imagen({
      size: '1792x1024',
      output_format: 'jpeg',
      output_compression: 80,
      quality: 'auto',
    });
    expect(calls).toEqual([
      {
        path: '/publishers/google/models/imagen-4.0-generate-001:predict',
        body: {
          instances: [{ prompt: 'p' }],
          parameters: {
            sampleCount: 1,
            aspectRatio: '16:9',
            includeRaiReason: true,
            outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
          },
        },
      },
    ]);
    expect(losses.losses).toEqual([{ path: 'size', code: 'approximated', to: 'aspectRatio 16:9' }]);
    expect(imagen({ output_compression: 80 }).losses.losses).toEqual([
      { path: 'output_compression', code: 'dropped' },
    ]);
    expect(imagen({ size: '2048x2048' }).calls[0]?.body['parameters']).toMatchObject({
      aspectRatio: '1:1',
      sampleImageSize: '2K',
    });
  });

  it.each<[string, string, JsonObject]>([
    ['validation_failed', 'prompt', { prompt: null }],
    ['validation_failed', 'n', { n: 11 }],
    ['validation_failed', 'size', { size: 'large' }],
    ['validation_failed', 'output_format', { output_format: 'gif' }],
    ['unsupported_by_provider', 'n', { n: 5 }],
    ['unsupported_by_provider', 'size', { size: '1536x1024' }],
    ['unsupported_by_provider', 'response_format', { response_format: 'url' }],
    ['unsupported_by_provider', 'stream', { stream: true }],
    ['unsupported_by_provider', 'background', { background: 'transparent' }],
    ['unsupported_by_provider', 'output_format', { output_format: 'webp' }],
  ])('refuses with %s for %s', (type, param, request) => {
    expect(refusal(() => imagen(request))).toEqual({ type, param });
  });

  it('requests as many images as Imagen supports in adapt', () => {
    expect(imagen({ n: 9 }, 'adapt').calls[0]?.body['parameters']).toMatchObject({ sampleCount: 4 });
  });

  it('returns the images that the filter of Imagen left, and an error if it left none', () => {
    const filtered = { raiFilteredReason: 'Blocked.' };
    expect(
      imagen({ n: 2 }).response([
        { predictions: [filtered, { bytesBase64Encoded: 'QQ==', prompt: 'better' }] },
      ]),
    ).toEqual({
      body: { created: 5, data: [{ b64_json: 'QQ==', revised_prompt: 'better' }] },
    });
    const fault = { class: 'blocked', status: 400, code: 'content_filter' };
    expect(imagen({}).response([{ predictions: [filtered] }])).toEqual({
      fault: { ...fault, message: 'Blocked.' },
    });
    expect(imagen({}).response([{}])).toMatchObject({ fault });
    expect(refusal(() => imagen({}).response([{ error: {} }])).type).toBe('provider_answer_invalid');
  });

  it('calls a Gemini model once for each image and sums the usage', () => {
    const { calls, response } = gemini({ n: 2, size: '1024x1536' });
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual({
      path: '/publishers/google/models/gemini-2.5-flash-image:generateContent',
      body: {
        contents: [{ role: 'user', parts: [{ text: 'p' }] }],
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '2:3' } },
      },
    });
    const part = (data: string, more: JsonObject = {}): JsonObject => ({
      inlineData: { mimeType: 'image/png', data },
      ...more,
    });
    const made = (data: string): JsonObject => ({
      candidates: [
        {
          content: { parts: [{ text: 'Here.' }, part('draft', { thought: true }), part(data)] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1_290 },
    });
    expect(response([made('QQ=='), made('Qg==')])).toEqual({
      body: {
        created: 5,
        data: [{ b64_json: 'QQ==' }, { b64_json: 'Qg==' }],
        usage: {
          input_tokens: 8,
          output_tokens: 2_580,
          total_tokens: 2_588,
          input_tokens_details: { text_tokens: 8, image_tokens: 0 },
        },
      },
    });
  });

  it('reports why a Gemini model generated no image', () => {
    expect(gemini({}).response([{ promptFeedback: { blockReason: 'SAFETY' } }])).toMatchObject({
      fault: { class: 'blocked' },
    });
    expect(
      gemini({}).response([{ candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Unsafe.' }] }]),
    ).toMatchObject({ fault: { message: 'Unsafe.' } });
    expect(refusal(() => gemini({}).response([{ candidates: [{ finishReason: 'STOP' }] }])).type).toBe(
      'provider_answer_invalid',
    );
  });

  it('names large sizes for Gemini 3 only', () => {
    const config = (model: string): unknown =>
      gemini({ size: '4096x4096' }, model).calls[0]?.body['generationConfig'];
    expect(config('gemini-3-pro-image-preview')).toMatchObject({
      imageConfig: { aspectRatio: '1:1', imageSize: '4K' },
    });
    expect(config('gemini-2.5-flash-image')).toMatchObject({ imageConfig: { aspectRatio: '1:1' } });
  });
});
