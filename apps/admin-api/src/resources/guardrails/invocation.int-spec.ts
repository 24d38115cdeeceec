import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Invocation {
  readonly verdict: boolean;
  readonly outcome: string;
  readonly message: string | null;
  readonly transformed: boolean;
  readonly body: unknown;
  readonly hook_results: Record<'before_request_hooks' | 'after_request_hooks', readonly object[]>;
}

const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
const tenant = api.sharedTenant();
const CHECK = { id: 'default.contains', parameters: { words: ['Apollo'], operator: 'none' } };

const calls: { readonly request: IncomingMessage; readonly body: string }[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    calls.push({ request, body });
    if (request.url === '/redirect') response.writeHead(302, { location: '/verdict' });
    if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' });
    response.end(JSON.stringify({ verdict: !body.includes('Apollo') }));
  });
});
let origin = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function create(checks: readonly object[], actions: object = { deny: true }): Promise<string> {
  // Checks call servers of this process, which may get no time for seconds on a busy machine.
  const { status, body } = await api.post<{ slug: string }>('/v1/guardrails', {
    key: tenant.key,
    body: { name: 'A', checks, actions: { timeout: 60_000, ...actions } },
  });
  expect(status).toBe(200);
  return body.slug;
}

const invoke = (
  slug: string,
  body: object,
  key = tenant.key,
): Promise<GatewayResponse<Invocation & Failure>> => api.post(`/v1/guardrails/${slug}/invoke`, { key, body });

