import { request } from 'node:http';
import { StubProvider, readCases } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface Generated {
  readonly keys?: number;
  readonly string_mb?: number;
  readonly body_mb?: number;
  readonly chunked?: boolean;
  readonly digits?: number;
  readonly colliding_keys?: number;
  readonly key_mb?: number;
}

interface BodyCase {
  readonly id: string;
  readonly endpoint: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly hex?: string;
  readonly gen?: Generated;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

interface Received {
  readonly status: number;
  readonly error: {
    readonly type?: string;
    readonly code?: string;
    readonly param?: string | null;
    readonly message?: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  } | null;
}

const CASES = (readCases('bodies.json') as { cases: BodyCase[] }).cases;
const ANY = 'ANY json route';
const pathOf = (endpoint: string): string => endpoint.replace('POST ', '').replace('{thread_id}', 'thread_1');
const MEGABYTE = 1_048_576;

/** Clause ids by endpoint. An accepted and a refused case of each endpoint prove its bounds. */
const CLAUSES: Readonly<Record<string, string>> = {
  'POST /completions': '[CMP-01] [CMP-02] [CMP-03] [CMP-05]',
  'POST /moderations': '[MOD-01]',
  'POST /threads': '[THR-01] [THR-02]',
  'POST /threads/{thread_id}/runs': '[RUN-05] [RUN-06]',
};

/** Routes that take a JSON object. The first three validate its fields; the others only scan it. */
const JSON_ROUTES = [
  '/completions',
  '/moderations',
  '/threads/thread_1/runs',
  '/chat/completions',
  '/embeddings',
  '/responses',
  '/images/generations',
  '/rerank',
];

function bytesOf({ body, raw, hex, gen }: BodyCase): Buffer {
  if (gen) return generated(gen);
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  return Buffer.from(raw ?? JSON.stringify(body));
}

function generated(gen: Generated): Buffer {
  const bodyWith = (inner: string): Buffer => Buffer.from(`{"model":"m","prompt":"x",${inner}}`);
  if (gen.keys !== undefined)
    return bodyWith(Array.from({ length: gen.keys }, (_, i) => `"k${String(i)}":1`).join());
  if (gen.colliding_keys !== undefined)
    return bodyWith(Array.from({ length: gen.colliding_keys }, (_, i) => `"${collision(i)}":1`).join());
  if (gen.digits !== undefined) return bodyWith(`"x":${'9'.repeat(gen.digits)}`);
  if (gen.key_mb !== undefined) return bodyWith(`"${'k'.repeat(gen.key_mb * MEGABYTE)}":1`);
  return bodyWith(`"user":"${'u'.repeat((gen.string_mb ?? gen.body_mb ?? 1) * MEGABYTE)}"`);
}

/** Removes the `stream_options` that the gateway appends when the client did not request usage. */
const withoutUsageOption = (body: Buffer): Buffer =>
  Buffer.from(
    body.toString('latin1').replace(/,"stream_options":\{"include_usage":true\}(?=\s*\}\s*$)/, ''),
    'latin1',
  );

/**
 * Returns a distinct key for each index; all have the same polynomial hash, because `Aa` and `BB`
 * have the same hash and all keys have the same length.
 */
