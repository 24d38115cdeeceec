import type { UsageLimitRule } from '@gw/contracts';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { budget } from '../limits/spec-support/cent-calls';

const USAGE = { prompt_tokens: 100_000, completion_tokens: 50_000 };
/** At 2.50 and 10 USD per million tokens, and at 0.15 and 0.60. */
const OF_4O = 75_000_000;
const OF_MINI = 4_500_000;

describe('charge for a response', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const keyWith = (...usageLimits: UsageLimitRule[]): string => {
    keys += 1;
    const key = `chargedKey${String(keys).padStart(22, '0')}`;
    gateway.addKey(key, { id: `key-${String(keys)}`, usageLimits });
    return key;
  };
  const send = (body: object, more: { key?: string; path?: string; provider?: string } = {}) =>
    fetch(`${gateway.baseUrl}${more.path ?? '/chat/completions'}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': more.key ?? gateway.apiKey,
        'x-gw-provider': more.provider ?? '@main',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const CHAT = { messages: [{ role: 'user', content: 'hi' }] };
  const respondBy = (model: string): void => {
    stub.respondJson({ id: 'a', model, choices: [], usage: USAGE });
  };

  describe('by the model', () => {
    it.each([
      ['gpt-4o-mini', 'gpt-4o', OF_4O],
      ['gpt-4o-mini', 'gpt-4o-2024-08-06', OF_4O],
      ['gpt-4o', 'gpt-4o-2024-08-06', OF_4O],
      ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', OF_MINI],
      ['gpt-4o', 'gpt-4o-mini', OF_4O],
      ['gpt-4o', 'no-model', OF_4O],
      ['no-model', 'gpt-4o-mini', OF_MINI],
    ])('uses the higher price if %s is requested and %s responds', async (requested, responded, cost) => {
      respondBy(responded);
      await (await send({ ...CHAT, model: requested, models: ['gpt-4o'] })).arrayBuffer();
      expect((await last()).cost).toBe(cost);
    });

    it('uses the price that its integration has for the name, whatever the response names', async () => {
      const model = {
        slug: 'ours',
        enabled: true,
        price: { input: 0.0001, output: 0.0002 },
        baseModelSlug: null,
        isCustom: true,
        customHost: null,
        customHeaders: {},
      };
      gateway.addProvider('own', 'openai', stub.origin, { models: [model] });
      respondBy('gpt-4o');
      await (await send({ ...CHAT, model: 'ours' }, { provider: '@own' })).arrayBuffer();
      expect((await last()).cost).toBe((100_000 * 0.0001 + 50_000 * 0.0002) * 1_000_000);
    });

    it('is refused by a strict budget if a model that may respond instead does not fit', async () => {
      const key = keyWith(budget({ creditLimit: 0.01, enforcement: 'strict' }));
      respondBy('gpt-4o-mini');
      const body = { ...CHAT, model: 'gpt-4o-mini', max_tokens: 5_000 };
      expect((await send(body, { key })).status).toBe(200);
      expect(
        (
          await send(
            { ...body, models: ['gpt-4o'] },
            { key: keyWith(budget({ creditLimit: 0.01, enforcement: 'strict' })) },
          )
        ).status,
      ).toBe(412);
      const unknown = keyWith(budget({ enforcement: 'strict' }));
      expect((await send({ ...body, models: ['no-model'] }, { key: unknown })).status).toBe(412);
      expect((await send({ ...body, models: [7] }, { key: unknown })).status).toBe(412);
    });
  });

  describe('of background work', () => {
    const RESPONSE_USAGE = { input_tokens: 100_000, output_tokens: 50_000 };
    const response = (status: string, over: object = {}) => ({
      ...{ id: 'resp_1', object: 'response', status, background: true, model: 'gpt-4o' },
      ...(status === 'completed' && { usage: RESPONSE_USAGE }),
      ...over,
    });
    const run = { id: 'run_1', object: 'thread.run', status: 'completed', model: 'gpt-4o', usage: USAGE };
    const batch = {
      ...{ id: 'batch_1', object: 'batch', status: 'completed', model: 'gpt-4o' },
      ...{ output_file_id: 'file_1', usage: USAGE },
    };
    const events = (...reported: readonly (readonly [string, object])[]): string =>
      reported.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    const STREAM = events(
      ['response.created', { type: 'response.created', response: response('in_progress') }],
      ['response.output_text.delta', { type: 'response.output_text.delta', delta: 'text' }],
      ['response.completed', { type: 'response.completed', response: response('completed') }],
    );
    const text = (body: string, type = 'text/event-stream'): void => {
      stub.respond({ headers: { 'content-type': type }, body });
    };
    const get = async (path: string, key = gateway.apiKey): Promise<LoggedRequest> => {
      const headers = { 'x-gw-api-key': key, 'x-gw-provider': '@main' };
      await (await fetch(`${gateway.baseUrl}${path}`, { headers })).arrayBuffer();
      return last();
    };
    const chargesOf = ({ decision }: LoggedRequest) =>
      (decision.charges ?? []).flatMap(({ once, cost }) => (once === undefined ? [] : [[once, cost]]));
    const of = (kind: string, id: string): string => `${kind} integration-main ${id}`;

    it('uses the name of a response that is requested as a stream of events', async () => {
      text(STREAM);
      expect(chargesOf(await get('/responses/resp_1?stream=true'))).toEqual([
        [of('response', 'resp_1'), OF_4O],
      ]);
      const head = response('in_progress', { status: 'completed' });
      const long = { ...head, output: [{ text: 'x'.repeat(200_000) }], usage: RESPONSE_USAGE };
      text(events(['response.completed', { type: 'response.completed', response: long }]));
      const later = await get('/responses/resp_1?stream=true&starting_after=2');
      expect(chargesOf(later).map(([once]) => once)).toEqual([of('response', 'resp_1')]);
      expect(later.usage).toMatchObject({ inputTokens: 100_000, outputTokens: 50_000 });
    });

    it('uses the same name when the request that creates it reads its stream to the end', async () => {
      text(STREAM);
      await (
        await send({ model: 'gpt-4o', input: 'x', background: true, stream: true }, { path: '/responses' })
      ).text();
      expect(chargesOf(await last())).toEqual([[of('response', 'resp_1'), OF_4O]]);
    });

    it('uses the same name when its stream has a coding', async () => {
      const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
      stub.respond({ headers, body: gzipSync(STREAM) });
      expect(chargesOf(await get('/responses/resp_1?stream=true'))).toEqual([
        [of('response', 'resp_1'), OF_4O],
      ]);
      const body = { model: 'gpt-4o', input: 'x', background: true, stream: true };
      expect(chargesOf(await post('/responses', body))).toEqual([[of('response', 'resp_1'), OF_4O]]);
    });

    const post = async (path: string, body: object, key = gateway.apiKey): Promise<LoggedRequest> => {
      await (await send(body, { path, key })).text();
      return last();
    };
    /** Price of gpt-4o: 10 USD per million output tokens. */
    const costOf = (output: number): number => output * 1_000;

    it.each([
      ['its bound', { max_output_tokens: 50_000 }, 50_000],
      ['the bound of its model', {}, 4_096],
    ])('uses the same name with the whole estimate when it is created: %s', async (_, more, output) => {
      stub.respondJson(response('queued'));
      const body = { model: 'gpt-4o', input: 'x'.repeat(3_000), background: true, ...more };
      const made = await post('/responses', body);
      expect(made).toMatchObject({ priced: 'estimated', usage: null });
      expect(made.cost).toBeGreaterThanOrEqual(costOf(output) + 1_000 * 250);
      expect(made.cost).toBeLessThan(costOf(output) + 1_100 * 250);
      expect(chargesOf(made)).toEqual([[of('response', 'resp_1'), made.cost]]);
      expect(made.decision.charges?.[0]?.flags).toEqual(['estimated']);
    });

    it('is the whole estimate if its stream was cut, however the body is escaped', async () => {
      const created = events([
        'response.created',
        { type: 'response.created', response: response('in_progress') },
      ]);
      stub.respond({
        headers: { 'content-type': 'text/event-stream' },
        steps: [{ chunk: created }, { cut: 'reset' }],
      });
      const body = { model: 'gpt-4o', input: 'x', background: true, stream: true, max_output_tokens: 50_000 };
      const answer = await send(body, { path: '/responses' });
      await answer.text().catch(() => undefined);
      expect((await last()).cost).toBeGreaterThanOrEqual(costOf(50_000));
      stub.respondJson(response('queued'));
      const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
      const spelled = '{"model":"gpt-4o","input":"x","b\\u0061ckground":true,"max_output_tokens":50000}';
      const type = { 'content-type': 'application/json' };
      await (
        await fetch(`${gateway.baseUrl}/responses`, {
          method: 'POST',
          headers: { ...headers, ...type },
          body: spelled,
        })
      ).text();
      const made = await last();
      expect(chargesOf(made)).toEqual([[of('response', 'resp_1'), made.cost]]);
      expect(made.cost).toBeGreaterThanOrEqual(costOf(50_000));
    });

    it('is the whole estimate if the request is too large to be parsed', async () => {
      stub.respondJson(response('queued'));
      const body = { model: 'gpt-4o', input: Array<number>(500_000).fill(1), max_output_tokens: 50_000 };
      const created = await post('/proxy/responses', { ...body, background: true });
      expect(chargesOf(created)).toEqual([[of('response', 'resp_1'), created.cost]]);
      expect(created.cost).toBeGreaterThanOrEqual(costOf(50_000));
    });

    it('is the estimate of a run by the model that its response names', async () => {
      stub.respondJson({ ...run, status: 'queued', usage: null });
      const made = await post('/threads/t/runs', { assistant_id: 'a', max_completion_tokens: 50_000 });
      expect(chargesOf(made)).toEqual([[of('thread.run', 'run_1'), made.cost]]);
      expect(made.cost).toBeGreaterThanOrEqual(costOf(50_000));
    });

    it('uses up a budget at once, so that the next request is refused', async () => {
      const key = keyWith(budget({ creditLimit: 0.5 }));
      stub.respondJson(response('queued'));
      const body = { model: 'gpt-4o', input: 'x', background: true, max_output_tokens: 50_000 };
      expect((await send(body, { path: '/responses', key })).status).toBe(200);
      expect((await send(body, { path: '/responses', key })).status).toBe(412);
    });

    it('has no estimate for a request that changes or cancels the work', async () => {
      stub.respondJson(response('in_progress'));
      expect(chargesOf(await post('/responses/resp_1/cancel', { model: 'gpt-4o' }))).toEqual([]);
      stub.respondJson({ ...run, status: 'queued', usage: null });
      expect(chargesOf(await post('/threads/t/runs/run_1', { metadata: {} }))).toEqual([]);
    });

    it('is nothing if the work failed without usage', async () => {
      stub.respondJson(response('failed'));
      expect(chargesOf(await get('/responses/resp_1'))).toEqual([[of('response', 'resp_1'), 0]]);
      stub.respondJson(response('failed', { model: 'no-model' }));
      expect(chargesOf(await get('/responses/resp_1'))).toEqual([[of('response', 'resp_1'), 0]]);
      stub.respondJson(response('cancelled'));
      expect(chargesOf(await get('/responses/resp_1'))).toEqual([]);
    });

    it.each([
      ['/batches', { input_file_id: 'f', endpoint: '/v1/responses', completion_window: '24h' }],
      ['/threads/t/runs', { assistant_id: 'a' }],
      ['/proxy/batches', { input_file_id: 'f' }],
    ])('is refused by strict limits on %s if the usage cannot be estimated', async (path, body) => {
      stub.respondJson({ id: 'x', object: 'batch', status: 'validating' });
      for (const type of ['cost', 'tokens'] as const) {
        const strict = await send(body, { path, key: keyWith(budget({ type, enforcement: 'strict' })) });
        expect(strict.status).toBe(412);
        expect(await strict.text()).toContain('or it is a batch');
        expect((await send(body, { path, key: keyWith(budget({ type })) })).status).toBe(200);
      }
    });

    it('is the whole estimate if the response is read only as items of its conversation', async () => {
      stub.respondJson(response('queued'));
      const body = { ...{ model: 'gpt-4o', input: 'hi', background: true }, max_output_tokens: 1_000 };
      await (await send({ ...body, conversation: 'conv_1' }, { path: '/responses' })).arrayBuffer();
      const [[once, cost] = []] = chargesOf(await last());
      expect(once).toBe(of('response', 'resp_1'));
      // 10 USD per million tokens.
      expect(cost).toBeGreaterThanOrEqual(1_000_000);
      stub.respondJson({ object: 'list', data: [{ id: 'msg_1', type: 'message', status: 'completed' }] });
      expect(chargesOf(await get('/proxy/conversations/conv_1/items'))).toEqual([]);
    });

    it('includes each member of a list that has ended', async () => {
      const queued = { ...run, id: 'run_3', status: 'queued', usage: null };
      stub.respondJson({ object: 'list', data: [run, { ...run, id: 'run_2' }, queued, 7] });
      const listed = await get('/threads/t/runs');
      expect(chargesOf(listed)).toEqual([
        [of('thread.run', 'run_1'), OF_4O],
        [of('thread.run', 'run_2'), OF_4O],
      ]);
      expect(listed).toMatchObject({
        cost: 2 * OF_4O,
        usage: { inputTokens: 200_000, outputTokens: 100_000 },
      });
    });

    it('uses one name for a batch, its list and its output', async () => {
      const expected = [[of('batch', 'file:file_1'), OF_4O / 2]];
      stub.respondJson(batch);
      expect(chargesOf(await get('/batches/batch_1'))).toEqual(expected);
      stub.respondJson({ object: 'list', data: [batch] });
      expect(chargesOf(await get('/batches'))).toEqual(expected);
      const half = { prompt_tokens: 50_000, completion_tokens: 25_000 };
      const line = (body: object): string =>
        JSON.stringify({ custom_id: '1', response: { status_code: 200, body } });
      const long = { choices: [{ text: '"usage":{"prompt_tokens":9}'.repeat(20_000) }], usage: half };
      text(`${line({ model: 'gpt-4o', usage: half })}\n${line(long)}`, 'application/octet-stream');
      expect(chargesOf(await get('/files/file_1/content'))).toEqual(expected);
    });

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const)('uses the lines of an output that has the coding %s', async (coding, encode) => {
      const line = JSON.stringify({ response: { body: { model: 'gpt-4o', usage: USAGE } } });
      const headers = { 'content-type': 'application/octet-stream', 'content-encoding': coding };
      stub.respond({ headers, body: encode(Buffer.from(`${line}\n${line}\n`)) });
      for (const path of ['/files/file_1/content', '/proxy/files/file_1/content']) {
        expect(chargesOf(await get(path))).toEqual([[of('batch', 'file:file_1'), OF_4O]]);
        expect(stub.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
      }
    });

    it('includes a run whose stream the creating request reads', async () => {
      text(
        events(
          ['thread.run.created', { ...run, status: 'queued', usage: null }],
          ['thread.run.completed', run],
          ['done', {}],
        ),
      );
      await (
        await send({ assistant_id: 'a', model: 'gpt-4o', stream: true }, { path: '/threads/t/runs' })
      ).text();
      expect(chargesOf(await last())).toEqual([[of('thread.run', 'run_1'), OF_4O]]);
    });

    it('uses the beginning and the end of a response that is too long to be kept', async () => {
      const { usage, ...head } = response('completed') as { usage?: object };
      stub.respondJson({ ...head, output: 'x'.repeat(2_000_000), usage });
      expect(chargesOf(await get('/responses/resp_1'))).toEqual([[of('response', 'resp_1'), OF_4O]]);
    });
  });

  describe('by the usage that arrives after its client has disconnected,', () => {
    const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
    const chat = (data: object): string => event({ id: 'a', model: 'gpt-4o', ...data });
    const reported = { input_tokens: 100_000, output_tokens: 50_000 };
    const begun = {
      type: 'message_start',
      message: { model: 'gpt-4o', usage: { ...reported, output_tokens: 1 } },
    };
    const start = (index: number): string => event({ type: 'content_block_start', index, content_block: {} });
    const stop = (index: number): string => event({ type: 'content_block_stop', index });
    const done = (item: string): string =>
      event({ type: 'response.output_item.done', item: { type: item }, padding: 'is cut' });
    const responded = { type: 'response.completed', response: { id: 'r', model: 'gpt-4o', usage: reported } };
    const made = { type: 'response.created', response: { id: 'r', model: 'gpt-4o' } };

    /** Returns the record of a request whose client disconnects after the first part. */
    const leftAfter = async (path: string, first: string, then: string): Promise<LoggedRequest> => {
      let goOn = (): void => undefined;
      const left = new Promise<void>((resolve) => (goOn = resolve));
      const headers = { 'content-type': 'text/event-stream' };
      stub.respond({ headers, steps: [{ chunk: first }, { until: left }, { chunk: then }] });
      gateway.addProvider('claude', 'anthropic', stub.origin);
      const leaving = new AbortController();
      const requested = await fetch(`${gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': path === '/messages' ? '@claude' : '@main',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...CHAT, input: 'hi', max_tokens: 9_000, model: 'gpt-4o', stream: true }),
        signal: leaving.signal,
      });
      const reader = (requested.body as ReadableStream<Uint8Array>).getReader();
      let text = '';
      while (text.length < first.length) text += Buffer.from((await reader.read()).value ?? []).toString();
      leaving.abort();
      // The gateway must notice the disconnect before the next responses.
      for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${gateway.baseUrl}/nothing`)).text();
      goOn();
      const own = async () => (await gateway.records()).find(({ model }) => model === 'gpt-4o');
      await eventually(async () => (await own()) !== undefined);
      return (await own()) as LoggedRequest;
    };

    const finish = chat({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const messageEnd = event({ type: 'message_delta', usage: { output_tokens: 50_000 } });
    it.each([
      [
        'a choice',
        '/chat/completions',
        finish,
        `${chat({ choices: [], usage: USAGE })}data: [DONE]\n\n`,
        OF_4O,
      ],
      ['a block', '/messages', event(begun) + start(0) + stop(0), messageEnd, null],
      ['an item', '/responses', event(made) + done('message'), event(responded), OF_4O],
    ])('is complete once %s has finished', async (_, path, first, then, cost) => {
      const record = await leftAfter(path, first, then);
      expect(record).toMatchObject({ outcome: 'client_closed', cost, usage: { outputTokens: 50_000 } });
      expect(record.priced).toBe(cost === null ? 'unpriced' : 'priced');
    });

    it.each([
      ['another block has begun', '/messages', event(begun) + start(0) + stop(0) + start(1), messageEnd],
      ['only reasoning has finished', '/responses', event(made) + done('reasoning'), event(responded)],
    ])('does not wait if %s', async (_, path, first, then) => {
      expect(await leftAfter(path, first, then)).toMatchObject({ outcome: 'client_closed', usage: null });
    });
  });

  describe('without counts', () => {
    const key = (enforcement: 'standard' | 'strict' = 'standard'): string => keyWith(budget({ enforcement }));

    it.each([
      ['/images/generations', { model: 'gpt-image-1', prompt: 'x'.repeat(300) }],
      ['/audio/transcriptions', { model: 'gpt-4o-transcribe', file: 'x'.repeat(300) }],
      ['/proxy/chat/completions', { ...CHAT, model: 'gpt-4o' }],
    ])('is its estimate on %s if its model has a price', async (path, body) => {
      stub.respondJson({ created: 1, data: [{ b64_json: 'x'.repeat(3_000) }] });
      expect((await send(body, { key: key(), path })).status).toBe(200);
      const { cost, priced, usage, decision } = await last();
      expect([priced, usage]).toEqual(['estimated', null]);
      expect(cost).toBeGreaterThan(0);
      expect(decision.charges).toMatchObject([{ cost, flags: ['estimated'] }]);
    });

    it.each([
      ['/images/generations', { model: 'no-such-image', prompt: 'x' }],
      ['/audio/speech', { model: 'no-such-voice', input: 'x' }],
      ['/videos', { model: 'no-such-video', prompt: 'x' }],
    ])('is unpriced on %s if no price is known, and refused by a strict budget', async (path, body) => {
      stub.respondJson({ created: 1, data: [] });
      expect((await send(body, { key: key(), path })).status).toBe(200);
      expect(await last()).toMatchObject({ priced: 'unpriced', cost: null });
      expect((await send(body, { key: key('strict'), path })).status).toBe(412);
    });

    it('uses the received part of a stream that reports its output only at its end', async () => {
      gateway.addProvider('claude', 'anthropic', stub.origin);
      const event = (type: string, more: object): string =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
      const began = {
        id: 'm',
        model: 'claude-sonnet-4-5',
        usage: { input_tokens: 10_000, output_tokens: 1 },
      };
      const delta = { index: 0, delta: { type: 'text_delta', text: 'x'.repeat(30_000) } };
      stub.respond({
        headers: { 'content-type': 'text/event-stream' },
        steps: [
          { chunk: event('message_start', { message: began }) + event('content_block_delta', delta) },
          { cut: 'reset' },
        ],
      });
      const body = { ...CHAT, model: 'claude-sonnet-4-5', max_tokens: 30_000, stream: true };
      const response = await send(body, { path: '/messages', provider: '@claude' });
      await response.text().catch(() => undefined);
      const { cost, priced } = await last();
      expect(priced).toBe('estimated');
      // 3 USD per million reported input tokens, 15 per million output tokens for a third of the
      // bytes.
      expect(cost).toBeGreaterThanOrEqual(10_000 * 300 + 10_000 * 1_500);
      expect(cost).toBeLessThan(10_000 * 300 + 10_500 * 1_500);
    });
  });
});
