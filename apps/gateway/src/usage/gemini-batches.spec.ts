import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { budget } from '../limits/spec-support/cent-calls';

const METADATA = { promptTokenCount: 100_000, candidatesTokenCount: 50_000 };
/** Half of 1.25 and 10 USD per million tokens. */
const OF_PRO = 31_250_000;
const batchResponse = (modelVersion: string, usageMetadata: object = METADATA) => ({
  candidates: [{ content: { parts: [{ text: 'x' }] } }],
  usageMetadata,
  modelVersion,
});
const ONE = { promptTokenCount: 1, candidatesTokenCount: 1 };
const batch = (over: object = {}) => ({
  name: 'batches/b1',
  metadata: { model: 'models/gemini-2.5-flash-lite', state: 'BATCH_STATE_SUCCEEDED' },
  done: true,
  response: {
    inlinedResponses: {
      inlinedResponses: [
        { response: batchResponse('gemini-2.5-flash-lite', ONE), metadata: { key: '1' } },
        { error: { code: 400 } },
        { response: batchResponse('gemini-2.5-pro'), metadata: { key: '2' } },
      ],
    },
  },
  ...over,
});

describe('batch of Gemini’s own API', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'google', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const call = (path: string, body?: object, key = gateway.apiKey): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-gw-api-key': key, 'x-gw-provider': '@main', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const read = async (path: string): Promise<LoggedRequest> => {
    await (await call(path)).arrayBuffer();
    return last();
  };
  const named = ({ decision }: LoggedRequest) =>
    (decision.charges ?? []).filter(({ once }) => once !== undefined);
  const strictKey = (type: 'cost' | 'tokens'): string => {
    const key = `geminiKey${type.padStart(23, '0')}`;
    gateway.addKey(key, { id: type, usageLimits: [budget({ type, enforcement: 'strict' })] });
    return key;
  };

  it.each([
    '/proxy/models/gemini-2.5-pro:batchGenerateContent',
    '/proxy/models/gemini-embedding-001:asyncBatchEmbedContent',
    '/proxy/projects/p/locations/l/batchPredictionJobs',
  ])('is refused by strict limits at %s, and charged nothing before it is read', async (path) => {
    stub.respondJson({ name: 'batches/b1', metadata: {} });
    for (const type of ['cost', 'tokens'] as const) {
      const refused = await call(path, { batch: {} }, strictKey(type));
      expect(refused.status).toBe(412);
      expect(await refused.text()).toContain('or it is a batch');
    }
    await (await call(path, { batch: {} })).arrayBuffer();
    expect(await last()).toMatchObject({ status: 200, usage: null, cost: null, priced: 'no_usage' });
  });

  it('is charged for its responses, each by its own model at the batch discount', async () => {
    stub.respondJson(batch());
    const record = await read('/proxy/batches/b1');
    // 0.05 and 0.2 USD per million for the small model.
    expect(named(record)).toMatchObject([{ once: 'batch integration-main batches/b1', tokens: 150_002 }]);
    expect(record.cost).toBeGreaterThan(OF_PRO);
    expect(record.cost).toBeLessThan(OF_PRO + 100);
  });

  it('is charged under its own name wherever it is listed', async () => {
    stub.respondJson({
      operations: [batch(), batch({ name: 'batches/b2' }), batch({ name: 'batches/b3', done: false })],
    });
    const names = named(await read('/proxy/batches')).map(({ once }) => once);
    expect(names).toEqual(['batch integration-main batches/b1', 'batch integration-main batches/b2']);
  });

  it.each(['/proxy/files/batch-b1:download?alt=media', '/proxy/files/batch-b1%3Adownload'])(
    'is charged by the lines of the file that is read at %s',
    async (path) => {
      const lines = [batchResponse('gemini-2.5-flash-lite', ONE), batchResponse('gemini-2.5-pro')];
      stub.respond({
        headers: { 'content-type': 'application/octet-stream' },
        body: lines.map((response, key) => JSON.stringify({ key, response })).join('\n'),
      });
      const record = await read(path);
      expect(named(record)).toMatchObject([
        { once: 'batch integration-main file:batch-b1', tokens: 150_002 },
      ]);
      expect(record.cost).toBeGreaterThan(OF_PRO);
    },
  );

  it('is charged the last usage of a line that is too long to be parsed', async () => {
    const long = { ...batchResponse('gemini-2.5-pro'), candidates: [{ text: 'x'.repeat(600_000) }] };
    const { usageMetadata, modelVersion, candidates } = long;
    stub.respond({
      headers: { 'content-type': 'application/octet-stream' },
      body: JSON.stringify({ response: { modelVersion, candidates, usageMetadata } }),
    });
    expect(named(await read('/proxy/files/batch-b1:download'))).toMatchObject([{ cost: OF_PRO }]);
  });

  it('is charged nothing if no batch is read', async () => {
    for (const reported of [
      { name: 'models/m', done: true },
      batch({ done: false }),
      { name: 'operations/o' },
    ]) {
      stub.respondJson(reported);
      expect(named(await read('/proxy/batches/b1'))).toEqual([]);
    }
  });
});
