import { Shares } from '@gw/kernel';
import {
  constants,
  createGzip,
  brotliCompressSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import {
  closedAfterEach,
  eventsOf,
  failureOf,
  result,
  rpcError,
  until,
  type Received,
} from './spec-support/fixture';
import { modernServer } from './spec-support/modern-server';
import { UPSTREAM_BOUNDS } from './limits';

const { serve, upstream } = closedAfterEach();

const CODINGS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
};
const EACH = Object.keys(CODINGS) as (keyof typeof CODINGS)[];
const RESULT = { content: [{ type: 'text', text: 'é'.repeat(10_000) }] };
const messageEvent = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`;

/** Starts a server that compresses its responses to tool calls, whatever the client accepts. */
const compressing = async (
  coding: string,
  body: (received: Received) => Buffer | string,
  { type = 'application/json', status = 200, compress = true } = {},
) => {
  const server = await serve(
    modernServer({
      'tools/call': (received, res) => {
        const plain = Buffer.from(body(received));
        const encode = CODINGS[coding as keyof typeof CODINGS] as ((body: Buffer) => Buffer) | undefined;
        res.writeHead(status, { 'content-type': type, 'content-encoding': coding });
        res.end(compress && encode !== undefined ? encode(plain) : plain);
      },
    }),
  );
  return server.url;
};
const call = { name: 'a' };

describe('compressed responses of an upstream', () => {
  it.each(EACH)('are read with the coding %s, as JSON and as a stream', async (coding) => {
    const json = await compressing(coding, (received) => JSON.stringify(result(received, RESULT)));
    expect(await upstream(json).request('tools/call', call)).toEqual(RESULT);
    const progress = { method: 'notifications/message', params: { level: 'info', data: 'working' } };
    const stream = await compressing(
      coding,
      (received) => messageEvent({ jsonrpc: '2.0', ...progress }) + messageEvent(result(received, RESULT)),
      { type: 'text/event-stream' },
    );
    expect(await eventsOf(upstream(stream).call(call))).toMatchObject([
      { kind: 'notification', ...progress },
      { kind: 'result', result: RESULT },
    ]);
  });

  it('are read if they report an error', async () => {
    const url = await compressing('gzip', (received) => JSON.stringify(rpcError(received, -32_602, 'Bad.')), {
      status: 400,
    });
    expect(await failureOf(upstream(url).request('tools/call', call))).toMatchObject({
      ...{ kind: 'rpc_error', status: 400, rpc: { code: -32_602, message: 'Bad.' } },
    });
  });

  it('deliver each event when it is sent', async () => {
    let isSeen = false;
    const server = await serve(
      modernServer({
        'tools/call': async (received, res) => {
          res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
          const gzip = createGzip();
          gzip.pipe(res);
          gzip.write(messageEvent({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
          gzip.flush();
          await until(() => isSeen);
          gzip.end(messageEvent(result(received, RESULT)));
        },
      }),
    );
    const kinds: string[] = [];
    for await (const { kind } of upstream(server.url).call(call)) {
      kinds.push(kind);
      isSeen = true;
    }
    expect(kinds).toEqual(['notification', 'result']);
  });

  it.each(EACH)('are refused with the coding %s if a message expands beyond its bound', async (coding) => {
    const bomb = Buffer.alloc(UPSTREAM_BOUNDS.messageBytesMax + 1, 0x20);
    for (const type of ['application/json', 'text/event-stream']) {
      const url = await compressing(coding, () => bomb, { type });
      expect(await failureOf(upstream(url).request('tools/call', call))).toMatchObject({
        kind: 'too_large',
      });
    }
  });

  it('are refused if they expand beyond the bound of a call, even if all of it is comments', async () => {
    const comments = Buffer.from(`:${' '.repeat(1_000_000)}\n\n`.repeat(68));
    const url = await compressing('gzip', () => comments, { type: 'text/event-stream' });
    expect(await failureOf(upstream(url).request('tools/call', call))).toMatchObject({ kind: 'too_large' });
  });

  it('are counted with their decoded bytes, and with their decoder while it runs', async () => {
    const json = await compressing('gzip', () => Buffer.alloc(1_000_000, 0x20));
    const small = new Shares(400_000);
    const memory = small.of('workspace', 'organisation');
    expect(await failureOf(upstream(json, { memory }).request('tools/call', call))).toMatchObject({
      kind: 'no_memory',
    });
    const stream = await compressing('br', (received) => messageEvent(result(received, RESULT)), {
      type: 'text/event-stream',
    });
    expect(await failureOf(upstream(stream, { memory }).request('tools/call', call))).toMatchObject({
      kind: 'no_memory',
    });
    await until(() => small.held === 0);
    const large = new Shares(100_000_000);
    const roomy = { memory: large.of('workspace', 'organisation') };
    expect(await upstream(stream, roomy).request('tools/call', call)).toEqual(RESULT);
    await until(() => large.held === 0);
  });

  it('are refused if they do not have their coding, or name an unknown one or several', async () => {
    for (const [coding, compress] of [
      ['gzip', false],
      ['zstd', false],
      ['compress', true],
      ['gzip, br', true],
    ] as const)
      for (const type of ['application/json', 'text/event-stream']) {
        const url = await compressing(coding, (received) => JSON.stringify(result(received, RESULT)), {
          ...{ type, compress },
        });
        expect(await failureOf(upstream(url).request('tools/call', call))).toMatchObject({
          ...{ kind: 'protocol', mayHaveExecuted: true },
        });
      }
  });

  it('are refused if the zstd frames of a stream cannot be separated, and never truncated', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/message', params: {} };
    for (const isMore of [false, true]) {
      const server = await serve(
        modernServer({
          'tools/call': (received, res) => {
            res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' });
            const [first, second] = [messageEvent(progress), messageEvent(result(received, RESULT))].map(
              (event) => zstdCompressSync(event),
            ) as [Buffer, Buffer];
            res.write(Buffer.concat([first, second]));
            if (isMore) res.write(second);
            res.end();
          },
        }),
      );
      const failure = await failureOf(upstream(server.url).request('tools/call', call));
      expect(failure).toMatchObject({ kind: 'protocol', mayHaveExecuted: true });
    }
  });

  it.each(EACH)('fail as interrupted if they break off with the coding %s', async (coding) => {
    const server = await serve(
      modernServer({
        'tools/call': (received, res) => {
          const whole = CODINGS[coding](Buffer.from(messageEvent(result(received, RESULT))));
          res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': coding });
          res.end(whole.subarray(0, whole.length - 10));
        },
      }),
    );
    expect(await failureOf(upstream(server.url).request('tools/call', call))).toMatchObject({
      kind: 'interrupted',
    });
  });
});
