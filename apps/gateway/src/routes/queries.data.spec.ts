import { request } from 'node:http';
import { StubProvider, readCases } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface QueryCase {
  readonly id: string;
  readonly endpoint: string;
  readonly query?: string;
  readonly path_param?: Readonly<Record<string, string>>;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

interface Answered {
  readonly status: number;
  readonly body: {
    readonly error?: { readonly param?: string; readonly code?: string; readonly message?: string };
  };
}

const LIST_RUNS = 'GET /threads/{thread_id}/runs';
const CASES = (readCases('queries.json') as { cases: QueryCase[] }).cases.filter(
  ({ endpoint }) => endpoint === LIST_RUNS,
);
const RUNS = {
  object: 'list',
  data: [{ id: 'run_1' }],
  first_id: 'run_1',
  last_id: 'run_1',
  has_more: false,
};

/** Encodes a value like a client library: only characters that a URL cannot contain are escaped. */
const escaped = (text: string): string => text.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);

describe('queries of the data plane', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(RUNS);
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const req = request(
        {
          port: gateway.port,
          path: `/v1${path}`,
          headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (data: Buffer) => (text += data.toString()));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answered['body'] });
          });
        },
      );
      req.on('error', reject);
      req.end();
    });

  describe.each(CASES)('$endpoint $query: $reason', (test) => {
    it(`[RUN-01] [RUN-02] ${test.expect}: ${test.id}`, async () => {
      const id = escaped(test.path_param?.['thread_id'] ?? 'thread_1');
      const query = test.query ? `?${escaped(test.query)}` : '';
      const { status, body } = await get(`/threads/${id}/runs${query}`);
      if (test.expect === 'reject') {
        expect(status).toBe(400);
        expect(body.error?.code).toBe('AB01');
        expect(stub.requests).toHaveLength(0);
        if (test.query) expect(test.query.startsWith(body.error?.param ?? 'none')).toBe(true);
        return;
      }
      expect(status).toBe(200);
      expect(body).toEqual(RUNS);
      // Byte for byte, so that an id cannot leave its segment. The provider has its own defaults,
      // so none are added.
      expect(stub.lastRequest.url).toBe(`/v1/threads/${id}/runs${query}`);
    });
  });

  it('[RUN-02] are refused with the parameter, its rule and its value', async () => {
    const { body } = await get('/threads/thread_1/runs?limit=0&order=up');
    expect(body.error).toMatchObject({
      param: 'limit',
      message: 'limit must be a whole number from 1 to 100; it is "0".',
      details: [
        { path: 'limit', message: 'limit must be a whole number from 1 to 100; it is "0".' },
        { path: 'order', message: 'order must be asc or desc; it is "up".' },
      ],
    });
  });

  it('are forwarded with unknown parameters', async () => {
    expect((await get('/threads/thread_1/runs?include[]=steps&limit=5')).status).toBe(200);
    expect(stub.lastRequest.url).toBe('/v1/threads/thread_1/runs?include[]=steps&limit=5');
  });

  it('[RUN-03] forwards Vendor-Beta under the provider’s own name on assistants routes, and to no other provider', async () => {
    for (const path of ['/threads/t/runs', '/threads/t', '/assistants', '/vector_stores/v/files']) {
      expect((await get(path, { 'Vendor-Beta': 'assistants=v2' })).status).toBe(200);
      expect(stub.lastRequest.headers['openai-beta']).toBe('assistants=v2');
      expect(stub.lastRequest.headers['vendor-beta']).toBeUndefined();
    }
    gateway.addProvider('claude', 'anthropic', stub.origin);
    await get('/files', { 'Vendor-Beta': 'files-api', 'x-gw-provider': '@claude' });
    expect(stub.lastRequest.headers['anthropic-beta']).toBe('files-api');
    gateway.addProvider('groq', 'groq', stub.origin);
    await get('/files', { 'Vendor-Beta': 'x', 'x-gw-provider': '@groq' });
    expect(stub.lastRequest.rawHeaders.join().toLowerCase()).not.toContain('beta');
  });
});
