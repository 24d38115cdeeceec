import { connect } from 'node:net';
import type { StubProvider } from '@gw/testing';
import { fakeOpenAi, OPENAI_CHAT } from '../spec-support/fake-openai';
import { withProductOn, type Reply } from '../spec-support/workbench';

/** The credential that the owner of a provider saved; only the owner's address may receive it. */
const CANARY = 'sk-canary-0123456789abcdefghij';
const CALLERS = 'sk-callers-0123456789abcdefghij';

const { bench } = withProductOn('Redis');
let rightful: StubProvider;
let attacker: StubProvider;

/** Returns everything that a provider received. */
const seenBy = ({ requests }: StubProvider): string =>
  requests.map(({ rawHeaders, url, body }) => [url, ...rawHeaders, body.toString()].join('\n')).join('\n');
const refused = ({ status, text }: Reply): void => {
  expect([400, 403]).toContain(status);
  expect(text).not.toContain(CANARY);
};
const json = (config: object): Record<string, string> => ({ 'x-gw-config': JSON.stringify(config) });

beforeEach(async () => {
  rightful = await bench().stub();
  attacker = await bench().stub();
  rightful.respond(fakeOpenAi);
  attacker.respond(fakeOpenAi);
});

describe('saved credential', () => {
  afterEach(() => {
    expect(seenBy(attacker)).not.toContain(CANARY);
  });
  const evil = (): string => `${attacker.origin}/v1`;
  const provider = (slug: string): Promise<string> =>
    bench().provider({ slug, type: 'openai', stub: rightful, apiKey: CANARY });
  const arrives = async (headers: Record<string, string>): Promise<void> => {
    const before = rightful.requests.length;
    expect((await bench().chat(headers)).status).toBe(200);
    expect(rightful.requests).toHaveLength(before + 1);
    expect(seenBy(rightful)).toContain(CANARY);
  };

  it('is not sent to a saved, an inline or a header custom_host', async () => {
    await provider('c1-config');
    await arrives({ 'x-gw-provider': '@c1-config' });
    const config = { provider: '@c1-config', custom_host: evil() };
    const saved = await bench().call('POST', '/configs', { body: { name: 'Evil', config } });
    const { slug } = saved.body as { slug?: string };
    if (slug !== undefined) refused(await bench().chat({ 'x-gw-config': slug }));
    refused(saved);
    refused(await bench().chat(json(config)));
    refused(await bench().chat({ 'x-gw-provider': '@c1-config', 'x-gw-custom-host': evil() }));
  });

  it('is not sent to another custom_host of its virtual key', async () => {
    const { data } = await bench().manage<{ data: { slug: string } }>('POST', '/virtual-keys', {
      body: { name: 'Vk', provider: 'openai', key: CANARY, custom_host: `${rightful.origin}/v1` },
    });
    await arrives({ 'x-gw-virtual-key': data.slug });
    const moved = await bench().call('PUT', `/virtual-keys/${data.slug}`, { body: { custom_host: evil() } });
    await bench().chat({ 'x-gw-virtual-key': data.slug });
    refused(moved);
    await arrives({ 'x-gw-virtual-key': data.slug });
  });

  it('is not sent to another custom_host of its integration', async () => {
    const id = await provider('c1-integration');
    await arrives({ 'x-gw-provider': '@c1-integration' });
    const moved = await bench().call('PUT', `/integrations/${id}`, {
      key: bench().adminKey,
      body: { configurations: { custom_host: evil() } },
    });
    await bench().chat({ 'x-gw-provider': '@c1-integration' });
    refused(moved);
    await arrives({ 'x-gw-provider': '@c1-integration' });
  });

  it('is not sent to a custom_host of a model of its integration', async () => {
    const id = await provider('c1-model');
    await arrives({ 'x-gw-provider': '@c1-model' });
    const moved = await bench().call('PUT', `/integrations/${id}/models`, {
      key: bench().adminKey,
      body: {
        models: [{ slug: 'evil', enabled: true, is_custom: true, configurations: { custom_host: evil() } }],
      },
    });
    const body = { model: 'evil', messages: [{ role: 'user', content: 'Hi' }] };
    await bench().chat({ 'x-gw-provider': '@c1-model' }, { body });
    refused(moved);
  });

  it('is not sent to another webhookURL of its guardrail, saved with the mask that a read shows', async () => {
    await bench().provider({ slug: 'c1-guarded', type: 'openai', stub: rightful, apiKey: 'sk-other' });
    const verdict = { verdict: true };
    rightful.respond((request) => (request.url === '/hook' ? { body: verdict } : fakeOpenAi(request)));
    attacker.respondJson(verdict);
    const check = (parameters: object): object => ({ checks: [{ id: 'default.webhook', parameters }] });
    const { slug } = await bench().manage<{ slug: string }>('POST', '/guardrails', {
      body: {
        name: 'Hook',
        actions: { deny: true },
        ...check({ webhookURL: `${rightful.origin}/hook`, headers: { authorization: CANARY } }),
      },
    });
    const config = json({ provider: '@c1-guarded', input_guardrails: [slug] });
    expect((await bench().chat(config)).status).toBe(200);
    expect(seenBy(rightful)).toContain(CANARY);
    const read = await bench().manage<{ checks: { parameters: object }[] }>('GET', `/guardrails/${slug}`);
    const moved = await bench().call('PUT', `/guardrails/${slug}`, {
      body: check({ ...read.checks[0]?.parameters, webhookURL: `${attacker.origin}/hook` }),
    });
    await bench().chat(config);
    refused(moved);
  });
});

