import { eventually, StubProvider } from '@gw/testing';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { GatewayHarness } from './spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const event = (text: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

describe('shutdown of the gateway', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('other', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const headers = (config: object = { provider: '@main' }): Record<string, string> => ({
    'content-type': 'application/json',
    'x-gw-api-key': gateway.apiKey,
    'x-gw-config': JSON.stringify(config),
  });
  const ask = (config?: object, stream = false): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: headers(config),
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [] }),
    });
  const FALLBACK = {
    strategy: { mode: 'fallback' },
    targets: [{ provider: '@main', retry: { attempts: 3 } }, { provider: '@other' }],
  };

  it('reports that it is not ready as soon as the drain is announced, and continues to serve', async () => {
    const url = `${gateway.baseUrl}/health`;
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    gateway.drain.announce();
    const ready = await fetch(`${url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping', lacks: [] }]);
    expect((await fetch(`${url}/live`)).status).toBe(200);
    stub.respondJson({ id: 'c', object: 'chat.completion', choices: [] });
    const response = await ask();
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  });

  it.each(['fail', 'restart', 'continue'])(
    'ends an open stream with on_stream_failure %s with a shutdown error, and logs it',
    async (onStreamFailure) => {
      stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }, { hang: true }] });
      const response = await ask({ provider: '@main', on_stream_failure: onStreamFailure }, true);
      const text = response.text();
      await stub.waitForRequest();
      await eventually(
        () => gateway.plane.requestsInFlight.olderThan(Infinity)[0]?.reply.firstByteAt ?? false,
      );
      await gateway.plane.interrupt();
      const events = (await text).trim().split('\n\n');
      expect(JSON.parse((events.at(-1) ?? '').slice('data: '.length))).toMatchObject({
        error: {
          type: 'gateway_stopping',
          message: 'This gateway is shutting down; send the request again.',
        },
      });
      expect(stub.requests).toHaveLength(1);
      expect(await gateway.records()).toMatchObject([
        { outcome: 'interrupted', errorType: 'gateway_stopping' },
      ]);
    },
  );

  it('returns 503 for a request that waits for its provider, and calls no other target', async () => {
    stub.respond({ neverRespond: true });
    const response = ask(FALLBACK);
    await stub.waitForRequest();
    await gateway.plane.interrupt();
    const { status, headers: responded } = await response;
    expect([status, responded.get('retry-after')]).toEqual([503, '1']);
    expect(await (await response).json()).toMatchObject({ error: { type: 'gateway_stopping' } });
    expect(stub.requests).toHaveLength(1);
    expect(await gateway.records()).toMatchObject([{ errorType: 'gateway_stopping', status: 503 }]);
  });

  it('returns 503 for a request whose body is still arriving, and logs that', async () => {
    const open = request(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { ...headers(), 'content-length': '1000' },
    });
    open.on('error', () => undefined);
    open.write('{');
    await eventually(() => !gateway.plane.requestsInFlight.isEmpty);
    const [[response]] = await Promise.all([once(open, 'response'), gateway.plane.interrupt()]);
    expect((response as { statusCode: number }).statusCode).toBe(503);
    expect(await gateway.records()).toMatchObject([
      { outcome: 'interrupted', errorType: 'gateway_stopping' },
    ]);
    open.destroy();
  });

  it('refuses later requests on open connections with 503 and Retry-After, and closes the connection', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    await once(socket, 'connect');
    gateway.drain.announce();
    await gateway.plane.interrupt();
    const fields = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n${fields.join('')}\r\n{}`,
    );
    let read = '';
    for await (const piece of socket) read += String(piece);
    expect(read).toMatch(/^HTTP\/1.1 503 /);
    expect(read).toMatch(/retry-after: 1\r\n/i);
    expect(read).toMatch(/connection: close\r\n/i);
    expect(read).toContain('"type":"gateway_stopping"');
    expect(stub.requests).toHaveLength(0);
  });
});
