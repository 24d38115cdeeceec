import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import { StubProvider, type RecordedRequest } from '@gw/testing';
import type { GatewayHarness } from '../spec-support/harness';
import { openaiThroughGateway } from '../spec-support/openai-client';

const FILE = { id: 'file-1', object: 'file', bytes: 5, created_at: 1, filename: 'a.jsonl', purpose: 'batch' };
const BATCH = {
  id: 'batch_1',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  input_file_id: 'file-1',
  status: 'completed',
  output_file_id: 'file-out',
};
const JOB = { id: 'ftjob-1', object: 'fine_tuning.job', model: 'gpt-4o-mini', status: 'running' };
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  model: 'gpt-4o',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello!', annotations: [] }],
    },
  ],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
};
const page = (item: object) => ({ object: 'list', data: [item], has_more: false });

describe('openai’s client, with only base URL and headers changed', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let openai: OpenAI;

  beforeAll(async () => {
    ({ gateway, stub, openai } = await openaiThroughGateway());
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  /** Method and path of every request that the provider received. */
  const requests = (): string[] => stub.requests.map(({ method, url }) => `${method} ${url}`);
  const formOf = ({ body, headers }: RecordedRequest): Promise<FormData> =>
    new Response(Uint8Array.from(body), {
      headers: { 'content-type': headers['content-type'] as string },
    }).formData();
  const bytesIn = async (form: FormData, name: string): Promise<Buffer> =>
    Buffer.from(await (form.get(name) as File).arrayBuffer());

  it('[SVC-03] uploads a file byte for byte, and lists, gets and deletes it', async () => {
    const bytes = randomBytes(200_000);
    stub.respondJson(FILE);
    expect(await openai.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'batch' })).toMatchObject(
      FILE,
    );
    const form = await formOf(stub.lastRequest);
    expect((await bytesIn(form, 'file')).equals(bytes)).toBe(true);
    expect(form.get('purpose')).toBe('batch');
    await openai.files.retrieve('file-1');
    await openai.files.delete('file-1');
    stub.respondJson(page(FILE));
    expect((await openai.files.list({ purpose: 'batch' })).data).toMatchObject([FILE]);
    expect(requests()).toEqual([
      'POST /v1/files',
      'GET /v1/files/file-1',
      'DELETE /v1/files/file-1',
      'GET /v1/files?purpose=batch',
    ]);
  });

  it('[FIL-01] gets the raw content of a file, binary and compressed alike', async () => {
    const bytes = randomBytes(100_000);
    stub.respond({ headers: { 'content-type': 'application/octet-stream' }, body: bytes });
    const content = await openai.files.content('file-1');
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    expect(content.headers.get('content-type')).toBe('application/octet-stream');
    expect(requests()).toEqual(['GET /v1/files/file-1/content']);

    stub.respond({
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: gzipSync('a line\n'),
    });
    expect(await (await openai.files.content('file-1')).text()).toBe('a line\n');
  });

  it('creates, gets, lists and cancels batches', async () => {
    stub.respondJson(BATCH);
    const created = await openai.batches.create({
      completion_window: '24h',
      endpoint: '/v1/chat/completions',
      input_file_id: 'file-1',
    });
    expect(created.id).toBe('batch_1');
    await openai.batches.retrieve('batch_1');
    await openai.batches.cancel('batch_1');
    stub.respondJson(page(BATCH));
    expect((await openai.batches.list()).data).toHaveLength(1);
    expect(requests()).toEqual([
      'POST /v1/batches',
      'GET /v1/batches/batch_1',
      'POST /v1/batches/batch_1/cancel',
      'GET /v1/batches',
    ]);
  });

  describe('output of a batch', () => {
    const output = (): Promise<Response> =>
      fetch(`${gateway.baseUrl}/batches/batch_1/output`, {
        headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
      });
    const respondBatch = (batch: object, status = 200): void => {
      stub.respond(
        { status, body: batch },
        { headers: { 'content-type': 'text/plain' }, body: '{"a":1}\n{"b":2}\n' },
      );
    };

    it('[SVC-03] is the content of its output file, from the same provider and with its credential', async () => {
      respondBatch(BATCH);
      const response = await output();
      expect(await response.text()).toBe('{"a":1}\n{"b":2}\n');
      expect(requests()).toEqual(['GET /v1/batches/batch_1', 'GET /v1/files/file-out/content']);
      for (const { headers } of stub.requests) expect(headers['authorization']).toBe('Bearer sk-main');
      const record = (await gateway.records()).at(-1);
      expect(record).toMatchObject({ route: 'batches.output', status: 200, outcome: 'ok' });
    });

    it('is the error file if all its requests failed', async () => {
      respondBatch({ ...BATCH, output_file_id: null, error_file_id: 'file-err' });
      expect((await output()).status).toBe(200);
      expect(requests()).toContain('GET /v1/files/file-err/content');
    });

    it('is a 404 with the status of the batch while there is none', async () => {
      respondBatch({ ...BATCH, status: 'in_progress', output_file_id: null });
      const response = await output();
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error: { type: 'not_found', batch_status: 'in_progress' },
      });
      expect(requests()).toEqual(['GET /v1/batches/batch_1']);
    });

    it('is read only from the provider’s files, whatever the batch names', async () => {
      respondBatch({ ...BATCH, output_file_id: '../../admin?x=' });
      await output();
      expect(requests().at(-1)).toBe('GET /v1/files/..%2F..%2Fadmin%3Fx%3D/content');
    });

    it('is the error of the provider if the batch is not found', async () => {
      respondBatch({ error: { message: 'No such batch' } }, 404);
      const response = await output();
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error: { message: 'No such batch', provider: 'openai' },
      });
    });

    it('is a 502 if the provider’s batch cannot be parsed', async () => {
      stub.respond({ body: 'not JSON' });
      expect((await output()).status).toBe(502);
    });
  });

  it('creates, gets, lists and cancels fine-tuning jobs, and lists their events and checkpoints', async () => {
    stub.respondJson(JOB);
    const { jobs } = openai.fineTuning;
    expect(await jobs.create({ model: 'gpt-4o-mini', training_file: 'file-1' })).toMatchObject(JOB);
    await jobs.retrieve('ftjob-1');
    await jobs.cancel('ftjob-1');
    stub.respondJson(page(JOB));
    await jobs.list({ limit: 2 });
    await jobs.listEvents('ftjob-1');
    await jobs.checkpoints.list('ftjob-1');
    expect(requests()).toEqual([
      'POST /v1/fine_tuning/jobs',
      'GET /v1/fine_tuning/jobs/ftjob-1',
      'POST /v1/fine_tuning/jobs/ftjob-1/cancel',
      'GET /v1/fine_tuning/jobs?limit=2',
      'GET /v1/fine_tuning/jobs/ftjob-1/events',
      'GET /v1/fine_tuning/jobs/ftjob-1/checkpoints',
    ]);
  });

  it('generates, edits and varies images', async () => {
    const image = randomBytes(50_000);
    stub.respondJson({
      created: 1,
      data: [{ b64_json: 'aGk=' }],
      usage: { input_tokens: 4, output_tokens: 8, total_tokens: 12 },
    });
    const made = await openai.images.generate({ model: 'gpt-image-1', prompt: 'A cat' });
    expect(made.data?.[0]?.b64_json).toBe('aGk=');
    expect((await gateway.records()).at(-1)).toMatchObject({ usage: { inputTokens: 4, outputTokens: 8 } });
    await openai.images.edit({ model: 'gpt-image-1', image: await toFile(image, 'a.png'), prompt: 'A hat' });
    expect((await bytesIn(await formOf(stub.lastRequest), 'image')).equals(image)).toBe(true);
    await openai.images.createVariation({ image: await toFile(image, 'a.png') });
    expect(requests()).toEqual([
      'POST /v1/images/generations',
      'POST /v1/images/edits',
      'POST /v1/images/variations',
    ]);
  });

  it('converts text to speech, and transcribes and translates a recording', async () => {
    const audio = randomBytes(80_000);
    stub.respond({ headers: { 'content-type': 'audio/mpeg' }, body: audio });
    const speech = await openai.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello' });
    expect(Buffer.from(await speech.arrayBuffer()).equals(audio)).toBe(true);
    expect(speech.headers.get('content-type')).toBe('audio/mpeg');

    stub.respondJson({ text: 'Hello' });
    const file = await toFile(audio, 'a.mp3');
    expect((await openai.audio.transcriptions.create({ model: 'whisper-1', file })).text).toBe('Hello');
    expect((await bytesIn(await formOf(stub.lastRequest), 'file')).equals(audio)).toBe(true);
    expect((await openai.audio.translations.create({ model: 'whisper-1', file })).text).toBe('Hello');
    expect(requests()).toEqual([
      'POST /v1/audio/speech',
      'POST /v1/audio/transcriptions',
      'POST /v1/audio/translations',
    ]);
  });

  it('reads the model of a form, for the log and the allow-list, and to select the saved provider', async () => {
    const whisper = {
      slug: 'whisper-1',
      enabled: true,
      isCustom: false,
      baseModelSlug: null,
      customHost: null,
      customHeaders: {},
      price: null,
    };
    gateway.addProvider('listed', 'openai', stub.origin, { allowAllModels: false, models: [whisper] });
    const plain = openai.withOptions({ defaultHeaders: { 'x-gw-provider': null } });
    stub.respondJson({ text: 'Hello' });
    const file = await toFile(randomBytes(1_000), 'a.mp3');
    await plain.audio.transcriptions.create({ model: '@listed/whisper-1', file });
    expect((await formOf(stub.lastRequest)).get('model')).toBe('whisper-1');
    expect((await bytesIn(await formOf(stub.lastRequest), 'file')).length).toBe(1_000);
    expect((await gateway.records()).at(-1)).toMatchObject({ credential: 'listed', model: 'whisper-1' });
    await expect(plain.audio.transcriptions.create({ model: '@listed/other', file })).rejects.toMatchObject({
      status: 412,
    });
    expect(stub.requests).toHaveLength(1);
  });

  it('streams a transcription to its own end event, without [DONE]', async () => {
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      {
        type: 'transcript.text.done',
        text: 'Hello',
        usage: { type: 'tokens', input_tokens: 9, output_tokens: 2, total_tokens: 11 },
      },
    ];
    stub.respondEvents(events);
    const stream = await openai.audio.transcriptions.create({
      model: 'gpt-4o-transcribe',
      file: await toFile(Buffer.from('x'), 'a.mp3'),
      stream: true,
    });
    const seen: unknown[] = [];
    for await (const event of stream) seen.push(event);
    expect(seen).toEqual(events);
    expect((await gateway.records()).at(-1)).toMatchObject({
      outcome: 'ok',
      usage: { inputTokens: 9, outputTokens: 2 },
    });
  });

  it('[MOD-01] classifies a text', async () => {
    const result = { flagged: false, categories: { hate: false }, category_scores: { hate: 0.1 } };
    stub.respondJson({ id: 'modr-1', model: 'text-moderation-007', results: [result] });
    expect((await openai.moderations.create({ input: 'Hi' })).results).toEqual([result]);
    await expect(openai.moderations.create({ input: 5 as unknown as string })).rejects.toMatchObject({
      status: 400,
      param: 'input',
      code: 'AB01',
      type: 'validation_failed',
    });
    expect(requests()).toEqual(['POST /v1/moderations']);
  });

  it('creates, gets, cancels and deletes responses, and lists their input', async () => {
    stub.respondJson(RESPONSE);
    const created = await openai.responses.create({ model: 'gpt-4o', input: 'Hi' });
    expect(created.output_text).toBe('Hello!');
    expect((await gateway.records()).at(-1)).toMatchObject({
      route: 'responses.create',
      model: 'gpt-4o',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    await openai.responses.retrieve('resp_1');
    await openai.responses.cancel('resp_1');
    await openai.responses.delete('resp_1');
    stub.respondJson(page({ id: 'm', type: 'message' }));
    await openai.responses.inputItems.list('resp_1');
    expect(requests()).toEqual([
      'POST /v1/responses',
      'GET /v1/responses/resp_1',
      'POST /v1/responses/resp_1/cancel',
      'DELETE /v1/responses/resp_1',
      'GET /v1/responses/resp_1/input_items',
    ]);
  });

  it('streams a response to its own end event, without [DONE]', async () => {
    const events = [
      { type: 'response.output_text.delta', delta: 'Hello!', sequence_number: 1 },
      { type: 'response.completed', response: RESPONSE, sequence_number: 2 },
    ];
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: events.map((event) => ({ chunk: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
    });
    const seen: unknown[] = [];
    for await (const event of await openai.responses.create({ model: 'gpt-4o', input: 'Hi', stream: true }))
      seen.push(event);
    expect(seen).toEqual(events);
    expect((await gateway.records()).at(-1)).toMatchObject({ outcome: 'ok', usage: { inputTokens: 7 } });
  });

  it('[CMP-04] streams a completion as data-only events up to [DONE]', async () => {
    const chunk = (text: string) => ({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text, index: 0, logprobs: null, finish_reason: null }],
    });
    stub.respondEvents([chunk('Hel'), chunk('lo'), '[DONE]']);
    const raw = await openai.completions.create({ model: 'm', prompt: 'Hi', stream: true }).asResponse();
    expect(await raw.text()).toBe(
      `data: ${JSON.stringify(chunk('Hel'))}\n\ndata: ${JSON.stringify(chunk('lo'))}\n\ndata: [DONE]\n\n`,
    );
    let text = '';
    for await (const event of await openai.completions.create({ model: 'm', prompt: 'Hi', stream: true })) {
      expect(event.object).toBe('text_completion');
      text += event.choices[0]?.text ?? '';
    }
    expect(text).toBe('Hello');
  });

  it('[CMP-01] forwards every field of a completion byte for byte', async () => {
    stub.respondJson({
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [],
      system_fingerprint: 'fp',
    });
    const body = {
      model: 'm',
      prompt: ['a', 'b'],
      best_of: 3,
      echo: true,
      frequency_penalty: -2,
      logit_bias: { '50256': -100 },
      logprobs: 5,
      max_tokens: 0,
      n: 2,
      presence_penalty: 2,
      seed: -5,
      stop: ['w', 'x', 'y', 'z'],
      suffix: '!',
      temperature: 2,
      top_p: 1,
      user: 'u1',
    };
    expect((await openai.completions.create(body)).system_fingerprint).toBe('fp');
    expect(stub.lastRequest.body.toString()).toBe(JSON.stringify(body));
  });
});