const collision = (index: number): string =>
  index.toString(2).padStart(16, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB');

describe('request bodies', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ id: 'x', object: 'any', choices: [] });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('novita', 'novita-ai', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  /**
   * `chunked` omits the Content-Length. A gateway that responds early may close the connection
   * before it has read the rest of the body, so errors after the response are ignored.
   */
  const send = (path: string, body: Buffer, chunked = false): Promise<Received> =>
    new Promise((resolve, reject) => {
      let responded = false;
      const req = request(`${gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': path === '/rerank' ? '@novita' : '@main',
          ...(chunked ? {} : { 'content-length': body.length }),
        },
      });
      req.on('response', (response) => {
        responded = true;
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString()));
        response.on('error', reject);
        response.on('end', () => {
          const { error = null } = JSON.parse(text) as { error?: Received['error'] };
          resolve({ status: response.statusCode ?? 0, error });
        });
      });
      req.on('error', (error) => {
        if (!responded) reject(error);
      });
      req.end(body);
    });

  const expectPassed = (response: Received, path: string, bytes: Buffer): void => {
    expect(response).toEqual({ status: 200, error: null });
    expect(stub.lastRequest.url).toBe(`/v1${path}`);
    const { body } = stub.lastRequest;
    expect((bytes.includes('"stream_options"') ? body : withoutUsageOption(body)).equals(bytes)).toBe(true);
  };
  const expectRefused = ({ status, error }: Received): void => {
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'AB01' });
    expect(stub.requests).toHaveLength(0);
  };
  /** Expects no server error, and a request to the provider exactly when the status is 200. */
  const expectConsistent = (response: Received): void => {
    expect(response.status).toBeLessThan(500);
    expect(response.status === 200 ? 1 : 0).toBe(stub.requests.length);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  };

  describe.each(CASES.filter(({ endpoint }) => endpoint !== ANY))('$endpoint: $reason', (test) => {
    it(`${CLAUSES[test.endpoint] ?? ''} ${test.expect}: ${test.id}`, async () => {
      const bytes = bytesOf(test);
      const path = pathOf(test.endpoint);
      const response = await send(path, bytes);
      if (test.expect === 'accept') expectPassed(response, path, bytes);
      else if (test.expect === 'either') expectConsistent(response);
      else {
        expectRefused(response);
        expect(response.error?.type).toBe('validation_failed');
        const [first] = response.error?.details ?? [];
        expect(first?.path).toBe(response.error?.param);
        expect(first?.message).toMatch(/^\S+ (?:must .+|is required.*); it is .+\.$/);
      }
    });
  });

  describe.each(CASES.filter(({ endpoint }) => endpoint === ANY))('any JSON route: $reason', (test) => {
    it.each(test.expect === 'reject' ? JSON_ROUTES : ['/completions'])(
      `${test.expect} ${test.id} on %s`,
      async (path) => {
        const bytes = bytesOf(test);
        const response = await send(path, bytes, test.gen?.chunked).catch((error: unknown) => {
          // The gateway does not read a body past the limit, so the connection may close before
          // the client sees the response.
          if (test.gen?.body_mb !== undefined) return { status: 413, error: null };
          throw error;
        });
        if (test.expect === 'accept') expectPassed(response, path, bytes);
        else if (test.expect === 'reject') expectRefused(response);
        else expectConsistent(response);
      },
    );
  });

  it('reports all faults at once, each with its field, its rule and its value', async () => {
    const { error } = await send(
      '/completions',
      Buffer.from(JSON.stringify({ model: 'm', n: 0, temperature: 2.5, stop: ['a', 1], best_of: 'all' })),
    );
    expect(error).toMatchObject({ type: 'validation_failed', code: 'AB01', param: 'best_of' });
    expect(error?.details).toEqual([
      { path: 'best_of', message: 'best_of must be a whole number from 0 to 20; it is a string.' },
      { path: 'n', message: 'n must be a whole number from 1 to 128; it is 0.' },
      { path: 'stop.1', message: 'stop.1 must be a string; it is 1.' },
      { path: 'temperature', message: 'temperature must be a number from 0 to 2; it is 2.5.' },
    ]);
  });

  it('never repeats a string of the request, which could be a secret, and reports at most 20 faults', async () => {
    const secret = 'sk-1234567890abcdefghijklmnopqrstuvwxyz';
    const body = { n: secret, metadata: {}, messages: [{ content: 5 }], stop: [secret, [secret]] };
    const response = await send('/completions', Buffer.from(JSON.stringify(body)));
    expectRefused(response);
    expect(JSON.stringify(response.error)).not.toContain(secret);
    const many = { logit_bias: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [String(i), 101])) };
    expect((await send('/completions', Buffer.from(JSON.stringify(many)))).error?.details).toHaveLength(20);
  });

  it('[THR-02] enforces the bounds of metadata on threads, messages, runs, assistants and vector stores', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${String(i)}`, 'v']));
    const bodies: readonly (readonly [path: string, body: object, param: string])[] = [
      ['/threads', { metadata }, 'metadata'],
      ['/threads', { messages: [{ role: 'user', content: 'x', metadata }] }, 'messages.0.metadata'],
      ['/threads/t', { metadata }, 'metadata'],
      ['/threads/t/messages', { role: 'user', content: 'x', metadata }, 'metadata'],
      ['/threads/t/messages/m', { metadata }, 'metadata'],
      ['/threads/t/runs', { metadata }, 'metadata'],
      ['/threads/t/runs/r', { metadata }, 'metadata'],
      ['/threads/runs', { thread: { metadata } }, 'thread.metadata'],
      ['/assistants', { model: 'm', metadata }, 'metadata'],
      ['/vector_stores', { metadata }, 'metadata'],
    ];
    for (const [path, body, param] of bodies) {
      const response = await send(path, Buffer.from(JSON.stringify(body)));
      expectRefused(response);
      expect(response.error?.param).toBe(param);
    }
    const characters = (length: number) => ({ metadata: { ['🚀'.repeat(64)]: '🚀'.repeat(length) } });
    expectRefused(await send('/threads', Buffer.from(JSON.stringify(characters(513)))));
    expect((await send('/threads', Buffer.from(JSON.stringify(characters(512))))).status).toBe(200);
  });

  it('[RUN-05] [RUN-06] enforces the same bounds on a run that is created with its thread', async () => {
    const bodies: readonly (readonly [body: object, param: string])[] = [
      [{ tools: Array.from({ length: 21 }, () => ({ type: 'code_interpreter' })) }, 'tools'],
      [{ max_prompt_tokens: 255 }, 'max_prompt_tokens'],
      [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
      [
        { truncation_strategy: { type: 'last_messages', last_messages: 0 } },
        'truncation_strategy.last_messages',
      ],
      [
        { tools: [{ type: 'file_search', file_search: { max_num_results: 51 } }] },
        'tools.0.file_search.max_num_results',
      ],
      [
        { tools: [{ type: 'file_search', file_search: { max_num_results: 0 } }] },
        'tools.0.file_search.max_num_results',
      ],
      [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools.0.function.name'],
      [{ tool_choice: { type: 'function' } }, 'tool_choice.function'],
      [{ tool_choice: { type: 'function', function: {} } }, 'tool_choice.function.name'],
      [{ tool_choice: 'always' }, 'tool_choice'],
      [{ response_format: { type: 'json_object' }, tools: [{ type: 'file_search' }] }, 'tools.0.type'],
    ];
    for (const path of ['/threads/runs', '/threads/thread_1/runs']) {
      for (const [body, param] of bodies) {
        const response = await send(path, Buffer.from(JSON.stringify({ assistant_id: 'a', ...body })));
        expectRefused(response);
        expect(response.error?.param).toBe(param);
      }
    }
  });

  it('[PAS-05] enforces no bounds under /proxy/, where the provider validates the body', async () => {
    const bytes = Buffer.from('{"n":0,"prompt":5');
    expect((await send('/proxy/completions', bytes)).status).toBe(200);
    expect(stub.lastRequest.url).toBe('/v1/completions');
    expect(stub.lastRequest.body.equals(bytes)).toBe(true);
  });
});
