import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const USAGE = { prompt_tokens: 100_000, completion_tokens: 50_000 };
/** At 2.50 and 10 USD per million tokens. */
const OF_4O = 75_000_000;
const WHOLE = { id: 'a', model: 'gpt-4o', choices: [], usage: USAGE };
const PART = { id: 'a', model: 'gpt-4o', choices: [{ delta: { content: 'x' } }] };
const lines = (...objects: readonly object[]): string =>
  objects.map((each) => JSON.stringify(each)).join('\n');

describe('usage that a response reports', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const ask = async (
    path: string,
    config: object = { provider: '@main' },
    model = 'gpt-4o',
  ): Promise<LoggedRequest> => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({
        ...(model !== '' && { model }),
        max_tokens: 10,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    });
    await response.arrayBuffer();
    return last();
  };

  const bodies: readonly (readonly [name: string, body: string])[] = [
    ['an object', JSON.stringify(WHOLE)],
    ['an object after white space', ` \n${JSON.stringify(WHOLE, null, 2)}\n`],
    ['an object after a byte order mark', `\ufeff${JSON.stringify(WHOLE)}`],
    ['lines of objects', `${lines(PART, PART, WHOLE)}\n`],
    ['lines of objects whose last one was cut', `${lines(PART, WHOLE)}\n{"id":`],
    ['a list of objects', JSON.stringify([PART, WHOLE])],
  ];
  const types: readonly (readonly [string, Record<string, string>])[] = [
    ['text/plain', { 'content-type': 'text/plain' }],
    ['no type', {}],
    ['application/x-ndjson', { 'content-type': 'application/x-ndjson' }],
    ['application/json', { 'content-type': 'application/json' }],
  ];

  it.each(
    bodies.flatMap(([name, body]) => types.map(([type, headers]) => [name, type, body, headers] as const)),
  )('is charged in %s of %s', async (_, __, body, headers) => {
    for (const path of ['/chat/completions', '/proxy/chat/completions']) {
      stub.respond({ headers, body });
      expect(await ask(path)).toMatchObject({ cost: OF_4O, usage: { inputTokens: 100_000 } });
    }
  });

  it('is charged in a response with a coding and without a type', async () => {
    stub.respond({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(lines(PART, WHOLE)) });
    expect((await ask('/proxy/chat/completions')).cost).toBe(OF_4O);
  });

  it('is charged in the last of several zstd frames', async () => {
    const body = JSON.stringify({ ...WHOLE, text: 'x'.repeat(300_000), usage: USAGE });
    const frames = [body.slice(0, 200_000), body.slice(200_000, 200_010), body.slice(200_010)];
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' };
    stub.respond({ headers, body: Buffer.concat(frames.map((frame) => zstdCompressSync(frame))) });
    expect((await ask('/proxy/chat/completions')).cost).toBe(OF_4O);
    stub.respond({ headers, body: Buffer.concat(frames.map((frame) => zstdCompressSync(frame))) });
    expect((await ask('/chat/completions')).cost).toBe(OF_4O);
  });

  it('is not charged in a response with more frames than are read', async () => {
    const frames = Array.from({ length: 65 }, (_, at) =>
      zstdCompressSync(at === 64 ? JSON.stringify(WHOLE) : ' '),
    );
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' };
    stub.respond({ headers, body: Buffer.concat(frames) });
    expect((await ask('/proxy/chat/completions')).usage).toBeNull();
  });

  describe('in an error', () => {
    const error = (type: string | null): StubResponse => ({
      status: 500,
      headers: type === null ? {} : { 'content-type': type },
      body: JSON.stringify({ error: { message: 'no' }, model: 'gpt-4o', usage: USAGE }),
    });
    const retry = { provider: '@main', retry: { attempts: 1, on_status_codes: [500] } };

    it.each(['/chat/completions', '/proxy/chat/completions'])(
      'is charged by the same rule on %s, whether a retry follows or not',
      async (path) => {
        for (const type of ['application/json', 'text/plain', null]) {
          stub.respond(error(type));
          expect(await ask(path)).toMatchObject({ status: 500, cost: OF_4O });
          stub.respond(error(type), error(type));
          expect(await ask(path, retry)).toMatchObject({ status: 500, cost: 2 * OF_4O });
          stub.respond(error(type), { body: WHOLE });
          expect(await ask(path, retry)).toMatchObject({ status: 200, cost: 2 * OF_4O });
        }
      },
    );

    it('is charged at the price of the responding model if the request names none, whether a retry follows or not', async () => {
      const path = '/proxy/assistants/a/answers';
      stub.respond(error('application/json'));
      expect(await ask(path, undefined, '')).toMatchObject({ status: 500, cost: OF_4O });
      stub.respond(error('application/json'), { body: WHOLE });
      expect(await ask(path, retry, '')).toMatchObject({ status: 200, cost: 2 * OF_4O });
    });

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const)(
      'is charged in an error with the coding %s that is followed by a retry',
      async (coding, encode) => {
        const coded = {
          status: 500,
          headers: { 'content-encoding': coding },
          body: encode(JSON.stringify({ error: {}, usage: USAGE })),
        };
        stub.respond(coded, { body: WHOLE });
        expect((await ask('/proxy/chat/completions', retry)).cost).toBe(2 * OF_4O);
      },
    );

    it('is charged in a translated response', async () => {
      const usage = { input_tokens: 1_000, output_tokens: 1_000 };
      const body = { type: 'error', error: { type: 'api_error', message: 'no' }, usage };
      stub.respond({ status: 500, body });
      expect(await ask('/chat/completions', { provider: '@claude' })).toMatchObject({
        status: 500,
        usage: { inputTokens: 1_000, outputTokens: 1_000 },
      });
    });

    it('costs nothing in an error without usage', async () => {
      stub.respond({ status: 500, body: { error: { message: 'no' } } });
      expect(await ask('/chat/completions')).toMatchObject({ status: 500, usage: null, cost: null });
    });
  });

  it('is ignored if the text of a file in a response claims it', async () => {
    const claimed = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      background: true,
      model: 'gpt-4o',
    };
    const body = JSON.stringify({ ...claimed, usage: { input_tokens: 0, output_tokens: 0 } });
    stub.respond({ headers: { 'content-type': 'application/octet-stream' }, body });
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    await (await fetch(`${gateway.baseUrl}/proxy/skills/s/content`, { headers })).arrayBuffer();
    expect((await last()).decision.charges ?? []).toEqual([]);
  });
});
