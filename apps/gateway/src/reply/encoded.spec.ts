import { request } from 'node:http';
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const MEGABYTE = 1_048_576;
const RESPONSE = {
  id: 'chatcmpl-1',
  model: 'gpt-4o-2024-08-06',
  choices: [{ message: { content: 'Hello!' } }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};
/** 9 input tokens at 2.50 USD and 12 output tokens at 10 USD per million. */
const COST = 9 * 250 + 12 * 1_000;
const JSON_BYTES = Buffer.from(JSON.stringify(RESPONSE));
const EVENTS = Buffer.from(`data: ${JSON.stringify({ ...RESPONSE, choices: [] })}\n\ndata: [DONE]\n\n`);

const CODINGS: readonly (readonly [header: string, encode: (bytes: Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['X-Gzip', gzipSync],
  ['deflate', deflateSync],
  // Some servers omit the zlib header.
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
];

describe('compressed passthrough responses', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  /** Requests without a client that decodes. Rejects if the response is cut. */
  const ask = (): Promise<{ readonly coding: string | undefined; readonly body: Buffer }> =>
    new Promise((resolve, reject) => {
      const req = request(`${gateway.baseUrl}/proxy/chat/completions`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
          'accept-encoding': 'gzip, br',
          'content-type': 'application/json',
        },
      });
      req.on('error', reject);
      req.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ coding: response.headers['content-encoding'], body: Buffer.concat(pieces) });
        });
      });
      req.end('{"model":"gpt-4o"}');
    });
  const lastRecord = (): Promise<LoggedRequest> => eventually(async () => (await gateway.records()).at(-1));

  describe.each(CODINGS)('%s', (coding, encode) => {
    it('[PAS-02] [PAS-06] reach the client unchanged, and their usage, model and cost reach the log', async () => {
      const body = encode(JSON_BYTES);
      stub.respond({ headers: { 'content-type': 'application/json', 'content-encoding': coding }, body });
      expect(await ask()).toEqual({ coding, body });
      expect(stub.lastRequest.headers['accept-encoding']).toBe('gzip, br');
      // The record is in the journal before the client has the last byte, as for other responses.
      expect((await gateway.records()).at(-1)).toMatchObject({
        outcome: 'ok',
        usage: { inputTokens: 9, outputTokens: 12 },
        responseModel: RESPONSE.model,
        cost: COST,
        priced: 'priced',
      });
    });

    it('[PAS-06] are read as events if they are a stream, however it is split', async () => {
      const body = encode(EVENTS);
      const middle = body.length >> 1;
      stub.respond({
        headers: { 'content-type': 'text/event-stream', 'content-encoding': coding },
        steps: [{ chunk: body.subarray(0, middle) }, { waitMs: 5 }, { chunk: body.subarray(middle) }],
      });
      expect((await ask()).body.equals(body)).toBe(true);
      expect(await lastRecord()).toMatchObject({
        streamed: true,
        outcome: 'ok',
        usage: { inputTokens: 9, outputTokens: 12 },
        responseModel: RESPONSE.model,
        cost: COST,
      });
    });
  });

  it('are forwarded as they arrive, without waiting for the decoder', async () => {
    const zip = createGzip();
    const written: Buffer[] = [];
    zip.on('data', (piece: Buffer) => written.push(piece));
    zip.write(EVENTS.subarray(0, 40));
    await new Promise<void>((resolve) => zip.flush(() => resolve()));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const head = Buffer.concat(written.splice(0));
    stub.respond({
      headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
      steps: [{ chunk: head }, { until: held }],
    });
    const response = await fetch(`${gateway.baseUrl}/proxy/chat/completions`, {
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value as Uint8Array)).toEqual(EVENTS.subarray(0, 40));
    release();
    await reader.cancel().catch(() => undefined);
    zip.destroy();
  });

  it('are logged as interrupted if they end early, with the usage that they reported before', async () => {
    const body = gzipSync(EVENTS.subarray(0, EVENTS.length - 'data: [DONE]\n\n'.length));
    stub.respond({ headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, body });
    expect((await ask()).body.equals(body)).toBe(true);
    expect(await lastRecord()).toMatchObject({
      outcome: 'interrupted',
      errorType: 'stream_interrupted',
      usage: { inputTokens: 9 },
    });
  });

  it.each([
    [
      'a decompression bomb of a thousand times its size',
      'gzip',
      gzipSync(Buffer.alloc(200 * MEGABYTE, 0x20)),
    ],
    ['bytes of another coding', 'gzip', brotliCompressSync(JSON_BYTES)],
    ['a cut response', 'gzip', gzipSync(JSON_BYTES).subarray(0, 30)],
    ['two codings', 'gzip, gzip', gzipSync(gzipSync(JSON_BYTES))],
    ['an unknown coding', 'nosuch', JSON_BYTES],
  ])('%s reaches the client unchanged and is charged as an estimate', async (_, coding, body) => {
    stub.respond({ headers: { 'content-type': 'application/json', 'content-encoding': coding }, body });
    await ask();
    const before = process.memoryUsage.rss();
    expect(await ask()).toEqual({ coding, body });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MEGABYTE);
    expect(await lastRecord()).toMatchObject({ outcome: 'ok', usage: null, priced: 'estimated' });
  });

  it('wait for a decoder if there are many at a time, and all of them are read', async () => {
    const body = brotliCompressSync(JSON_BYTES);
    stub.respond({ headers: { 'content-type': 'application/json', 'content-encoding': 'br' }, body });
    await Promise.all(Array.from({ length: 40 }, ask));
    const records = await gateway.records();
    expect(records.map(({ cost }) => cost)).toEqual(Array<number>(40).fill(COST));
  });

  it('[PAS-06] have their usage read from the end of a response that is too long to be kept', async () => {
    const long = { data: [{ b64_json: 'a'.repeat(3 * MEGABYTE) }], usage: RESPONSE.usage };
    stub.respondJson(long);
    expect((await ask()).body.length).toBe(JSON.stringify(long).length);
    expect(await lastRecord()).toMatchObject({
      usage: { inputTokens: 9, outputTokens: 12 },
      cost: COST,
      responseBodyTruncated: true,
    });
  });
});
