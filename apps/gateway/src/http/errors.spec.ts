import { connect } from 'node:net';
import { ERRORS, type ErrorType } from '@gw/kernel';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface ErrorResponse {
  readonly status: number;
  readonly head: string;
  readonly body: { readonly type?: string; readonly error: Readonly<Record<string, unknown>> };
}

/** Head lines after the request line, and the body. */
interface Request {
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const KEY = { 'x-gw-api-key': '<KEY>' };
const MAIN = { ...KEY, 'x-gw-provider': '@main', 'content-type': 'application/json' };
const CHAT = 'POST /v1/chat/completions HTTP/1.1';

/** One request for each place where a request can end with an error of the gateway. */
const CASES: readonly (readonly [type: ErrorType, request: Request])[] = [
  // parser and front door
  ['request_malformed', { line: 'GET /v1/models HTTP/1.1', headers: { 'bad name': 'x' } }],
  ['request_malformed', { line: 'GET /v1/x/../models HTTP/1.1' }],
  ['headers_too_large', { line: 'GET /v1/models HTTP/1.1', headers: { 'x-pad': 'a'.repeat(100_000) } }],
  ['headers_too_large', { line: 'GET /v1/models HTTP/1.1', headers: { 'x-pad': 'a'.repeat(17_000) } }],
  ['request_incomplete', { line: 'GET /v1/models HTTP/1.1\r\nHost: a\r\nx-unfinished' }],
  ['expectation_failed', { line: 'GET /v1/models HTTP/1.1', headers: { expect: 'tea' } }],
  ['route_not_found', { line: 'GET /nothing HTTP/1.1' }],
  ['method_not_allowed', { line: 'CONNECT a:1 HTTP/1.1' }],
  ['method_not_allowed', { line: 'POST /v1/health HTTP/1.1' }],
  ['upgrade_required', { line: 'GET /v1/realtime HTTP/1.1', headers: MAIN }],
  ['unavailable', { line: 'GET /v1/configs HTTP/1.1', headers: KEY }],
  // stages
  ['header_invalid', { line: CHAT, headers: { ...MAIN, 'x-gw-metadata': '{' }, body: '{}' }],
  ['api_key_missing', { line: CHAT, body: '{}' }],
  ['api_key_invalid', { line: CHAT, headers: { 'x-gw-api-key': 'nobody' }, body: '{}' }],
  ['body_invalid', { line: CHAT, headers: MAIN, body: '{' }],
  ['body_encoding_unsupported', { line: CHAT, headers: { ...MAIN, 'content-encoding': 'gzip' }, body: '{}' }],
  ['body_too_large', { line: CHAT, headers: MAIN, body: ' '.repeat(3_000) }],
  ['validation_failed', { line: 'POST /v1/completions HTTP/1.1', headers: MAIN, body: '{"n":0}' }],
  ['config_invalid', { line: CHAT, headers: { ...KEY, 'x-gw-config': '[]' }, body: '{}' }],
  ['config_not_found', { line: CHAT, headers: { ...KEY, 'x-gw-config': 'pc-none' }, body: '{}' }],
  ['provider_missing', { line: CHAT, headers: KEY, body: '{}' }],
  ['provider_key_missing', { line: CHAT, headers: { ...KEY, 'x-gw-provider': 'openai' }, body: '{}' }],
  ['provider_unknown', { line: CHAT, headers: { ...KEY, 'x-gw-provider': 'nobody' }, body: '{}' }],
  ['provider_not_found', { line: CHAT, headers: { ...KEY, 'x-gw-provider': '@nobody' }, body: '{}' }],
  ['route_unsupported', { line: 'POST /v1/rerank HTTP/1.1', headers: MAIN, body: '{}' }],
  [
    'custom_host_refused',
    { line: CHAT, headers: { ...MAIN, 'x-gw-custom-host': 'http://a.example.org' }, body: '{}' },
  ],
  ['provider_unreachable', { line: CHAT, headers: { ...MAIN, 'x-gw-provider': '@gone' }, body: '{}' }],
  ['request_timeout', { line: CHAT, headers: { ...MAIN, 'x-gw-request-timeout': '50' }, body: '{}' }],
];

describe('gateway errors', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    const admin = await StubProvider.start();
    const gone = await StubProvider.start();
    gateway = await GatewayHarness.start({
      ADMIN_URL: admin.origin,
      MAX_BUFFERED_BODY: '2048',
      MAX_BODY: '2048',
      HEADERS_TIMEOUT: '1500',
    });
    stub = await StubProvider.start();
    stub.respond({ neverRespond: true });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('gone', 'openai', gone.origin);
    await Promise.all([admin.stop(), gone.stop()]);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = ({ line, headers = {}, body = '' }: Request): Promise<ErrorResponse> =>
    new Promise((resolve, reject) => {
      const socket = connect(gateway.port, '127.0.0.1');
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', (error) => (text === '' ? reject(error) : undefined));
      socket.on('close', () => {
        const at = text.indexOf('\r\n\r\n');
        const head = text.slice(0, at).toLowerCase();
        resolve({
          status: Number(text.slice(9, 12)),
          head,
          body: JSON.parse(text.slice(at + 4)) as ErrorResponse['body'],
        });
      });
      const lines = Object.entries(headers).map(
        ([name, value]) => `${name}: ${value.replace('<KEY>', gateway.apiKey)}\r\n`,
      );
      const end = line.includes('unfinished')
        ? ''
        : `\r\nHost: a\r\nConnection: close\r\n${lines.join('')}content-length: ${String(body.length)}\r\n\r\n${body}`;
      socket.write(line + end);
    });

  it.each(CASES)(
    '[ERR-12] %s has the common error shape, its own status and its own code: case %#',
    async (type, request) => {
      const { status, head, body } = await ask(request);
      expect(status).toBe(ERRORS[type].status);
      expect(head).toContain('content-type: application/json; charset=utf-8');
      expect(Object.keys(body)).toEqual(['error']);
      const { error } = body;
      expect(error).toMatchObject({
        type,
        code: ERRORS[type].code,
        message: expect.stringMatching(/\.$/) as string,
      });
      expect(error).toHaveProperty('param');
      expect(error['request_id'] === null || typeof error['request_id'] === 'string').toBe(true);
    },
  );

  it('[ERR-12] has Anthropic’s shape on Anthropic’s routes, with the same type and code inside', async () => {
    const { status, body } = await ask({
      line: 'POST /v1/messages HTTP/1.1',
      headers: KEY,
      body: '{"model":"m"}',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', gateway_type: 'provider_missing', code: 'AB01', param: null },
    });
  });
});
