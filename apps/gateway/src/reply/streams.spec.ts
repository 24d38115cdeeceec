import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const event = (text: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

describe('streams', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  /** Not for the other tests: on a busy machine any stream may be silent for this long. */
  const keepAliveSoon = async (): Promise<void> => {
    await gateway.stop();
    gateway = await GatewayHarness.start({ STREAM_KEEP_ALIVE: '120' });
    gateway.addProvider('main', 'openai', stub.origin);
  };
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const ask = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
      },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [] }),
      ...(signal ? { signal } : {}),
    });

  it('sends a comment while the provider is silent, between events only', async () => {
    await keepAliveSoon();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    stub.respond({
      headers: EVENTS,
      steps: [{ chunk: event('a') }, { until: held }, { chunk: event('b') + DONE }],
    });
    const response = await ask('/chat/completions');
    let text = '';
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(piece).toString();
      if (text.includes(': keep-alive\n\n')) release();
    }
    expect(text.replaceAll(': keep-alive\n\n', '')).toBe(event('a') + event('b') + DONE);
  });

  it('adds nothing to a silent stream inside an event', async () => {
    await keepAliveSoon();
    const whole = event('a');
    stub.respond({
      headers: EVENTS,
      steps: [{ chunk: whole.slice(0, 20) }, { waitMs: 400 }, { chunk: whole.slice(20) + DONE }],
    });
    expect(await (await ask('/chat/completions')).text()).toContain(whole);
  });

  it('[PAS-02] adds nothing to a passthrough stream', async () => {
    await keepAliveSoon();
    stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }, { waitMs: 400 }, { chunk: event('b') }] });
    expect(await (await ask('/proxy/chat/completions')).text()).toBe(event('a') + event('b'));
  });

  it('breaks a passthrough stream that the provider broke, so that it cannot look complete', async () => {
    stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }, { waitMs: 20 }, { cut: 'reset' }] });
    const response = await ask('/proxy/chat/completions');
    await expect(response.text()).rejects.toThrow();
    const [record] = await gateway.records();
    expect(record).toMatchObject({ outcome: 'interrupted', errorType: 'stream_interrupted' });
  });

  it('ends a built-in stream without an end mark with an error event, even if the provider ended cleanly', async () => {
    stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }] });
    const text = await (await ask('/chat/completions')).text();
    expect(text.startsWith(event('a'))).toBe(true);
    expect(text).toContain('stream_interrupted');
    expect(text).not.toContain('[DONE]');
  });

  it('sends the first byte at once, long before the second arrives', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }, { until: held }, { chunk: DONE }] });
    const response = await ask('/chat/completions');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value as Uint8Array).toString()).toBe(event('a'));
    release();
    while (!(await reader.read()).done);
  });

  it('has the record in the journal before the client can receive the end mark', async () => {
    stub.respond({ headers: EVENTS, steps: [{ chunk: event('a') }, { chunk: DONE }, { hang: true }] });
    const leaving = new AbortController();
    const response = await ask('/chat/completions', leaving.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('[DONE]'))
      text += Buffer.from((await reader.read()).value as Uint8Array).toString();
    const records = await gateway.records();
    expect(records).toMatchObject([{ outcome: 'ok', status: 200 }]);
    leaving.abort();
    await eventually(() => stub.lastRequest.cancelled);
    expect(await gateway.records()).toMatchObject([{ outcome: 'ok' }]);
  });

  it('keeps as much of a long stream as the log needs, and marks it as truncated', async () => {
    const pieces = Array.from({ length: 40 }, (_, index) =>
      event(`${String(index)}${'x'.repeat(16 * 1_024)}`),
    );
    stub.respond({ headers: EVENTS, steps: [...pieces, DONE].map((chunk) => ({ chunk })) });
    expect((await (await ask('/chat/completions')).text()).length).toBe([...pieces, DONE].join('').length);
    const [record] = await gateway.records();
    expect(record).toMatchObject({ outcome: 'ok', responseBodyTruncated: true });
    const kept = String(record?.responseBody);
    expect(pieces.join('').startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(200 * 1_024);
    expect(kept.length).toBeLessThanOrEqual(262_144);
  });

  it('stops reading from the provider while the client does not read, and continues when it does', async () => {
    const piece = Buffer.from(event('x'.repeat(64 * 1_024)));
    const pieces = 1_000;
    const provider = await startPatient(piece, pieces);
    gateway.addProvider('patient', 'openai', provider.origin);
    const socket = openUnread(gateway);
    await eventually(() => hasStopped(provider));
    expect(provider.written()).toBeLessThan(pieces / 2);
    let tail = '';
    socket.on('data', (data: Buffer) => (tail = (tail + data.toString('latin1')).slice(-64)));
    socket.resume();
    await eventually(() => tail.includes('[DONE]'));
    expect(provider.written()).toBe(pieces);
    socket.destroy();
    provider.stop();
  });
});

interface Patient {
  readonly origin: string;
  /** Number of chunks that the socket has accepted so far. */
  written(): number;
  stop(): void;
}

/** A provider that writes a chunk whenever its socket accepts one. */
async function startPatient(piece: Buffer, pieces: number): Promise<Patient> {
  let written = 0;
  const server = createServer((req, res) => {
    res.writeHead(200, EVENTS);
    const writeSome = (): void => {
      while (written < pieces) {
        written += 1;
        if (!res.write(piece)) {
          res.once('drain', writeSome);
          return;
        }
      }
      res.end(DONE);
    };
    req.resume();
    writeSome();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    written: () => written,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Waits until ten checks in a row show no new chunk. */
const hasStopped = (() => {
  let last = 0;
  let same = 0;
  return (provider: Patient): boolean => {
    const now = provider.written();
    same = now > 0 && now === last ? same + 1 : 0;
    last = now;
    return same >= 10;
  };
})();

function openUnread(gateway: GatewayHarness): Socket {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.pause();
  const body = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [] });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @patient\r\n` +
      `content-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
  );
  return socket;
}
