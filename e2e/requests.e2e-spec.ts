import { eventually, type StubProvider } from '@gw/testing';

import { fakeOpenAi, OPENAI_CHAT, OPENAI_CHAT_COST, openAiEvent } from './spec-support/fake-openai';
import type { LogEntry } from './spec-support/logs';
import { CHAT_REQUEST, withProduct } from './spec-support/workbench';

const bench = withProduct();
let stub: StubProvider;

beforeAll(async () => {
  stub = await bench().stub();
  await bench().provider({ slug: 'main', type: 'openai', stub });
});

beforeEach(() => {
  stub.respond(fakeOpenAi);
});

/** Sends a request like the SDKs, and disconnects when `leave` resolves. */
async function leaveDuring(
  trace: string,
  body: object,
  leave: (response: Promise<Response>) => Promise<unknown>,
): Promise<void> {
  const controller = new AbortController();
  const response = fetch(`${bench().baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'x-gw-api-key': bench().apiKey,
      'x-gw-provider': '@main',
      'x-gw-trace-id': trace,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...CHAT_REQUEST, ...body }),
    signal: controller.signal,
  });
  const read = response.then((response) => response.text());
  await leave(response);
  controller.abort();
  await expect(read).rejects.toThrow('aborted');
}

describe('request log', () => {
  it('[SVC-01] [SVC-02] has the caller, the timing, the cost and the routing decision of a request', async () => {
    const trace = bench().trace('answered');
    const { id } = await bench().newKey();
    const { status, body } = await bench().chat({ 'x-gw-provider': '@main', 'x-gw-trace-id': trace });
    expect([status, body]).toEqual([200, OPENAI_CHAT]);
    const log = await bench().logDetailOf(trace);
    expect(log).toMatchObject({
      response_status_code: 200,
      outcome: 'ok',
      error_type: null,
      provider: 'openai',
      credential: 'main',
      model: 'sandbox-small',
      response_model: 'gpt-4o-2024-08-06',
      req_units: 9,
      res_units: 12,
      total_units: 21,
      cost_exact: String(OPENAI_CHAT_COST),
      cost: OPENAI_CHAT_COST / 1_000_000,
      workspace_id: bench().product.credentials.workspace_id,
      api_key_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      trace_id: trace,
      response_time: expect.any(Number) as number,
      usage: { input_tokens: 9, output_tokens: 12 },
      decision: {
        config: { source: 'none' },
        attempts: [
          { target: 'config', provider: 'openai', credential: 'main', end: 'answered', status: 200 },
        ],
        price: {
          model: 'gpt-4o-2024-08-06',
          lines: [
            { unit: 'input', quantity: 9, cost: 2_250 },
            { unit: 'output', quantity: 12, cost: 12_000 },
          ],
        },
      },
      request: { encoding: 'json', body: CHAT_REQUEST },
      response: { encoding: 'json', body: OPENAI_CHAT },
    });
    expect(log.api_key_id).not.toBe(id);
  });

  it('[SVC-02] is written for a request that failed at the provider, or before it reached the provider', async () => {
    const failing = bench().trace('failing');
    stub.respond({ status: 500, body: { error: { message: 'Oh.' } } });
    await bench().chat({ 'x-gw-provider': '@main', 'x-gw-trace-id': failing });
    expect(await bench().logDetailOf(failing)).toMatchObject({
      response_status_code: 500,
      outcome: 'provider_error',
      cost_exact: null,
      decision: { attempts: [{ end: 'status', status: 500 }] },
      response: { body: { error: { provider_error: { error: { message: 'Oh.' } } } } },
    });
    const unreachable = bench().trace('unreachable');
    const gone = await bench().stub();
    await bench().provider({ slug: 'gone', type: 'openai', stub: gone });
    await gone.stop();
    const { status } = await bench().chat({ 'x-gw-provider': '@gone', 'x-gw-trace-id': unreachable });
    expect(status).toBe(502);
    expect(await bench().logDetailOf(unreachable)).toMatchObject({
      response_status_code: 502,
      outcome: 'failed',
      error_type: 'provider_unreachable',
      decision: { attempts: [{ end: 'unreachable', status: null }] },
    });
  });

  it('[SVC-02] is written for a denied request, under its key and workspace', async () => {
    const blind = await bench().newKey({ scopes: ['logs.list'] });
    const limited = await bench().newKey({
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }],
    });
    const cases = [
      { headers: { 'x-gw-provider': '@nobody' }, status: 400, type: 'provider_not_found' },
      { headers: { 'x-gw-provider': 'nobody' }, status: 400, type: 'provider_unknown' },
      { headers: { 'x-gw-config': 'pc-nothing-000000' }, status: 400, type: 'config_not_found' },
      { headers: {}, status: 400, type: 'provider_missing' },
      { headers: { 'x-gw-provider': '@main' }, key: blind, status: 403, type: 'scope_missing' },
      { headers: { 'x-gw-provider': '@main' }, key: limited, status: 429, type: 'rate_limited' },
    ];
    const requested = stub.requests.length;
    for (const { headers, key, status, type } of cases) {
      const trace = bench().trace(type);
      const response = await bench().chat(
        { ...headers, 'x-gw-trace-id': trace },
        key ? { key: key.key } : {},
      );
      expect([response.status, response.body]).toMatchObject([status, { error: { type } }]);
      const log = await bench().logOf(trace);
      expect(log).toMatchObject({
        response_status_code: status,
        outcome: 'denied',
        error_type: type,
        workspace_id: bench().product.credentials.workspace_id,
        cost_exact: null,
      });
      if (key) expect(log.api_key_id).toBe(key.id);
    }
    expect(stub.requests).toHaveLength(requested);
  });

  it('[SVC-02] is written for an expired key, under that key', async () => {
    const trace = bench().trace('expired');
    // On a busy machine the key may be refused because the time has already passed.
    const { id, key } = await eventually(() =>
      bench().newKey({ expires_at: new Date(Date.now() + 3_000).toISOString() }),
    );
    await eventually(async () => {
      const { status } = await bench().chat(
        { 'x-gw-provider': '@sandbox', 'x-gw-trace-id': bench().trace('not-yet') },
        { key },
      );
      return status === 401;
    });
    const response = await bench().chat({ 'x-gw-provider': '@sandbox', 'x-gw-trace-id': trace }, { key });
    expect(response.body).toMatchObject({ error: { type: 'api_key_expired' } });
    const expected = { api_key_id: id, outcome: 'denied', error_type: 'api_key_expired' };
    expect(await bench().logOf(trace)).toMatchObject(expected);
  });

  it('counts tokens and cost of passthrough from the response, [PAS-06] at a custom price if one is saved', async () => {
    const integration = await bench().provider({ slug: 'llama', type: 'openai', stub });
    await bench().manage('PUT', `/integrations/${integration}/models`, {
      body: {
        models: [
          {
            slug: 'my-llama',
            enabled: true,
            is_custom: true,
            pricing_config: {
              type: 'static',
              pay_as_you_go: { request_token: { price: 0.0002 }, response_token: { price: 0.0004 } },
            },
          },
        ],
      },
    });
    stub.respond({ body: { usage: { prompt_tokens: 100, completion_tokens: 10 } } });
    // 0.0002 cents are 200 units of 1e-8 USD.
    const costs = { 'my-llama': '24000', 'gpt-4o': '35000', 'no-such-model': null };
    for (const [model, cost] of Object.entries(costs)) {
      const trace = bench().trace('passthrough');
      const headers = { 'x-gw-provider': '@llama', 'x-gw-trace-id': trace };
      await bench().call('POST', '/own/route?x=1', { headers, body: { model } });
      expect(stub.lastRequest.url).toBe('/v1/own/route?x=1');
      const expected = { route: 'passthrough', req_units: 100, res_units: 10, cost_exact: cost };
      expect(await bench().logOf(trace)).toMatchObject(expected);
    }
  });

  it('[PAS-02] forwards status, headers and bytes of passthrough unchanged', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    stub.respond({
      status: 418,
      headers: { 'content-type': 'image/x-odd', 'x-of-provider': 'yes' },
      body: bytes,
    });
    const response = await fetch(`${bench().baseUrl}/own/picture`, {
      headers: { 'x-gw-api-key': bench().apiKey, 'x-gw-provider': '@main' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([418, 'image/x-odd']);
    expect(response.headers.get('x-of-provider')).toBe('yes');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  it('returns every record once by cursor, newest first, while new ones arrive', async () => {
    const trace = bench().trace('paged');
    const send = async (): Promise<void> => {
      await bench().chat({ 'x-gw-provider': '@sandbox', 'x-gw-trace-id': trace });
    };
    for (let count = 0; count < 10; count += 1) await send();
    const all = await eventually(async () => {
      const { data } = await bench().logs(`trace_id=${trace}`);
      return data.length === 10 && data;
    });
    const paged: LogEntry[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const place = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await bench().logs(`trace_id=${trace}&page_size=3${place}`);
      expect(page.has_more).toBe(page.next_cursor !== null);
      paged.push(...page.data);
      cursor = page.next_cursor;
      if (pages === 1) await send();
    }
    expect(paged).toEqual(all);
    const times = paged.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });
});

describe('client disconnect', () => {
  it('cancels the provider’s stream, and is logged', async () => {
    const trace = bench().trace('left-stream');
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: openAiEvent('Hel') }, { hang: true }],
    });
    // A response is a stream once it has begun.
    await leaveDuring(trace, { stream: true }, (response) => response);
    await eventually(() => stub.lastRequest.cancelled);
    const expected = { outcome: 'client_closed', streamed: true, provider: 'openai', credential: 'main' };
    expect(await bench().logOf(trace)).toMatchObject(expected);
  });

  it('cancels a provider call without a response, and is logged', async () => {
    const trace = bench().trace('left-early');
    stub.respond({ neverRespond: true });
    const requested = stub.requests.length + 1;
    await leaveDuring(trace, {}, () => stub.waitForRequest(requested));
    await eventually(() => stub.lastRequest.cancelled);
    expect(await bench().logOf(trace)).toMatchObject({ outcome: 'client_closed' });
  });
});

it('[CMP-04] streams completions as data-only events in the shape of the whole response, ended by [DONE]', async () => {
  const request = { model: 'sandbox-small', prompt: 'Say hello' };
  const headers = { 'x-gw-provider': '@sandbox' };
  const whole = await bench().call('POST', '/completions', { headers, body: request });
  const stream = await bench().call('POST', '/completions', { headers, body: { ...request, stream: true } });
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events = stream.text.split('\n\n');
  expect(events.splice(-2)).toEqual(['data: [DONE]', '']);
  expect(events.length).toBeGreaterThan(2);
  const choiceOf = (body: object): object => (body as { choices: [object] }).choices[0];
  const text = events.map((event) => {
    expect(event).toMatch(/^data: \{[^\n]*$/);
    const chunk = JSON.parse(event.slice('data: '.length)) as { object: string; choices: [{ text: string }] };
    expect(chunk.object).toBe(whole.body['object']);
    expect(Object.keys(choiceOf(chunk))).toEqual(Object.keys(choiceOf(whole.body)));
    return chunk.choices[0].text;
  });
  expect(text.join('')).toBe((choiceOf(whole.body) as { text: string }).text);
});

it('[SVC-08] serves both planes below one base URL', async () => {
  const { status, headers } = await bench().call('GET', '/health');
  expect(status).toBe(200);
  expect(headers.get('x-gw-request-id')).toMatch(/./);
  expect((await bench().chat({ 'x-gw-provider': '@sandbox' })).status).toBe(200);
  for (const path of [
    '/configs',
    '/providers',
    '/integrations',
    '/api-keys',
    '/virtual-keys',
    '/workspaces',
  ]) {
    expect(await bench().manage('GET', path)).toMatchObject({ object: 'list' });
  }
});

it('[VER-02] reports the version of the gateway, and the control plane shows it without a warning', async () => {
  const { body } = await bench().call('GET', '/health');
  const version = String(body['version']);
  expect(version).toMatch(/^2\.(?:1[89]|[2-9]\d)\.\d+$/);
  const listed = await eventually(async () => {
    const key = bench().adminKey;
    const { data } = await bench().manage<{ data: readonly object[] }>('GET', '/admin/gateways', { key });
    return data.length > 0 && data;
  });
  expect(listed).toMatchObject([{ version, connected: true, warnings: [] }]);
});
