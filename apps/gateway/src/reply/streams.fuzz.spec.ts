import { eventually, mutatedBytes, readCases, StubProvider } from '@gw/testing';
import fc from 'fast-check';
import { GatewayHarness } from '../spec-support/harness';

const { cases } = readCases('sse_upstream.json') as { cases: readonly { upstream: readonly unknown[] }[] };
const SEED_BYTES_MAX = 20_000;
const seeds = cases
  .map(({ upstream }) => upstream.filter((step) => typeof step === 'string').join(''))
  .filter((text) => text !== '' && text.length <= SEED_BYTES_MAX)
  .map((text) => Buffer.from(text));

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
/** A response that ends with its connection, one with a length, and one that breaks. */
const framed: readonly ((body: Buffer) => Buffer)[] = [
  (body) => Buffer.concat([Buffer.from(`${HEAD}connection: close\r\n\r\n`), body]),
  (body) => Buffer.concat([Buffer.from(`${HEAD}content-length: ${String(body.length)}\r\n\r\n`), body]),
  (body) => Buffer.concat([Buffer.from(`${HEAD}content-length: ${String(body.length + 9)}\r\n\r\n`), body]),
];

const GUARDED = [{ 'default.contains': { words: ['zebra'], operator: 'none' }, deny: true }];
/** Every way in which a stream is forwarded. */
const CONFIGS: readonly object[] = [
  { provider: '@main' },
  { provider: '@main', output_guardrails: GUARDED },
  { provider: '@main', on_stream_failure: 'continue' },
  { provider: '@main', on_stream_failure: 'restart' },
  { provider: '@translated' },
];

const AT_ONCE = 20;

describe('randomly mutated provider streams', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let sent = 0;
  let taken = 0;

  beforeAll(async () => {
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('translated', 'anthropic', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  /** Returns status and text of the response, as far as it was received. */
  async function respondTo(path: string, config: object): Promise<readonly [number, string]> {
    sent += 1;
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': JSON.stringify(config) },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of response.body as ReadableStream<Uint8Array>) pieces.push(piece);
    } catch {
      // The provider's connection broke, which also breaks the response of a passthrough route.
    }
    return [response.status, Buffer.concat(pieces).toString()];
  }

  const stream = fc.record({
    bytes: mutatedBytes(seeds),
    frame: fc.constantFrom(...framed),
    config: fc.constantFrom(...CONFIGS),
    path: fc.constantFrom('/chat/completions', '/proxy/chat/completions'),
  });

  it('end for their client, are recorded once each, and cause no gateway fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stream, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (many) => {
        let next = 0;
        stub.respond(() => {
          const { frame, bytes } = many[next++ % many.length] as (typeof many)[number];
          return { raw: frame(bytes) };
        });
        const responses = await Promise.all(many.map(({ path, config }) => respondTo(path, config)));
        for (const [status, text] of responses) {
          expect(status).not.toBe(500);
          expect(text).not.toContain('internal_error');
        }
        await eventually(async () => (taken += await gateway.takeRecords()) >= sent);
        expect(taken).toBe(sent);
      }),
      // One gateway serves all cases; a missing record would stay missing, so smaller cases would
      // show nothing.
      { endOnFailure: true, numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / AT_ONCE) },
    );
  });
});
