import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { HiddenUsage } from './sinks/hidden-usage';

const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
/** 9 input tokens at 2.50 USD and 12 output tokens at 10 USD per million. */
const COST = 9 * 250 + 12 * 1_000;
const ASK = { model: 'gpt-4o', messages: [], stream: true };

interface Piece {
  readonly choices: readonly object[];
  readonly usage?: object | null;
}
const line = (piece: Piece): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', ...piece })}\n\n`;
const text = (content: string): Piece => ({ choices: [{ index: 0, delta: { content } }] });

/** The stream of a provider without and with requested usage. */
const CONTENT = [text('Hé'), text('llo "usage":null'), { choices: [] }, text('!')];
const PLAIN = `${CONTENT.map(line).join('')}data: [DONE]\n\n`;
const WITH_USAGE = `${CONTENT.map((piece) => line({ ...piece, usage: null })).join('')}${line({ choices: [], usage: USAGE })}data: [DONE]\n\n`;

describe('usage that the client has not requested', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    // Sends usage on request, like OpenAI.
    stub.respond(({ body }) => ({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: body.includes('"include_usage":true') ? WITH_USAGE : PLAIN }],
    }));
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    onText: (soFar: string) => void = () => undefined,
  ): Promise<string> => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    let text = '';
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(piece).toString();
      onText(text);
    }
    return text;
  };
  const sent = (): string => stub.lastRequest.body.toString();
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  it('is removed from a stream whose length the provider has announced, and the stream ends correctly', async () => {
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, body: WITH_USAGE });
    expect(await ask('/chat/completions', ASK)).toBe(PLAIN);
    const reported = String(Buffer.byteLength(PLAIN) + 999);
    stub.respond({
      headers: { 'content-type': 'text/event-stream', 'content-length': reported },
      steps: [{ chunk: line(text('Hi')) }, { cut: 'reset' }],
    });
    expect(await ask('/chat/completions', ASK)).toContain('stream_interrupted');
  });

  it.each(['/chat/completions', '/completions'])(
    'is in the log, and not in the stream of %s',
    async (path) => {
      const body = { model: 'gpt-4o', prompt: 'x', stream: true };
      expect(await ask(path, body)).toBe(PLAIN);
      expect(JSON.parse(sent())).toEqual({ ...body, stream_options: { include_usage: true } });
      expect(await last()).toMatchObject({
        usage: { inputTokens: 9, outputTokens: 12 },
        cost: COST,
        priced: 'priced',
        outcome: 'ok',
      });
      // The log keeps what the client sent and received.
      expect(String((await last())?.requestBody)).toBe(JSON.stringify(body));
      expect(String((await last())?.responseBody)).toBe(PLAIN);
    },
  );

  it('is requested also if the body is built anew', async () => {
    const config = JSON.stringify({ provider: '@main', override_params: { temperature: 0.5 } });
    expect(await ask('/chat/completions', ASK, { 'x-gw-config': config })).toBe(PLAIN);
    expect(JSON.parse(sent())).toEqual({ ...ASK, temperature: 0.5, stream_options: { include_usage: true } });
    const spaced = '{ "model": "@main/gpt-4o", "stream": true, "messages": [] } \n';
    expect(await ask('/chat/completions', spaced)).toBe(PLAIN);
    expect(JSON.parse(sent())).toEqual({ ...ASK, stream_options: { include_usage: true } });
  });

  it.each([
    ['the client requests it itself', { ...ASK, stream_options: { include_usage: true } }, {}, WITH_USAGE],
    ['the client refuses it', { ...ASK, stream_options: { include_usage: false } }, {}, PLAIN],
    ['the client has other options', { ...ASK, stream_options: {} }, {}, PLAIN],
    ['nothing is streamed', { ...ASK, stream: false }, {}, PLAIN],
    [
      'the config removes the option',
      ASK,
      { 'x-gw-config': '{"provider":"@main","drop_params":["stream_options"]}' },
      PLAIN,
    ],
  ])('is neither requested nor removed if %s', async (_, body, headers, expected) => {
    expect(await ask('/chat/completions', body, headers)).toBe(expected);
    expect(JSON.parse(sent())).toEqual(body);
  });

  it('[PAS-01] [PAS-02] is neither requested nor removed on passthrough', async () => {
    const bytes = JSON.stringify(ASK);
    expect(await ask('/proxy/chat/completions', bytes)).toBe(PLAIN);
    expect(sent()).toBe(bytes);
  });

  it('is not requested from a provider that might refuse the option', async () => {
    gateway.addProvider('other', 'perplexity-ai', stub.origin);
    expect(await ask('/chat/completions', ASK, { 'x-gw-provider': '@other' })).toBe(PLAIN);
    expect(sent()).toBe(JSON.stringify(ASK));
  });

  it('does not delay complete events, and no comment is sent inside an event', async () => {
    await gateway.stop();
    gateway = await GatewayHarness.start({ STREAM_KEEP_ALIVE: '120' });
    gateway.addProvider('main', 'openai', stub.origin);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const [first = '', second = ''] = CONTENT.map((piece) => line({ ...piece, usage: null }));
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [
        { chunk: first },
        { until: held },
        { chunk: second.slice(0, 30) },
        { waitMs: 300 },
        { chunk: `${second.slice(30)}data: [DONE]\n\n` },
      ],
    });
    const seen = await ask('/chat/completions', ASK, {}, (soFar) => {
      if (soFar.endsWith(': keep-alive\n\n')) release();
    });
    expect(seen.startsWith(`${line(CONTENT[0] as Piece)}: keep-alive\n\n`)).toBe(true);
    expect(seen.replaceAll(': keep-alive\n\n', '')).toBe(
      `${line(CONTENT[0] as Piece)}${line(CONTENT[1] as Piece)}data: [DONE]\n\n`,
    );
  });

  it('does not prevent an error event after a stream that was cut inside an event', async () => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [
        { chunk: line({ ...text('a'), usage: null }) + 'data: {"id":' },
        { waitMs: 20 },
        { cut: 'reset' },
      ],
    });
    const seen = await ask('/chat/completions', ASK);
    expect(seen.startsWith(`${line(text('a'))}data: {"error":`)).toBe(true);
    expect(seen).not.toContain('[DONE]');
    expect(await last()).toMatchObject({ outcome: 'interrupted' });
  });
});

