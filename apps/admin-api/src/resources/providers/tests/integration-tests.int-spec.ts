import { StubProvider, type StubResponse } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../../spec-support/admin-api';
import { createKey, type Failure } from '../../../spec-support/api-keys';
import { createIntegration } from '../../../spec-support/integrations';
import { withStoppedClock } from '../../../spec-support/stopped-clock';

interface Check {
  readonly id: string;
  readonly ok: boolean | null;
  readonly message: string;
  readonly cost_exact?: string | null;
}
interface Tested {
  readonly checks: readonly Check[];
  readonly model: string | null;
}

const KEY = 'sk-0123456789abcdef';
const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();
let stub: StubProvider;

const MODELS: StubResponse = { body: { data: [{ id: 'gpt-4o' }, { id: 'gpt-4o-mini' }, { id: 'own' }] } };
const event = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const chunk = (rest: object): string =>
  event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', ...rest });
const CHAT: StubResponse = {
  headers: { 'content-type': 'text/event-stream' },
  body: [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }),
    event('[DONE]'),
  ].join(''),
};

/** Sets the responses to lists of models and to chats. */
const serve = (models: StubResponse, chat: StubResponse): void => {
  stub.requests.length = 0;
  stub.respond((request) => (request.method === 'GET' ? models : chat));
};
const run = (body: object, key = ours.key): Promise<GatewayResponse<Tested & Failure>> =>
  admin.post('/v1/integrations/test', { key, body });
const fresh = (more: object = {}): object => ({
  ...{ ai_provider_id: 'openai', key: KEY, configurations: { custom_host: `${stub.origin}/v1` } },
  ...more,
});
const verdicts = ({ body }: GatewayResponse<Tested>): Record<string, boolean | null> =>
  Object.fromEntries(body.checks.map(({ id, ok }) => [id, ok]));
const messageOf = ({ body }: GatewayResponse<Tested>, id: string): string =>
  body.checks.find((check) => check.id === id)?.message ?? '';

beforeAll(async () => {
  stub = await StubProvider.start();
});
afterAll(() => stub.stop());
beforeEach(() => {
  serve(MODELS, CHAT);
});

