import type { ProviderModel } from '@gw/contracts';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { budget } from './spec-support/cent-calls';

const METADATA = { promptTokenCount: 100_000, candidatesTokenCount: 50_000 };
/** At 1.25 and 10 USD per million tokens. */
const OF_PRO = 62_500_000;
const TEXT = { candidates: [{ content: { parts: [{ text: 'x' }] } }] };
const LAST = { ...TEXT, usageMetadata: METADATA, modelVersion: 'gemini-2.5-pro', responseId: 'r' };
const BODY = { contents: [{ parts: [{ text: 'hi' }] }] };
const PRO = '/proxy/models/gemini-2.5-pro:generateContent';

const model = (slug: string, enabled: boolean): ProviderModel => ({
  slug,
  enabled,
  price: null,
  baseModelSlug: null,
  isCustom: false,
  customHost: null,
  customHeaders: {},
});

describe('a call whose path names the model', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'google', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = async (
    path: string,
    more: { body?: object | string; provider?: string; strict?: boolean; key?: string; config?: object } = {},
  ): Promise<Response> => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': more.key ?? gateway.apiKey,
        ...(more.config === undefined
          ? { 'x-gw-provider': more.provider ?? '@main' }
          : { 'x-gw-config': JSON.stringify(more.config) }),
        'content-type': 'application/json',
      },
      body: typeof more.body === 'string' ? more.body : JSON.stringify(more.body ?? BODY),
    });
    const text = await response.text();
    return new Response(text, { status: response.status });
  };
  const keyWith = (enforcement: 'strict' | 'standard', creditLimit = 1): string => {
    keys += 1;
    const key = `pathKey${String(keys).padStart(25, '0')}`;
    gateway.addKey(key, { id: `key-${String(keys)}`, usageLimits: [budget({ creditLimit, enforcement })] });
    return key;
  };
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const charged = async (path: string, body: object = BODY): Promise<LoggedRequest> => {
    await send(path, { body });
    return last();
  };

  describe('is charged', () => {
    it.each([
      PRO,
      '/models/gemini-2.5-pro:generateContent',
      '/proxy/v1/models/gemini-2.5-pro:generateContent',
      '/proxy/models/gemini-2.5-pro%3AgenerateContent',
      '/proxy/%6dodels/gemini%2D2.5-pro:generate%43ontent',
      '/proxy/models%2Fgemini-2.5-pro:generateContent/',
      '/proxy/models/gemini-2.5-pro:generateContent;a=b',
      '/proxy/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent',
    ])('by the model of %s, and logged with it', async (path) => {
      stub.respondJson(LAST);
      const record = await charged(path);
      expect(record).toMatchObject({
        model: 'gemini-2.5-pro',
        responseModel: 'gemini-2.5-pro',
        cost: OF_PRO,
      });
      expect(record.usage).toMatchObject({ inputTokens: 100_000, outputTokens: 50_000 });
    });

    it.each([
      ['an object', JSON.stringify(LAST), 'application/json'],
      ['a list', JSON.stringify([TEXT, LAST], null, 2), 'application/json; charset=UTF-8'],
      [
        'a list of a megabyte',
        JSON.stringify([...Array<object>(20_000).fill(TEXT), LAST]),
        'application/json',
      ],
      [
        'events',
        `data: ${JSON.stringify(TEXT)}\r\n\r\ndata: ${JSON.stringify(LAST)}\r\n\r\n`,
        'text/event-stream',
      ],
    ])('by the usage in %s', async (_, body, type) => {
      stub.respond({ headers: { 'content-type': type }, body });
      expect((await charged('/proxy/models/gemini-2.5-pro:streamGenerateContent')).cost).toBe(OF_PRO);
      const body2 = gzipSync(body);
      stub.respond({ headers: { 'content-type': type, 'content-encoding': 'gzip' }, body: body2 });
      expect((await charged('/proxy/models/gemini-2.5-pro:streamGenerateContent')).cost).toBe(OF_PRO);
    });

    it('by the last item received of a list that was cut', async () => {
      const text = `[${JSON.stringify(LAST)},\n{"candidates":[`;
      stub.respond({
        headers: { 'content-type': 'application/json' },
        steps: [{ chunk: text }, { cut: 'reset' }],
      });
      await send('/proxy/models/gemini-2.5-pro:streamGenerateContent').catch(() => undefined);
      expect(await last()).toMatchObject({ outcome: 'interrupted', cost: OF_PRO });
    });

    it('by the model of the path, even if the body or a parameter of the config names a cheaper one', async () => {
      stub.respondJson({ ...LAST, modelVersion: undefined });
      expect(await charged(PRO, { ...BODY, model: 'gemini-2.5-flash-lite' })).toMatchObject({
        model: 'gemini-2.5-pro',
        cost: OF_PRO,
      });
      const config = { provider: '@main', override_params: { model: 'gemini-2.5-flash-lite' } };
      await send(PRO, { config });
      expect(await last()).toMatchObject({ model: 'gemini-2.5-pro', cost: OF_PRO });
    });

    it('by the responding model if that is more expensive', async () => {
      stub.respondJson(LAST);
      expect(await charged('/proxy/models/gemini-2.5-flash-lite:generateContent')).toMatchObject({
        responseModel: 'gemini-2.5-pro',
        cost: OF_PRO,
      });
    });

    it('as an estimate if the response reports no usage', async () => {
      stub.respondJson(TEXT);
      await send(PRO, { key: keyWith('standard') });
      expect((await last()).decision.charges).toMatchObject([{ flags: ['estimated'], requests: 1 }]);
      expect((await last()).cost).toBeGreaterThan(0);
    });

    it('nothing for vectors and for counting tokens', async () => {
      stub.respondJson({ embedding: { values: Array<number>(2_000).fill(0.123456) } });
      const embedded = await charged('/proxy/models/gemini-embedding-001:embedContent');
      expect(embedded.cost).toBeLessThan(1_000);
      stub.respondJson({ totalTokens: 31 });
      await send('/proxy/models/gemini-2.5-pro:countTokens', { key: keyWith('strict', 0.01) });
      expect(await last()).toMatchObject({ status: 200, model: 'gemini-2.5-pro', cost: null });
    });

    it('by an Azure deployment and the responding model', async () => {
      gateway.addProvider('azure', 'azure-openai', stub.origin);
      const usage = { prompt_tokens: 100_000, completion_tokens: 50_000 };
      stub.respondJson({ model: 'gpt-4o-2024-08-06', choices: [], usage });
      await send('/proxy/openai/deployments/prod/chat/completions?api-version=2024-10-21', {
        provider: '@azure',
        body: { model: 'gpt-4o-mini', messages: [] },
      });
      expect(await last()).toMatchObject({
        model: 'prod',
        responseModel: 'gpt-4o-2024-08-06',
        cost: 75_000_000,
      });
    });
  });

  describe('keeps usage in its response', () => {
    it.each([
      ['?fields=candidates', ''],
      ['?alt=sse&%24fields=candidates&key=', '?alt=sse&key='],
      ['?alt=proto&a=1', '?a=1'],
      ['?callback=f', ''],
      ['?alt=sse&x=%20', '?alt=sse&x=%20'],
    ])('and is sent with %s as %s', async (query, sent) => {
      stub.respondJson(LAST);
      await send(PRO + query);
      expect(stub.requests.at(-1)?.url).toBe(`/v1/models/gemini-2.5-pro:generateContent${sent}`);
    });

    it('and is sent without a field mask, forwarded or not', async () => {
      stub.respondJson(LAST);
      const headers = {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'x-gw-forward-headers': 'x-goog-fieldmask',
        'x-goog-fieldmask': 'candidates',
      };
      await (await fetch(`${gateway.baseUrl}${PRO}`, { method: 'POST', headers, body: '{}' })).arrayBuffer();
      expect(stub.requests.at(-1)?.headers).not.toHaveProperty('x-goog-fieldmask');
    });
  });

  describe('is refused', () => {
    it('by a strict budget that its output may exceed, and by a strict budget if its model has no price', async () => {
      stub.respondJson(LAST);
      const body = { ...BODY, generationConfig: { maxOutputTokens: 200_000 } };
      expect((await send(PRO, { key: keyWith('strict'), body })).status).toBe(412);
      expect(
        (await send(PRO, { key: keyWith('strict'), body: { ...body, model: 'gemini-2.5-flash-lite' } }))
          .status,
      ).toBe(412);
      const unknown = '/proxy/tunedModels/ours:generateContent';
      expect((await send(unknown, { key: keyWith('strict') })).status).toBe(412);
      expect(stub.requests).toHaveLength(0);
      expect((await send(PRO, { key: keyWith('strict') })).status).toBe(200);
    });

    it('once its budget is used up', async () => {
      stub.respondJson(LAST);
      const key = keyWith('standard', 0.5);
      expect((await send(PRO, { key })).status).toBe(200);
      expect((await send(PRO, { key })).status).toBe(412);
    });

    it.each([
      PRO,
      '/proxy/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
      '/proxy/models/gemini-2.5-pro:embedContent',
      '/proxy/models/gemini-2.5-pro:batchEmbedContents',
      '/proxy/models/gemini-2.5-pro:batchGenerateContent',
      '/proxy/models/gemini-2.5-pro:countTokens',
      '/proxy/models/Gemini-2.5-PRO:generateContent',
      '/proxy/models%2fgemini-2.5-pro%3agenerateContent',
      '/proxy/publishers/google/models/gemini-2.5-pro:rawPredict',
      '/proxy/publishers/google/models/gemini-2.5-pro:streamRawPredict',
      '/proxy/publishers/google/models/gemini-2.5-pro:predict',
      '/proxy/model/gemini-2.5-pro/converse',
      '/proxy/model/gemini-2.5-pro/converse-stream',
      '/proxy/model/gemini-2.5-pro/invoke',
      '/proxy/model/gemini-2.5-pro/invoke-with-response-stream',
      '/proxy/model/arn%3Aaws%3Abedrock%3Aeu::foundation-model%2Fgemini-2.5-pro/converse',
      '/proxy/openai/deployments/gemini-2.5-pro/chat/completions',
      '/proxy/openai/deployments/GEMINI-2.5-pro/embeddings',
      '/deployments/gemini-2.5-pro/chat/completions',
    ])('if the model of %s is not enabled, whatever the body names', async (path) => {
      gateway.addProvider('all', 'google', stub.origin, { models: [model('gemini-2.5-pro', false)] });
      gateway.addProvider('some', 'google', stub.origin, {
        allowAllModels: false,
        models: [model('gemini-2.5-flash', true)],
      });
      for (const provider of ['@all', '@some']) {
        const response = await send(path, { provider, body: { ...BODY, model: 'gemini-2.5-flash' } });
        expect(response.status).toBe(412);
        expect(await response.text()).toContain('model_not_enabled');
      }
      expect(stub.requests).toHaveLength(0);
    });

    it('if the body names another model that is not enabled, which a provider could use', async () => {
      gateway.addProvider('all', 'google', stub.origin, { models: [model('gemini-2.5-pro', false)] });
      const flash = '/proxy/models/gemini-2.5-flash:generateContent';
      stub.respondJson(LAST);
      for (const named of ['gemini-2.5-pro', 'models/gemini-2.5-pro']) {
        const response = await send(flash, { provider: '@all', body: { ...BODY, model: named } });
        expect(response.status).toBe(412);
      }
      const own = await send(flash, {
        provider: '@all',
        body: { ...BODY, model: 'models/gemini-2.5-flash' },
      });
      expect(own.status).toBe(200);
      expect(stub.requests.at(-1)?.body.toString()).toContain('models/gemini-2.5-flash');
    });

    it.each([
      '/proxy/x/../models/gemini-2.5-pro:generateContent',
      '/proxy/x/%2e%2e/models/m:generateContent',
    ])('before any other check if its path contains a dot segment: %s', async (path) => {
      expect(await statusOf(path)).toBe(400);
    });
  });

  /** Clients resolve dot segments by themselves. */
  const statusOf = async (path: string): Promise<number | undefined> => {
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const asking = request({ port: gateway.port, method: 'POST', path: `/v1${path}`, headers }).end('{}');
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  it.each([
    '/proxy/models/ft:gpt-4o:acme::id',
    '/proxy/deployments/d_1/runs',
    '/proxy/models/m/operations/o:cancel',
  ])('is not recognised in the path %s, so the body names the model', async (path) => {
    stub.respondJson({});
    expect(await charged(path, { model: 'gemini-2.5-pro' })).toMatchObject({ model: 'gemini-2.5-pro' });
  });

  it('does not include reading or deleting a model with a tag', async () => {
    stub.respondJson({ id: 'llama3:latest' });
    for (const method of ['GET', 'DELETE']) {
      const headers = { 'x-gw-api-key': keyWith('strict'), 'x-gw-provider': '@main' };
      const response = await fetch(`${gateway.baseUrl}/proxy/models/llama3:latest`, { method, headers });
      expect([response.status, await response.text()]).toEqual([200, '{"id":"llama3:latest"}']);
      expect((await last()).decision.charges).toMatchObject([{ cost: 0, tokens: 0, flags: [] }]);
    }
  });

  it('is charged for any method, because the query may override it', async () => {
    stub.respondJson(LAST);
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    await (await fetch(`${gateway.baseUrl}${PRO}?$httpMethod=POST`, { headers })).arrayBuffer();
    expect((await last()).cost).toBe(OF_PRO);
  });

  it('is routed by the model of its path', async () => {
    const strategy = {
      mode: 'conditional',
      conditions: [{ query: { 'params.model': 'gemini-2.5-pro' }, then: 'pro' }],
      default: 'other',
    };
    const targets = [
      { name: 'pro', provider: '@main' },
      { name: 'other', provider: '@none' },
    ];
    stub.respondJson(LAST);
    const config = { strategy, targets };
    expect((await send(PRO, { config, body: { ...BODY, model: 'x' } })).status).toBe(200);
  });
});