describe('HiddenUsage', () => {
  const through = (pieces: readonly Buffer[]): string => {
    const hidden = new HiddenUsage();
    return Buffer.concat([...pieces.map((piece) => hidden.write(piece)), hidden.rest()]).toString();
  };

  it.each(['\n', '\r\n'])('returns the same bytes however the stream is split, with line ends %j', (end) => {
    const bytes = Buffer.from(WITH_USAGE.replaceAll('\n', end));
    const expected = PLAIN.replaceAll('\n', end);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(through([bytes.subarray(0, at), bytes.subarray(at)])).toBe(expected);
    for (const size of [1, 2, 7, 64])
      expect(
        through(
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
            bytes.subarray(i * size, (i + 1) * size),
          ),
        ),
      ).toBe(expected);
  });

  it('keeps what is not usage: comments, other members, usage next to choices, invalid JSON', () => {
    for (const event of [
      ': keep-alive\n\n',
      'data: {"choices":[{"usage":1}]}\n\n',
      line({ choices: [{ index: 0, delta: {} }], usage: USAGE }),
      'data: "usage"\n\n',
      'data: {"usage":{\n\n',
      `data: ${JSON.stringify({ choices: [{ delta: { content: '{"choices":[],"usage":null}' } }] })}\n\n`,
    ])
      expect(through([Buffer.from(event)])).toBe(event);
  });

  it('forwards an event that is too long to be held as it arrives, and continues after it', () => {
    const long = line(text('x'.repeat(2_000_000)));
    const bytes = Buffer.from(long + WITH_USAGE);
    const hidden = new HiddenUsage();
    expect(hidden.write(bytes.subarray(0, 1_100_000)).length).toBe(1_100_000);
    expect(hidden.isInsideEvent).toBe(true);
    const rest = Buffer.concat([
      hidden.write(bytes.subarray(1_100_000, 1_500_000)),
      hidden.write(bytes.subarray(1_500_000)),
    ]);
    expect(`${bytes.toString('utf8', 0, 1_100_000)}${rest.toString()}`).toBe(long + PLAIN);
    expect(hidden.isInsideEvent).toBe(false);
  });
});
