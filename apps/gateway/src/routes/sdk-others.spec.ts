import { GoogleGenAI } from '@google/genai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { lendDispatcher } from '../spec-support/lend-dispatcher';

describe('other official clients, with only base URL and headers changed', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    lendDispatcher();
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const requests = (): string[] => stub.requests.map(({ method, url }) => `${method} ${url}`);

  it('cohere: reranks through the built-in route, and through passthrough with the newer client', async () => {
    gateway.addProvider('cohere', 'cohere', null, { configurations: { custom_host: stub.origin } });
    const results = [{ index: 1, relevance_score: 0.9 }];
    stub.respondJson({ id: 'r', results, meta: { billed_units: { search_units: 1 } } });
    const headers = { 'x-gw-provider': '@cohere' };
    const question = { model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'] };
    const origin = gateway.baseUrl.replace(/\/v1$/, '');
    const older = new CohereClient({ token: gateway.apiKey, environment: origin });
    expect((await older.rerank(question, { headers })).results).toMatchObject([
      { index: 1, relevanceScore: 0.9 },
    ]);
    expect((await gateway.records()).at(-1)).toMatchObject({ route: 'rerank', model: 'rerank-v3.5' });
    const newer = new CohereClientV2({ token: gateway.apiKey, environment: gateway.baseUrl });
    expect((await newer.rerank(question, { headers })).results).toMatchObject([
      { index: 1, relevanceScore: 0.9 },
    ]);
    expect((await gateway.records()).at(-1)).toMatchObject({ route: 'passthrough' });
    expect(requests()).toEqual(['POST /v2/rerank', 'POST /v2/rerank']);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-cohere');
  });

  it('[SVC-04] @google/genai: generates through passthrough, with the saved key instead of the client’s', async () => {
    gateway.addProvider('google', 'google', null, {
      configurations: { custom_host: `${stub.origin}/v1beta` },
    });
    stub.respondJson({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello!' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
    });
    const client = new GoogleGenAI({
      apiKey: 'not-used',
      httpOptions: {
        baseUrl: gateway.baseUrl.replace(/\/v1$/, ''),
        apiVersion: 'v1',
        headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@google' },
      },
    });
    const response = await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hi' });
    expect(response.text).toBe('Hello!');
    expect(requests()).toEqual(['POST /v1beta/models/gemini-2.5-flash:generateContent']);
    expect(stub.lastRequest.headers['x-goog-api-key']).toBe('sk-google');
    expect((await gateway.records()).at(-1)).toMatchObject({ usage: { inputTokens: 4, outputTokens: 2 } });
  });
});
