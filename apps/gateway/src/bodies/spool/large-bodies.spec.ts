import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

const MIB = 1_048_576;
const SIZE = 20 * MIB;
/** Random bytes: a piece that is lost, repeated or moved changes the hash. */
/** The first byte cannot begin JSON. */
const BODY = randomBytes(SIZE).fill(0, 0, 1);

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Number of spool files that this process has open. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('/spool/');
    } catch {
      return false;
    }
  }).length;

interface GatewayResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly json: { readonly error?: { readonly type: string; readonly message: string } };
}

const PATIENTLY = { timeoutMs: 90_000 };

describe('bodies that are too large for memory', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;

  const startGateway = async (environment: Record<string, string> = {}): Promise<void> => {
    gateway = await GatewayHarness.start({ MAX_BUFFERED_BODY: '10485760', ...environment });
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
  };

  beforeEach(async () => {
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    first.respondJson({ from: 'first' });
    second.respondJson({ from: 'second' });
    await startGateway();
  });
  afterEach(async () => {
    await gateway.stop();
    await Promise.all([first.stop(), second.stop()]);
    await eventually(() => openFiles() === 0);
  });

  const headersOf = (over: Record<string, string> = {}): Record<string, string> => ({
    'x-gw-api-key': gateway.apiKey,
    'x-gw-provider': '@first',
    'content-type': 'application/octet-stream',
    ...over,
  });

  const begin = (path: string, headers: Record<string, string>): ClientRequest => {
    const req = httpRequest(`${gateway.baseUrl}${path}`, { method: 'POST', headers: headersOf(headers) });
    req.on('error', () => undefined);
    return req;
  };

  const post = (
    path: string,
    body: Buffer,
    headers: Record<string, string> = {},
  ): Promise<GatewayResponse> => {
    const req = begin(path, { 'content-length': String(body.length), ...headers });
    req.end(body);
    return responseOf(req);
  };

  const config = (value: object): Record<string, string> => ({
    'x-gw-config': JSON.stringify(value),
    'x-gw-provider': '@first',
  });

  /**
   * A form with a file of the given bytes before its model, the order in which most SDKs write it.
   */
  const formWith = (model: string, file: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('--XYZ\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'),
      file,
      Buffer.from(`\r\n--XYZ\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--XYZ--\r\n`),
    ]);
  const FORM = { 'content-type': 'multipart/form-data; boundary=XYZ' };

  it('[PAS-03] sends identical bytes again when the provider requires a retry', async () => {
    first.respond({ status: 503 }, { body: { from: 'first' } });
    const response = await post('/things', BODY, config({ retry: { attempts: 2, on_status_codes: [503] } }));
    expect(response).toMatchObject({ status: 200, json: { from: 'first' } });
    expect(first.requests.map(({ body }) => sha(body))).toEqual([sha(BODY), sha(BODY)]);
    expect(first.requests.map(({ headers }) => headers['content-length'])).toEqual([
      String(SIZE),
      String(SIZE),
    ]);
    expect((await gateway.records())[0]).toMatchObject({
      requestBytes: SIZE,
      requestBodyTruncated: true,
      retries: 1,
      outcome: 'ok',
    });
  });

  it('[PAS-03] sends identical bytes to the next target when one fails or cuts the connection', async () => {
    const targets = [{ provider: '@first' }, { provider: '@second' }];
    const fallback = config({ strategy: { mode: 'fallback' }, targets });
    for (const broken of [{ status: 500 }, { raw: '' }]) {
      first.respond(broken);
      expect((await post('/things', BODY, fallback)).json).toEqual({ from: 'second' });
      expect(sha(second.lastRequest.body)).toBe(sha(BODY));
    }
  });

  it('[PAS-03] retries after the provider has cut the connection in the middle of an upload', async () => {
    const sums: string[] = [];
    let requested = 0;
    const server = createServer((req, res) => {
      requested += 1;
      const isCut = requested === 1;
      const hash = createHash('sha256');
      req.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        if (isCut) req.socket.resetAndDestroy();
      });
      req.on('error', () => undefined);
      req.on('end', () => {
        sums.push(hash.digest('hex'));
        res.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    gateway.addProvider('first', 'openai', `http://127.0.0.1:${String(port)}`);
    expect((await post('/things', BODY, config({ retry: { attempts: 1 } }))).status).toBe(200);
    expect([requested, sums]).toEqual([2, [sha(BODY)]]);
    server.closeAllConnections();
    server.close();
  });

  it('accepts a chunked body without a length, and sends its length to the provider', async () => {
    const req = begin('/things', {});
    for (let at = 0; at < SIZE; at += 300_000) req.write(BODY.subarray(at, at + 300_000));
    req.end();
    expect((await responseOf(req)).status).toBe(200);
    expect(sha(first.lastRequest.body)).toBe(sha(BODY));
    expect(first.lastRequest.headers).toMatchObject({ 'content-length': String(SIZE) });
    expect(first.lastRequest.headers['transfer-encoding']).toBeUndefined();
  });

  it('keeps a chunked body that turns out small in memory, and logs it', async () => {
    const req = begin('/things', {});
    req.write('one');
    req.end('two');
    expect((await responseOf(req)).status).toBe(200);
    expect(first.lastRequest.body.toString()).toBe('onetwo');
    expect((await gateway.records())[0]?.requestBody?.toString()).toBe('onetwo');
  });

  it('refuses a chunked body above MAX_BODY or the spool size with 413, and one without room now with 503', async () => {
    await gateway.stop();
    await startGateway({ SPOOL_MAX_BYTES: String(48 * MIB) });
    const announced = begin('/things', { 'content-length': String(49 * MIB) });
    announced.write('x');
    expect((await responseOf(announced)).status).toBe(413);
    announced.destroy();
    const req = begin('/things', {});
    const refused = responseOf(req);
    for (let i = 0; i < 49; i += 1) req.write(Buffer.alloc(MIB));
    req.end();
    expect(await refused).toMatchObject({ status: 413, json: { error: { type: 'body_too_large' } } });

    // Bytes that have arrived count, and a workspace that is alone may use half of the spool.
    const slow = begin('/things', { 'content-length': String(23 * MIB) });
    slow.write(Buffer.alloc(22 * MIB));
    await eventually(() => openFiles() === 1 && slow.socket?.writableLength === 0);
    const full = await post('/things', BODY);
    expect(full).toMatchObject({ status: 503, json: { error: { type: 'unavailable' } } });
    expect(full.headers['retry-after']).toBe('1');
    slow.destroy();
    await eventually(async () => (await post('/things', BODY)).status === 200, PATIENTLY);
  });

  it('returns 408 when an upload stalls, and frees its room', async () => {
    await gateway.stop();
    await startGateway({ BODY_IDLE_TIMEOUT: '300' });
    const req = begin('/things', { 'content-length': String(SIZE) });
    const response = responseOf(req);
    req.write(BODY.subarray(0, 5 * MIB));
    await eventually(() => openFiles() === 1);
    expect(await response).toMatchObject({ status: 408, json: { error: { type: 'request_incomplete' } } });
    await eventually(() => openFiles() === 0);
    expect(first.requests).toHaveLength(0);
    req.destroy();
  });

  it('leaves no file and no handle open when the client disconnects during an upload or an attempt', async () => {
    const uploading = begin('/things', { 'content-length': String(SIZE) });
    uploading.write(BODY.subarray(0, 5 * MIB));
    await eventually(() => openFiles() === 1);
    uploading.destroy();
    await eventually(() => openFiles() === 0);

    first.respond({ neverRespond: true });
    const waiting = begin('/things', { 'content-length': String(SIZE) });
    waiting.end(BODY);
    await first.waitForRequest(1, PATIENTLY.timeoutMs);
    waiting.destroy();
    await eventually(() => openFiles() === 0);
    await eventually(() => first.lastRequest.cancelled);
    const records = await eventually(async () => {
      const found = await gateway.records();
      return found.length === 2 ? found : undefined;
    });
    expect(records.map(({ outcome }) => outcome)).toEqual(['client_closed', 'client_closed']);
  });

  it('frees the file of a body that is refused after it was received', async () => {
    const refused = await post('/things', BODY, { 'x-gw-config': 'no-such-config' });
    expect(refused).toMatchObject({ status: 400, json: { error: { type: 'config_not_found' } } });
    await eventually(() => openFiles() === 0);
  });

  it('responds to expect: 100-continue and accepts the body', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    let response = '';
    socket.on('data', (data) => (response += data.toString()));
    socket.write(
      `POST /v1/things HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @first\r\n` +
        `expect: 100-continue\r\ncontent-length: ${String(SIZE)}\r\n\r\n`,
    );
    await eventually(() => response.startsWith('HTTP/1.1 100 '));
    socket.write(BODY);
    await eventually(() => response.includes('HTTP/1.1 200 '), PATIENTLY);
    socket.destroy();
    expect(sha(first.lastRequest.body)).toBe(sha(BODY));
  });

  it('finds the model of a form after its file, and applies the allow-list', async () => {
    const models = { allowAllModels: false, models: [model('whisper-1')] };
    gateway.addProvider('first', 'openai', first.origin, models);
    const allowed = formWith('whisper-1', BODY);
    expect((await post('/audio/transcriptions', allowed, FORM)).status).toBe(200);
    expect(sha(first.lastRequest.body)).toBe(sha(allowed));
    for (const refused of [
      formWith('expensive', BODY),
      Buffer.concat([formWith('whisper-1', BODY).subarray(0, -9), formWith('expensive', BODY)]),
    ]) {
      const response = await post('/audio/transcriptions', refused, FORM);
      expect(response).toMatchObject({ status: 412, json: { error: { type: 'model_not_enabled' } } });
    }
    const json = Buffer.from(`{"input":"${'a'.repeat(SIZE)}","model":"expensive"}`);
    expect((await post('/proxy/things', json, { 'content-type': 'text/plain' })).status).toBe(412);
    // Unreadable bytes could name any model.
    expect((await post('/proxy/things', BODY)).status).toBe(412);
    expect(first.requests).toHaveLength(1);
  });

  it('removes only the slug from the model of a form or an object', async () => {
    const send = (path: string, body: Buffer, headers: Record<string, string>): Promise<GatewayResponse> => {
      const req = begin(path, { 'content-length': String(body.length), ...headers });
      req.removeHeader('x-gw-provider');
      req.end(body);
      return responseOf(req);
    };
    expect((await send('/audio/transcriptions', formWith('@first/whisper-1', BODY), FORM)).status).toBe(200);
    expect(sha(first.lastRequest.body)).toBe(sha(formWith('whisper-1', BODY)));
    const json = (name: string): Buffer =>
      Buffer.from(`{"input":"${'a'.repeat(SIZE)}","model":"${name}","x":1}`);
    const type = { 'content-type': 'application/json' };
    expect((await send('/proxy/things', json('@first/gpt'), type)).status).toBe(200);
    expect(sha(first.lastRequest.body)).toBe(sha(json('gpt')));
  });

  it('writes the model of a rule into a form, so that the model sent is the one that was checked', async () => {
    const models = { allowAllModels: false, models: [model('cheap')] };
    gateway.addProvider('first', 'openai', first.origin, models);
    const rule = config({ override_params: { model: 'cheap' } });
    const small = Buffer.alloc(100, 1);
    for (const file of [small, BODY]) {
      const requested = formWith('expensive', file);
      expect((await post('/audio/transcriptions', requested, { ...rule, ...FORM })).status).toBe(200);
      expect(sha(first.lastRequest.body)).toBe(sha(formWith('cheap', file)));
      const hidden = Buffer.from(
        requested.toString('latin1').replace('name="model"', 'name=model'),
        'latin1',
      );
      expect((await post('/audio/transcriptions', hidden, { ...rule, ...FORM })).status).toBe(412);
      expect((await post('/proxy/things', file, rule)).status).toBe(412);
    }
  });

  it('refuses an object that a parameter rule would have to change, instead of sending it unchanged', async () => {
    const json = Buffer.from(`{"input":"${'a'.repeat(SIZE)}","model":"m"}`);
    const rule = config({ override_params: { temperature: 0 } });
    const type = { 'content-type': 'application/json' };
    const refused = await post('/proxy/things', json, { ...rule, ...type });
    expect(refused).toMatchObject({ status: 413, json: { error: { type: 'body_too_large' } } });
    expect(first.requests).toHaveLength(0);
    expect((await post('/proxy/things', BODY, rule)).status).toBe(200);
  });

  it('routes by the model of an object that is not parsed', async () => {
    const json = Buffer.from(`{"input":"${'a'.repeat(SIZE)}","model":"m"}`);
    const byModel = config({
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'params.model': { $eq: 'm' } }, then: 'two' }],
        default: 'one',
      },
      targets: [
        { name: 'one', provider: '@first' },
        { name: 'two', provider: '@second' },
      ],
    });
    const response = await post('/proxy/things', json, { ...byModel, 'content-type': 'application/json' });
    expect(response.json).toEqual({ from: 'second' });
  });
});

function responseOf(req: ClientRequest): Promise<GatewayResponse> {
  return new Promise((resolve, reject) => {
    req.once('error', reject);
    req.once('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('end', () => {
        const json = JSON.parse(Buffer.concat(chunks).toString()) as GatewayResponse['json'];
        resolve({ status: res.statusCode ?? 0, headers: res.headers, json });
      });
    });
  });
}

const model = (slug: string) => ({
  slug,
  enabled: true,
  isCustom: false,
  baseModelSlug: null,
  customHost: null,
  customHeaders: {},
  price: null,
});