describe('invocation of a guardrail', () => {
  it.each([
    { request: { json: { messages: [{ role: 'user', content: 'Apollo' }] } } },
    { request: { text: 'Apollo' } },
    { request: {} },
    { request: { messages: [] } },
    { stage: 'output', response: { text: 'Apollo' } },
    { request_type: 'embed', request: { messages: [{ role: 'user', content: 'Apollo' }] } },
  ])('refuses %j, which has no text to check', async (body) => {
    const { status, body: response } = await invoke(await create([CHECK]), body);
    const param = 'response' in body ? 'response' : 'request';
    expect([status, response.error]).toMatchObject([400, { type: 'validation_failed', param }]);
  });

  it('checks a text as a request or a response, and applies the actions [GRD-03]', async () => {
    const denies = await create([CHECK], { deny: true, message: 'No code names.' });
    const marks = await create([CHECK], {});
    const good = await invoke(denies, { text: 'What is Gemini?' });
    expect(good.body).toMatchObject({ verdict: true, outcome: 'pass', transformed: false, body: null });
    const bad = await invoke(denies, { text: 'What is Apollo?' });
    expect(bad.body).toMatchObject({ verdict: false, outcome: 'deny', message: 'No code names.' });
    const after = await invoke(marks, { stage: 'output', text: 'It is Apollo.' });
    expect(after.body).toMatchObject({
      verdict: false,
      outcome: 'mark',
      hook_results: {
        before_request_hooks: [],
        after_request_hooks: [{ id: marks, verdict: false, checks: [{ id: CHECK.id, verdict: false }] }],
      },
    });
  });

  it('reports that the images of a request are too large, instead of a general failure', async () => {
    const slug = await create([{ id: 'default.inlineImageUrls', parameters: { maxSizeBytes: 5 } }]);
    const image = { type: 'image_url', image_url: { url: `${origin}/image` } };
    const content = [{ type: 'text', text: 'What is this?' }, image];
    const { body } = await invoke(slug, { request: { messages: [{ role: 'user', content }] } });
    const error = { message: 'The images of the request are larger together than maxSizeBytes.' };
    expect(body.hook_results.before_request_hooks).toMatchObject([{ checks: [{ error }] }]);
  });

  it('checks request and response bodies by request_type [GRD-03]', async () => {
    const slug = await create([CHECK]);
    const chat = { messages: [{ role: 'user', content: 'Apollo' }] };
    expect((await invoke(slug, { request: chat })).body.outcome).toBe('deny');
    const embed = { request_type: 'embed', request: { model: 'm', input: ['a', 'Apollo'] } };
    expect((await invoke(slug, embed)).body.outcome).toBe('deny');
    const response = { choices: [{ message: { role: 'assistant', content: 'Apollo' } }] };
    expect((await invoke(slug, { stage: 'output', request: { messages: [] }, response })).body.outcome).toBe(
      'deny',
    );
    expect((await invoke(slug, { stage: 'output', request: chat, text: 'fine' })).body.outcome).toBe('pass');
  });

  it('waits for the verdict of a guardrail that is asynchronous for requests', async () => {
    const slug = await create([CHECK], { deny: true, async: true });
    expect((await invoke(slug, { text: 'Apollo' })).body).toMatchObject({ verdict: false, outcome: 'deny' });
  });

  it('returns the body as the checks have changed it', async () => {
    const slug = await create([
      { id: 'default.regexReplace', parameters: { rule: 'Apollo', redactText: '-' } },
    ]);
    const { body } = await invoke(slug, { text: 'Apollo!' });
    expect(body).toMatchObject({ transformed: true, body: { messages: [{ role: 'user', content: '-!' }] } });
  });

  it('passes model, metadata and headers to checks', async () => {
    const slug = await create([
      { id: 'default.modelWhitelist', parameters: { models: ['gpt-4o'] } },
      { id: 'default.requiredMetadataKeys', parameters: { metadataKeys: ['team'] } },
    ]);
    const full = { text: 'a', model: 'gpt-4o', metadata: { team: 'a' } };
    expect((await invoke(slug, full)).body.verdict).toBe(true);
    expect((await invoke(slug, { ...full, model: 'gpt-4' })).body.verdict).toBe(false);
    expect((await invoke(slug, { ...full, metadata: {} })).body.verdict).toBe(false);
  });

  it('calls webhooks with their secrets and allowed headers, and follows no redirect', async () => {
    const parameters = {
      webhookURL: `${origin}/verdict`,
      headers: { authorization: 'Bearer secret' },
      forwardHeaders: ['x-session-id'],
    };
    const slug = await create([{ id: 'default.webhook', parameters }]);
    calls.length = 0;
    const headers = { 'X-Session-Id': 's-1', 'x-other': 'no' };
    expect((await invoke(slug, { text: 'Apollo', headers })).body.outcome).toBe('deny');
    expect((await invoke(slug, { text: 'fine', headers })).body.outcome).toBe('pass');
    expect(calls[0]?.request.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-session-id': 's-1',
    });
    expect(calls[0]?.request.headers).not.toHaveProperty('x-other');
    const moved = { webhookURL: `${origin}/redirect` };
    const redirected = await create([{ id: 'default.webhook', parameters: moved }]);
    calls.length = 0;
    expect((await invoke(redirected, { text: 'fine' })).body.outcome).toBe('deny');
    expect(calls).toHaveLength(1);
  });

  it('calls no disallowed address, whether it is saved or resolved [ERR-09]', async () => {
    const blocked = { webhookURL: 'http://169.254.169.254/latest' };
    const refused = await api.post<Failure>('/v1/guardrails', {
      key: tenant.key,
      body: { name: 'A', checks: [{ id: 'default.webhook', parameters: blocked }] },
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'checks.0.parameters.webhookURL']);
    const slug = await create([{ id: 'default.validUrls', parameters: { onlyDNS: true } }]);
    const local = await invoke(slug, { text: 'see http://localhost/ and http://10.0.0.1/' });
    expect(local.body.verdict).toBe(false);
  });

  it.each([
    ['neither a text nor a body', {}, 'request'],
    ['the output stage without a response', { stage: 'output', request: {} }, 'response'],
    ['a text and a body', { text: 'a', request: {} }, 'text'],
    ['an unknown request_type', { text: 'a', request_type: 'party' }, 'request_type'],
    ['an unknown field', { text: 'a', party: 1 }, 'party'],
  ])('refuses %s', async (_title, body, param) => {
    const response = await invoke(await create([CHECK]), body);
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });

  it('requires only the scope guardrails.invoke [REL-10] [SCP-01 in part]', async () => {
    const slug = await create([CHECK]);
    const { organisationId, workspaceId } = tenant;
    const keyWith = (...scopes: string[]): Promise<string> =>
      api.apiKey('workspace-service', { organisationId, workspaceId }, scopes);
    expect((await invoke(slug, { text: 'a' }, await keyWith('guardrails.invoke'))).status).toBe(200);
    const without = await keyWith('guardrails.read', 'guardrails.update', 'guardrails.list');
    const refused = await invoke(slug, { text: 'a' }, without);
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_missing']);
    expect((await invoke(slug, { text: 'a' }, tenant.adminKey)).status).toBe(403);
  });
});
