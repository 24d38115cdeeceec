import { brotliCompressSync, gzipSync } from 'node:zlib';
import { StubProvider, type StubResponse } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

/** The harness gives a saved provider the credential `sk-<slug>`. */
const SLUG = 'echoing-provider-0123456789';
const KEY = `sk-${SLUG}`;
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const JSON_TYPE = { 'content-type': 'application/json' };
const wrong = (key: string): string => `{"error":{"message":"wrong key ${key}","code":"x"}}`;
const escaped = [...KEY].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
const event = `data: {"error":{"message":"wrong key ${KEY}"}}\n\n`;

describe('a saved credential that its provider repeats', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider(SLUG, 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ROUTES = ['/chat/completions', '/proxy/chat/completions'];
  const saved = { 'x-gw-provider': `@${SLUG}` };
  const ask = (
    response: StubResponse,
    path: string,
    headers: TestRequest['headers'] = saved,
  ): Promise<TestResponse> => {
    stub.respond(response);
    return asker.ask(path, { ...ASK, stream: response.headers === SSE }, { headers });
  };
  /** The response as a client decodes it. */
  const shown = ({ text }: TestResponse): string => {
    try {
      return text + JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  };
  const reads = (key: string): RegExp => new RegExp(key.slice(4, -4), 'i');

  const SSE = { 'content-type': 'text/event-stream' };
  const error = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): StubResponse => ({
    status: 401,
    headers,
    body,
  });
  const coded = (coding: string): Record<string, string> => ({ ...JSON_TYPE, 'content-encoding': coding });
  const errors: readonly (readonly [string, StubResponse])[] = [
    ['as it is', error(wrong(KEY))],
    ['in gzip', error(gzipSync(wrong(KEY)), coded('gzip'))],
    ['in br', error(brotliCompressSync(wrong(KEY)), coded('br'))],
    ['in an unknown content encoding', error(wrong(KEY), coded('compress'))],
    ['behind 3 MB', error(JSON.stringify({ pad: 'x'.repeat(3e6), error: { message: KEY } }))],
    [
      'in two pieces',
      {
        status: 401,
        headers: JSON_TYPE,
        steps: [{ chunk: wrong(KEY).slice(0, 40) }, { chunk: wrong(KEY).slice(40) }],
      },
    ],
    ['in escapes', error(wrong(escaped))],
    ['in upper case', error(wrong(KEY.toUpperCase()))],
    ['without its last letter', error(wrong(KEY.slice(0, -1)))],
    [
      'in a response that breaks off',
      {
        status: 401,
        headers: { ...JSON_TYPE, 'content-length': '999' },
        steps: [{ chunk: wrong(KEY) }, { cut: 'reset' }],
      },
    ],
  ];
  it.each(errors.flatMap(([name, response]) => ROUTES.map((path) => [name, path, response] as const)))(
    'removes the credential from an error %s, on %s',
    async (_name, path, answer) => {
      const response = await ask(answer, path);
      expect(response.status).toBe(401);
      expect(shown(response)).toContain('error');
      expect(shown(response)).not.toMatch(reads(KEY));
    },
  );

  it('removes the credential from an encoded passthrough error, and sends it without encoding', async () => {
    const response = await ask(error(gzipSync(wrong(KEY)), coded('gzip')), '/proxy/chat/completions');
    expect([response.text, response.headers.get('content-encoding')]).toEqual([wrong('[credential]'), null]);
  });

  it.each(ROUTES)('withholds an error that cannot be read, and reports why, on %s', async (path) => {
    const response = await ask(error('x'.repeat(1_048_577)), path);
    const { error: said } = JSON.parse(response.text) as { error: { message: string } };
    expect([response.status, said.message]).toEqual([
      401,
      "The provider's response is larger than the 1048576 bytes that the gateway reads.",
    ]);
  });

  const echo = JSON.stringify({ headers: { authorization: `Bearer ${KEY}` }, choices: [] });
  const responses: readonly (readonly [string, StubResponse])[] = [
    ['an answer', { headers: JSON_TYPE, body: echo }],
    [
      'a response in two pieces',
      { headers: JSON_TYPE, steps: [{ chunk: echo.slice(0, 50) }, { chunk: echo.slice(50) }] },
    ],
    ['an event of a stream', { headers: SSE, steps: [{ chunk: event }, { chunk: 'data: [DONE]\n\n' }] }],
  ];
  it.each(responses.flatMap(([name, response]) => ROUTES.map((path) => [name, path, response] as const)))(
    'masks the credential in %s, on %s',
    async (_name, path, answer) => {
      const response = await ask(answer, path);
      expect(response.status).toBe(200);
      expect(response.text).toContain('***');
      expect(response.text).not.toMatch(reads(KEY));
    },
  );

  it('forwards a response unchanged when the repeated credential is the caller’s own', async () => {
    const headers = {
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${stub.origin}/v1`,
      authorization: `Bearer ${KEY}`,
    };
    const bytes = gzipSync(wrong(KEY));
    const response = await ask(error(bytes, coded('gzip')), '/proxy/chat/completions', headers);
    expect([response.headers.get('content-encoding'), response.text]).toEqual(['gzip', wrong(KEY)]);
    expect((await ask({ headers: JSON_TYPE, body: echo }, '/chat/completions', headers)).text).toBe(echo);
  });
});
