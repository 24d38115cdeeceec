import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const USAGE = { prompt_tokens: 100_000, completion_tokens: 50_000 };
const ONE = { prompt_tokens: 1, completion_tokens: 1 };
/** Half of 2.50 and 10 USD per million tokens. */
const OF_4O = 37_500_000;
/** Half of 0.15 and 0.60 USD per million, for one token each: 7.5 and 30 units, rounded up. */
const ONE_OF_MINI = 38;

describe('charge for the output of a batch', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const line = (body: object): string =>
    JSON.stringify({ custom_id: '1', response: { status_code: 200, body } });
  const output = (...lines: readonly string[]): void => {
    stub.respond({ headers: { 'content-type': 'application/octet-stream' }, body: `${lines.join('\n')}\n` });
  };
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const get = async (path: string, headers: Record<string, string> = {}): Promise<LoggedRequest> => {
    const own = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', ...headers };
    await (await fetch(`${gateway.baseUrl}${path}`, { headers: own })).arrayBuffer();
    return last();
  };
  const named = ({ decision }: LoggedRequest) =>
    (decision.charges ?? []).filter(({ once }) => once !== undefined);

  it('adds up the price of each line by its own model, in any order', async () => {
    output(line({ model: 'gpt-4o-mini', usage: ONE }), line({ model: 'gpt-4o', usage: USAGE }));
    const mixed = await get('/files/file_1/content');
    expect(named(mixed)).toMatchObject([{ cost: OF_4O + ONE_OF_MINI, tokens: 150_002, flags: [] }]);
    expect(mixed).toMatchObject({ cost: OF_4O + ONE_OF_MINI, usage: { inputTokens: 100_001 } });
    expect(mixed.decision.price?.lines.reduce((sum, { cost }) => sum + cost, 0)).toBe(mixed.cost);
    // No single model's price applies to the sum, so none may re-price it later.
    expect(mixed.responseModel).toBeNull();
  });

  it('omits only the line without a price if one model has none', async () => {
    output(line({ model: 'no-model', usage: ONE }), line({ model: 'gpt-4o', usage: USAGE }));
    expect(named(await get('/files/file_1/content'))).toMatchObject([
      { cost: OF_4O, tokens: 150_002, flags: ['unpriced'] },
    ]);
  });

  it('charges a sum beyond the bound of one response, and omits only a line beyond that bound', async () => {
    const lines = Array.from({ length: 1_100 }, () => line({ model: 'gpt-4o', usage: USAGE }));
    const absurd = line({ model: 'gpt-4o', usage: { prompt_tokens: 100_000_001, completion_tokens: 1 } });
    output(...lines, absurd);
    expect(named(await get('/files/file_1/content'))).toMatchObject([
      { cost: 1_100 * OF_4O, tokens: 1_100 * 150_000 },
    ]);
  });

  it.each([
    [{ total: 2_000 }, 75_000_000_000],
    [undefined, 75_000_000_000],
    [{ total: 1 }, null],
  ])('checks the total of a batch by its number of requests: %j', async (counts, cost) => {
    const usage = { input_tokens: 200_000_000, output_tokens: 100_000_000 };
    const batch = { id: 'batch_1', object: 'batch', status: 'completed', model: 'gpt-4o', usage };
    stub.respondJson({ ...batch, request_counts: counts });
    expect(named(await get('/batches/batch_1')).map((charge) => charge.cost)).toEqual(
      cost === null ? [] : [cost],
    );
  });

  it('charges the model of a line that is too long to be parsed', async () => {
    const long = { model: 'gpt-4o', choices: [{ text: 'x'.repeat(600_000) }], usage: USAGE };
    output(line({ model: 'gpt-4o-mini', usage: ONE }), line(long));
    expect(named(await get('/files/file_1/content'))).toMatchObject([{ cost: OF_4O + ONE_OF_MINI }]);
  });

  it.each([
    [
      'the response of a line',
      line({ model: 'gpt-4o', choices: [{ text: 'x'.repeat(3_000) }], usage: USAGE }),
    ],
    [
      'the response of a line of Anthropic',
      JSON.stringify({ custom_id: '1', result: { message: { model: 'gpt-4o', text: 'x'.repeat(3_000) } } }),
    ],
  ])('charges the received bytes as an estimate when a read ends within %s', async (_, whole) => {
    const part = whole.slice(0, 3_060);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': '10000' };
    stub.respond({ headers, steps: [{ chunk: part }, { cut: 'reset' }] });
    const own = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    await fetch(`${gateway.baseUrl}/files/file_1/content`, { headers: own })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
    expect(named(await last())).toMatchObject([{ cost: 1_020 * 500, tokens: 1_020, flags: ['estimated'] }]);
  });

  it('charges nothing for a file without responses, cut or not', async () => {
    stub.respond({
      headers: { 'content-type': 'application/octet-stream' },
      body: '{"custom_id":"1","body":{"model":"gpt-4o","messages":[{"role":"us',
    });
    expect(named(await get('/files/file_1/content'))).toEqual([]);
  });

  it('charges the output of a batch under the name of its file', async () => {
    const batch = { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file_9' };
    stub.respond({ body: batch }, { body: line({ model: 'gpt-4o', usage: USAGE }) });
    expect(named(await get('/batches/batch_1/output'))).toMatchObject([
      { once: 'batch integration-main file:file_9', cost: OF_4O },
    ]);
  });

  it.each(['/proxy/files/file_1/content/', '/proxy/files/file_1/%63ontent', '/proxy/files/file_1/CONTENT'])(
    'charges an output that is read at %s',
    async (path) => {
      output(line({ model: 'gpt-4o', usage: USAGE }));
      expect(named(await get(path))).toMatchObject([
        { once: 'batch integration-main file:file_1', cost: OF_4O },
      ]);
    },
  );

  const PARTS = {
    range: 'bytes=0-49',
    'if-range': '"a"',
    'x-gw-forward-headers': 'range,if-range,accept-encoding',
  };

  it.each([
    '/files/file_1/content',
    '/proxy/files/file_1/%63ontent',
    '/responses/resp_1',
    '/proxy/batches/b/',
  ])('requests all of %s, without a coding', async (path) => {
    output(line({ model: 'gpt-4o', usage: USAGE }));
    await get(path, { ...PARTS, 'accept-encoding': 'gzip, br' });
    const { headers } = stub.requests.at(-1) ?? { headers: {} };
    expect(headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(headers).not.toHaveProperty('range');
    expect(headers).not.toHaveProperty('if-range');
  });

  it('forwards a range of a response that reports no usage', async () => {
    output('x');
    await get('/proxy/videos/v_1/content', { range: 'bytes=0-49' });
    expect(stub.requests.at(-1)?.headers).toMatchObject({ range: 'bytes=0-49' });
  });

  it.each([
    ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
    ['snappy, GZIP;q=0.5, *', 'GZIP;q=0.5'],
    ['*', 'identity'],
    ['dcb, compress', 'identity'],
  ])('requests only codings that it can decode, on passthrough: %s', async (accepted, expected) => {
    stub.respondJson({ id: 'a', model: 'gpt-4o', choices: [], usage: USAGE });
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const type = { 'content-type': 'application/json', 'accept-encoding': accepted };
    const body = JSON.stringify({ model: 'gpt-4o', messages: [] });
    const url = `${gateway.baseUrl}/proxy/chat/completions`;
    await (await fetch(url, { method: 'POST', headers: { ...headers, ...type }, body })).text();
    expect(stub.requests.at(-1)?.headers).toMatchObject({ 'accept-encoding': expected });
    expect((await last()).cost).toBe(2 * OF_4O);
  });
});