describe('caller credentials', () => {
  it('are not echoed by TRACE, which is refused before any provider is called', async () => {
    await bench().provider({ slug: 'm1', type: 'openai', stub: rightful, apiKey: CANARY });
    const port = Number(new URL(bench().baseUrl).port);
    const response = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1');
      socket.on('data', (data) => (text += data.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      const lines = ['TRACE /v1/x HTTP/1.1', 'Host: a', `x-gw-api-key: ${bench().apiKey}`];
      socket.write([...lines, 'x-gw-provider: @m1', 'connection: close', '', ''].join('\r\n'));
    });
    expect(response).toMatch(/^HTTP\/1\.1 405 /);
    expect(rightful.requests).toHaveLength(0);
  });

  it('are not forwarded to an address of a saved config, and gateway credentials are not sent to a provider', async () => {
    const config = {
      provider: 'openai',
      custom_host: `${attacker.origin}/v1`,
      forward_headers: ['authorization', 'cookie'],
    };
    const { slug } = await bench().manage<{ slug: string }>('POST', '/configs', {
      body: { name: 'Collects', config },
    });
    const brought = { authorization: `Bearer ${CALLERS}`, cookie: `session=${CALLERS}` };
    expect((await bench().chat({ ...brought, 'x-gw-config': slug })).status).toBe(200);
    expect(attacker.requests).toHaveLength(1);
    expect(seenBy(attacker)).not.toContain(CALLERS);
    const { adminKey } = bench();
    for (const headers of [{ ...json(config) }, { 'x-gw-config': slug }])
      await bench().chat({ ...headers, authorization: `Bearer ${adminKey}`, cookie: `key=${adminKey}` });
    expect(seenBy(attacker)).not.toContain(adminKey);
  });

  it('are sent only to the first target, not to the next provider', async () => {
    rightful.respondJson({ error: { message: 'down' } }, 503);
    const config = {
      strategy: { mode: 'fallback' },
      targets: [
        { provider: 'openai', custom_host: `${rightful.origin}/v1` },
        { provider: 'anthropic', custom_host: `${attacker.origin}/v1` },
      ],
    };
    await bench().chat({ ...json(config), authorization: `Bearer ${CALLERS}` });
    expect(seenBy(rightful)).toContain(CALLERS);
    expect(seenBy(attacker)).not.toContain(CALLERS);
  });
});

describe('provider calls', () => {
  it('are made once for a POST on a reused connection that closes without a byte', async () => {
    await bench().provider({ slug: 'd2', type: 'openai', stub: rightful });
    rightful.respond({ body: OPENAI_CHAT }, { raw: '' });
    const trace = bench().trace('d2');
    expect((await bench().chat({ 'x-gw-provider': '@d2' })).status).toBe(200);
    const response = await bench().chat({ 'x-gw-provider': '@d2', 'x-gw-trace-id': trace });
    expect([response.status, rightful.requests.length, rightful.connections]).toEqual([502, 2, 1]);
    expect((await bench().logDetailOf(trace)).decision.attempts).toMatchObject([{ end: 'unreachable' }]);
  });

  it('are made once if the wait before a retry exceeds the timeout, and the fallback follows', async () => {
    await bench().provider({ slug: 'd3-down', type: 'openai', stub: rightful });
    await bench().provider({ slug: 'd3-up', type: 'openai', stub: attacker });
    rightful.respond({ status: 503, headers: { 'retry-after': '50' }, body: {} });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [
        {
          provider: '@d3-down',
          request_timeout: 20_000,
          retry: { attempts: 4, use_retry_after_header: true },
        },
        { provider: '@d3-up' },
      ],
    };
    expect((await bench().chat(json(config))).status).toBe(200);
    expect([rightful.requests.length, attacker.requests.length]).toEqual([1, 1]);
  });
});