describe('POST /v1/integrations/test', () => {
  it('checks a new integration with a list of models and one small chat, and prices the chat', async () => {
    const response = await run(fresh());
    expect([response.status, verdicts(response)]).toEqual([
      200,
      { address: true, tls: null, credential: true, models: true, chat: true, stream: true, price: true },
    ]);
    expect(response.body.model).toBe('gpt-4o-mini');
    // 10 tokens at 0.15 USD and 2 tokens at 0.6 USD per million.
    expect(response.body.checks.find(({ id }) => id === 'chat')?.cost_exact).toBe('270');
    expect(stub.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/models',
      'POST /v1/chat/completions',
    ]);
    expect(stub.lastRequest.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(stub.lastRequest.body.toString())).toMatchObject({
      ...{ model: 'gpt-4o-mini', stream: true, max_completion_tokens: 16 },
    });
    expect(response.text).not.toContain(KEY);
  });

  it('saves nothing, and records the test without secrets', async () => {
    await run(
      fresh({ configurations: { custom_host: `${stub.origin}/v1`, custom_headers: { 'x-a': 'secret-a' } } }),
    );
    const { body } = await admin.get<{ total: number }>('/v1/integrations', { key: ours.key });
    expect(body.total).toBe(0);
    const audit = await admin.get<{ records: object[] }>('/v1/audit-logs?action=test&page_size=1', {
      key: ours.adminKey,
    });
    expect(audit.body.records).toMatchObject([
      {
        resource_type: 'integrations',
        resource_id: null,
        after: { ai_provider_id: 'openai', host: stub.origin, checks: { chat: true }, cost_exact: '270' },
      },
    ]);
    expect(audit.text).not.toContain(KEY);
    expect(audit.text).not.toContain('secret-a');
  });

  it('reports which step failed, and makes no paid call after a refused credential', async () => {
    serve({ status: 401, body: { error: { message: `Wrong key ${KEY}\u0007\n given` } } }, CHAT);
    const response = await run(fresh());
    expect(verdicts(response)).toEqual({
      ...{ address: true, tls: null, credential: false },
      ...{ models: null, chat: null, stream: null, price: null },
    });
    expect(messageOf(response, 'credential')).toBe(
      'The provider refused the credential: status 401, "Wrong key ***** given".',
    );
    expect(stub.requests).toHaveLength(1);
  });

  it('shortens and cleans the text of a hostile provider', async () => {
    serve(MODELS, { status: 500, body: { error: { message: `\u202e${'x'.repeat(100_000)}${KEY}` } } });
    const response = await run(fresh());
    expect(verdicts(response)).toMatchObject({ models: true, chat: false, stream: null });
    expect(messageOf(response, 'chat').length).toBeLessThan(300);
    expect(messageOf(response, 'chat')).not.toContain('\u202e');
    serve({ body: Buffer.alloc(2_000_000, 32) }, CHAT);
    const large = await run(fresh());
    expect(verdicts(large)).toMatchObject({ address: false, chat: null });
    serve({ body: { data: 'no list' } }, CHAT);
    expect(verdicts(await run(fresh()))).toMatchObject({ credential: true, models: false });
  });

  it('reports that a model is not listed or has no price, and that a response is not a stream', async () => {
    const whole = {
      body: {
        ...{ id: 'c', object: 'chat.completion', created: 1, model: 'own' },
        choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      },
    };
    serve(MODELS, whole);
    const own = await run(fresh({ model: 'own' }));
    expect(verdicts(own)).toMatchObject({ models: true, chat: true, stream: false, price: false });
    expect(own.body.checks.find(({ id }) => id === 'chat')?.cost_exact).toBeNull();
    expect(verdicts(await run(fresh({ model: 'another' })))).toMatchObject({ models: false });
  });

  it('refuses addresses by the policy, and follows no redirects', async () => {
    const refused = await run(fresh({ configurations: { custom_host: 'http://169.254.169.254/v1' } }));
    expect([refused.status, verdicts(refused)]).toMatchObject([200, { address: false, credential: null }]);
    serve({ status: 302, headers: { location: `${stub.origin}/other` } }, CHAT);
    expect(verdicts(await run(fresh()))).toMatchObject({ models: false });
    expect(stub.requests.map(({ url }) => url)).not.toContain('/other');
  });

  it('tests a saved integration with its secret, but never sends the secret to another address', async () => {
    const saved = await createIntegration(admin, ours.key, {
      ...{ name: 'Saved', slug: 'saved', ai_provider_id: 'openai', key: KEY },
      configurations: { custom_host: `${stub.origin}/v1` },
    });
    expect(verdicts(await run({ integration: 'saved' }))).toMatchObject({ credential: true, chat: true });
    expect(stub.lastRequest.headers['authorization']).toBe(`Bearer ${KEY}`);
    const changed = await run({ integration: 'saved', key: 'sk-another-0123456789' });
    expect(changed.status).toBe(200);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-another-0123456789');

    stub.requests.length = 0;
    const moved = { integration: saved.id, configurations: { custom_host: `${stub.origin}/v2` } };
    const refused = await run(moved);
    expect([refused.status, refused.body.error.type]).toEqual([400, 'validation_failed']);
    expect(refused.body.error.details?.map(({ path }) => path)).toContain('key');
    expect(stub.requests).toEqual([]);
    expect((await run({ ...moved, key: KEY })).status).toBe(200);

    const foreign = await run({ integration: saved.id }, theirs.key);
    expect([foreign.status, foreign.body.error.type]).toEqual([404, 'not_found']);
    const { key } = await createKey(admin, ours.key, { scopes: ['workspace_integrations.create'] });
    expect((await run({ integration: 'saved' }, key)).status).toBe(404);
    const reader = await createKey(admin, ours.key, { scopes: ['workspace_integrations.read'] });
    expect((await run(fresh(), reader.key)).status).toBe(403);
  });

  it('names the invalid field of a request', async () => {
    for (const [body, param] of [
      [{ key: KEY }, 'ai_provider_id'],
      [{ ai_provider_id: 'nothing' }, 'ai_provider_id'],
      [{ ai_provider_id: 'openai' }, 'key'],
      [
        fresh({ pricing_adjustments: { multiplier: { default: -1 } } }),
        'pricing_adjustments.multiplier.default',
      ],
    ] as const) {
      const response = await run(body);
      expect([param, response.status, response.body.error.param]).toEqual([param, 400, param]);
    }
  });

  it('tests the sandbox without a call, and a translated provider in its own dialect', async () => {
    const sandbox = await run({ ai_provider_id: 'sandbox', model: 'sandbox-small' });
    expect(verdicts(sandbox)).toMatchObject({ address: true, chat: true, stream: true });
    serve(
      { body: { data: [{ type: 'model', id: 'claude-haiku-4-5' }], has_more: false } },
      {
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message: 'No credit.' } },
      },
    );
    const anthropic = await run(fresh({ ai_provider_id: 'anthropic', model: 'claude-haiku-4-5' }));
    expect(stub.requests.map(({ url }) => url)).toEqual([
      expect.stringContaining('/v1/models'),
      expect.stringContaining('/v1/messages'),
    ]);
    expect(messageOf(anthropic, 'chat')).toBe('The provider refused the chat: status 400, "No credit.".');
  });

  it('is limited per minute for each organisation', async () => {
    const other = await admin.tenant();
    const body = { ai_provider_id: 'sandbox', model: 'sandbox-small' };
    const statuses: number[] = [];
    await withStoppedClock(async () => {
      for (let i = 0; i < 31; i += 1) statuses.push((await run(body, other.key)).status);
    });
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    expect((await run(body)).status).toBe(200);
  });
});
