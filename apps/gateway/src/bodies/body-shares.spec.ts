import { connect, type Socket } from 'node:net';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';

const MIB = 1_048_576;
const OTHER_KEY = 'otherKey0000000000000000000000AB';
const PATIENT = { timeoutMs: 90_000 };

describe('memory for request bodies, shared by workspaces', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let sockets: Socket[];

  const start = async (over: Record<string, string> = {}): Promise<void> => {
    gateway = await GatewayHarness.start({ MAX_BODY_MEMORY: String(64 * MIB), ...over });
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(OTHER_KEY, { workspaceId: OTHER_WORKSPACE_ID });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('main', 'openai', stub.origin, { workspaceId: OTHER_WORKSPACE_ID });
  };

  beforeEach(async () => {
    sockets = [];
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
    await stub.stop();
  });

  /** Sends the head and the given part of the body; appends the response to `text`. */
  const open = (head: string, body: string | Buffer, key = gateway.apiKey): { text: string } => {
    const socket = connect(gateway.port, '127.0.0.1');
    const response = { text: '' };
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => (response.text += data.toString()));
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${key}\r\nx-gw-provider: @main\r\n` +
        `content-type: application/json\r\n${head}\r\n\r\n`,
    );
    socket.write(body);
    return response;
  };
  const ask = async (key: string, headers: Record<string, string> = {}): Promise<[number, string]> => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...headers,
      },
      body: '{"model":"gpt-4o","messages":[]}',
    });
    return [response.status, ((await response.json()) as { error?: { type: string } }).error?.type ?? ''];
  };
  const heldOf = (type: string): Promise<number> =>
    gateway.records().then((records) => records.filter(({ errorType }) => errorType === type).length);

  it('reserves no memory for bytes that are only announced', async () => {
    await start({ MAX_BODY_MEMORY: String(50 * MIB) });
    for (let index = 0; index < 57; index += 1) {
      open(
        index % 2 === 0 ? 'content-length: 10485760' : 'transfer-encoding: chunked',
        index % 2 === 0 ? '{' : '1\r\n{\r\n',
      );
    }
    // The gateway has read what arrived once the first bytes of all requests are acknowledged.
    await eventually(() =>
      sockets.every(({ bytesWritten, writableLength }) => bytesWritten > 0 && writableLength === 0),
    );
    for (let index = 0; index < 5; index += 1) {
      expect(await ask(gateway.apiKey)).toEqual([200, '']);
      expect(await ask(OTHER_KEY)).toEqual([200, '']);
    }
  });

  it('refuses bodies above the share of a workspace, and serves another workspace meanwhile', async () => {
    await start();
    const part = Buffer.alloc(9 * MIB, ' ');
    const responses = Array.from({ length: 7 }, () => open('content-length: 10485760', part));
    // The share is half of 64 MiB: three bodies of 9 MiB fit, the other four are refused.
    await eventually(
      () => responses.filter(({ text }) => text.startsWith('HTTP/1.1 503')).length === 4,
      PATIENT,
    );
    expect(responses.find(({ text }) => text !== '')?.text).toMatch(/retry-after: 1\r\n/i);
    expect(await heldOf('unavailable')).toBe(4);
    expect(await ask(OTHER_KEY)).toEqual([200, '']);
  });

  it('ends a body that arrives more slowly than the minimum rate, however often a byte arrives', async () => {
    await start({ BODY_IDLE_TIMEOUT: '500', BODY_MIN_RATE: '1000' });
    const response = open('content-length: 1000', '{');
    const spooled = open('content-length: 20000000', '{');
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write(' ');
    }, 50);
    await eventually(
      () => response.text.startsWith('HTTP/1.1 4') && spooled.text.startsWith('HTTP/1.1 4'),
      PATIENT,
    );
    clearInterval(drip);
    expect(response.text).toContain('request_incomplete');
  });

  it('refuses a key with an exhausted limit on its headers, without reading the body or compiling the config', async () => {
    await start();
    gateway.addKey(OTHER_KEY, {
      workspaceId: OTHER_WORKSPACE_ID,
      rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }],
    });
    expect(await ask(OTHER_KEY)).toEqual([200, '']);
    expect(await ask(OTHER_KEY)).toEqual([429, 'rate_limited']);
    // A config that does not compile would return 400 if the gateway compiled it.
    expect(await ask(OTHER_KEY, { 'x-gw-config': '{"strategy":1}' })).toEqual([429, 'rate_limited']);
    const response = open('content-length: 10485760', '', OTHER_KEY);
    await eventually(() => response.text.startsWith('HTTP/1.1 429'));
  });

  it('counts the memory of the parsed form of a body that is parsed', async () => {
    await start({ MAX_BODY_MEMORY: String(16 * MIB) });
    const config = {
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'params.user': 'a' }, then: 'b' }],
        default: 'b',
      },
      targets: [{ name: 'b' }],
    };
    const post = async (content: object): Promise<number> => {
      const headers = {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'x-gw-config': JSON.stringify(config),
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ model: 'gpt-4o', messages: [], metadata: content });
      return (await fetch(`${gateway.baseUrl}/chat/completions`, { method: 'POST', headers, body })).status;
    };
    // A parsed empty object takes twenty times the bytes of its text.
    expect(await post({ text: 'x'.repeat(MIB) })).toBe(200);
    expect(await post(Array.from({ length: 190_000 }, () => ({})))).toBe(503);
    // The memory of the refused request is free again.
    expect(await post({ text: 'x'.repeat(MIB) })).toBe(200);
  });
});
