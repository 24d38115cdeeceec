import OpenAI from 'openai';
import type { StubProvider } from '@gw/testing';

import { fakeOpenAi, OPENAI_CHAT, OPENAI_CHAT_COST } from './spec-support/fake-openai';
import { CHAT_REQUEST, withProduct } from './spec-support/workbench';

const MESSAGES = [{ role: 'user' as const, content: 'Cached?' }];

const bench = withProduct();
let stub: StubProvider;
let config: string;

beforeAll(async () => {
  stub = await bench().stub();
  stub.respond(fakeOpenAi);
  await bench().provider({ slug: 'main', type: 'openai', stub });
  config = await bench().config({ provider: '@main', cache: { mode: 'simple', max_age: 3_600 } });
});

const openai = (trace: string): OpenAI =>
  new OpenAI({
    apiKey: bench().apiKey,
    baseURL: bench().baseUrl,
    maxRetries: 0,
    defaultHeaders: { 'x-gw-config': config, 'x-gw-trace-id': trace },
  });

const statusOf = ({ headers }: Response): string | null => headers.get('x-gw-cache-status');

describe('saved config with a cache, over the OpenAI SDK', () => {
  it('serves an equal chat from the cache at no cost, and logs it', async () => {
    const request = { model: 'gpt-4o', messages: MESSAGES };
    const first = await openai(bench().trace('cold')).chat.completions.create(request).withResponse();
    const trace = bench().trace('cached');
    const second = await openai(trace).chat.completions.create(request).withResponse();
    expect([statusOf(first.response), statusOf(second.response)]).toEqual(['MISS', 'HIT']);
    expect(second.data).toEqual(first.data);
    expect(stub.requests).toHaveLength(1);
    const { id } = await bench().logOf(trace);
    expect((await bench().logs('cache_status=HIT')).data.map((log) => log.id)).toContain(id);
    expect(await bench().logDetailOf(trace)).toMatchObject({
      cache_status: 'HIT',
      cost_exact: '0',
      priced: 'priced',
      req_units: 0,
      res_units: 0,
      decision: { cache: { status: 'HIT', savedCost: OPENAI_CHAT_COST } },
      response: { body: OPENAI_CHAT },
    });
  });

  it('streams an equal chat from the cache completely', async () => {
    const request = { model: 'gpt-4o', messages: MESSAGES, stream: true as const };
    const texts: string[] = [];
    const statuses: (string | null)[] = [];
    for (const name of ['cold', 'cached']) {
      const { data, response } = await openai(bench().trace(name))
        .chat.completions.create(request)
        .withResponse();
      statuses.push(statusOf(response));
      let text = '';
      for await (const { choices } of data) text += choices[0]?.delta.content ?? '';
      texts.push(text);
    }
    expect(statuses).toEqual(['MISS', 'HIT']);
    expect(texts).toEqual(['Hello!', 'Hello!']);
  });
});

describe('repeated request under an Idempotency-Key', () => {
  it('returns the first response again, and logs it as a replay', async () => {
    const trace = bench().trace('replayed');
    const headers = { 'x-gw-provider': '@main', 'idempotency-key': 'order-1' };
    const before = stub.requests.length;
    const first = await bench().chat(headers, { body: { ...CHAT_REQUEST, user: 'once' } });
    const again = await bench().chat(
      { ...headers, 'x-gw-trace-id': trace },
      { body: { ...CHAT_REQUEST, user: 'once' } },
    );
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      first.text,
      'true',
    ]);
    expect(stub.requests.length).toBe(before + 1);
    expect((await bench().logDetailOf(trace)).decision).toMatchObject({ idempotency: 'replayed' });
  });
});
