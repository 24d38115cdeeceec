import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { RESPONSE_READ_EXACTLY, exceededBy, READ_WHOLE } from './read-whole';

const { membersOfOne, members, values, longNumbers } = READ_WHOLE;
const CHECKED = 'pc-ruled-1';

const named = (count: number): string =>
  Array.from({ length: count }, (_, at) => `"k${String(at)}":1`).join(',');
const CHAT = '"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]';
/** A chat request with `count` members in its one object. */
const wide = (count: number): string => `{${CHAT},${named(count - 2)}}`;

describe('JSON size count of a body', () => {
  it('stops at the first bound that is exceeded, and does not look at the rest', () => {
    const items = '1,'.repeat(values + 1);
    const lists = '[],'.repeat(READ_WHOLE.containers + 1);
    expect(exceededBy(Buffer.from(`[${lists}1]`), READ_WHOLE)).toContain('objects and lists');
    expect(exceededBy(Buffer.from(`[${items}${lists}1]`), READ_WHOLE)).toContain('values');
  });
});

describe('bodies with very many members', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    gateway = await GatewayHarness.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addConfig(CHECKED, { provider: '@main', override_params: { temperature: 0.5 } });
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const send = async (
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<[number, string]> => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      body,
    });
    const { error } = (await response.json()) as { error?: { type: string; message: string } };
    return [response.status, error?.message ?? ''];
  };
  const ruled = { 'x-gw-config': CHECKED };

  it('rewrites a body up to the bound for one object, and refuses a larger one before parsing it', async () => {
    expect(await send('/chat/completions', wide(membersOfOne), ruled)).toEqual([200, '']);
    expect(JSON.parse(stub.lastRequest.body.toString('utf8'))).toMatchObject({ temperature: 0.5 });
    const [status, message] = await send('/chat/completions', wide(membersOfOne + 1), ruled);
    expect([status, stub.requests.length]).toEqual([413, 1]);
    expect(message).toContain(`more than ${String(membersOfOne)} members in one object`);
    expect(message).toContain('parameter rules');
    expect(message).toContain('send a smaller body');
  });

  it.each([
    ['members of all objects', members, `[${Array(members).fill('{"a":1}').join(',')}]`],
    ['items of all lists', values, `[${Array(values).fill('1').join(',')},1]`],
    [
      'long numbers',
      longNumbers,
      `[${Array(longNumbers + 1)
        .fill('0.1234567890123456789012345')
        .join(',')}]`,
    ],
  ])('refuses a body above the bound of %s', async (_name, bound, list) => {
    const [status, message] = await send('/chat/completions', `{${CHAT},"x":${list}}`, ruled);
    expect([status, stub.requests.length]).toEqual([413, 0]);
    expect(message).toContain(`more than ${String(bound)}`);
  });

  it('refuses a passthrough body of too many members that names two models, so that no model rule is bypassed', async () => {
    const body = `{"model":"a",${named(membersOfOne)},"model":"b"}`;
    expect((await send('/proxy/v1/anything', body, ruled))[0]).toBe(413);
    expect((await send('/proxy/v1/anything', wide(membersOfOne + 1), ruled))[0]).toBe(413);
    expect(stub.requests).toHaveLength(0);
  });

  it('forwards a body unchanged where no feature reads it whole', async () => {
    const body = wide(membersOfOne + 1);
    expect(await send('/proxy/v1/anything', body, { 'x-gw-provider': '@main' })).toEqual([200, '']);
    expect(stub.lastRequest.body.toString('utf8')).toBe(body);
    const bytes = Buffer.from(`{${'\u0001:::{'.repeat(membersOfOne)}`);
    expect(await send('/proxy/v1/anything', bytes, ruled)).toEqual([200, '']);
    expect(stub.lastRequest.body.equals(bytes)).toBe(true);
  });

  it('refuses a response that must be read whole, and forwards one that need not', async () => {
    const content = Array.from({ length: RESPONSE_READ_EXACTLY.values + 1 }, () => 1);
    stub.respondJson({ id: 'm', type: 'message', role: 'assistant', content, usage: {} });
    const chat = `{"model":"claude-3","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`;
    const [status, message] = await send('/chat/completions', chat, { 'x-gw-provider': '@claude' });
    expect([status, message]).toEqual([502, expect.stringContaining('more than 100000 values')]);
    expect((await send('/messages', chat, { 'x-gw-provider': '@claude' }))[0]).toBe(200);
  });
});
