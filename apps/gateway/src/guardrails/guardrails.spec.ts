import { StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, WORKSPACE_ID, type LoggedRequest } from '../spec-support/harness';

const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
const COST = 9 * 250 + 12 * 1_000;
const chat = (content: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: USAGE,
});
const ask = (content: string): object => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
const no = (word: string, more: object = {}): object => ({
  ...more,
  contains: { words: [word], operator: 'none' },
});

interface Judged {
  readonly error?: { readonly type: string; readonly message: string };
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly hook_results?: {
    readonly before_request_hooks: readonly { id: string; verdict: boolean; deny: boolean }[];
    readonly after_request_hooks: readonly { id: string; verdict: boolean; deny: boolean }[];
  };
}

describe('guardrails', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(chat('Hello!'));
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (config: object, content = 'Hi', path = '/chat/completions'): Promise<TestResponse> =>
    asker.ask(path, ask(content), {
      config: 'targets' in config ? config : { provider: '@main', ...config },
    });
  const judged = ({ text }: TestResponse): Judged => JSON.parse(text) as Judged;
  const lastRecord = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  describe('on requests', () => {
    const raw = (text: string, config: object, path = '/chat/completions'): Promise<Response> =>
      fetch(`${gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gw-api-key': gateway.apiKey,
          'x-gw-config': JSON.stringify({ provider: '@main', ...config }),
        },
        body: text,
      });
    const twice = (first: string): string =>
      `{"model":"gpt-4o","seed":9007199254740993,${first},"messages":[{"role":"user","content":"ok"}]}`;

    it.each(['/chat/completions', '/proxy/chat/completions'])(
      'sends the judged body to %s when a member is duplicated at any depth',
      async (path) => {
        const config = { input_guardrails: [no('bomb', { deny: true })] };
        for (const first of [
          '"messages":[{"role":"user","content":"bomb"}]',
          '"m\\u0065ssages":[{"role":"user","content":"bomb"}]',
          '"tools":[{"a":{"b":"bomb","b":"ok"}}]',
        ]) {
          expect((await raw(twice(first), config, path)).status).toBe(200);
          const sent = stub.lastRequest.body.toString();
          expect(sent).not.toContain('bomb');
          expect(sent).toContain('"seed":9007199254740993');
        }
        const plain = '{ "model":"gpt-4o", "messages":[{"role":"user","content":"ok"}] }';
        expect((await raw(plain, config, path)).status).toBe(200);
        expect(stub.lastRequest.body.toString()).toBe(plain);
      },
    );

    it('sends the value that a condition read when a member is duplicated, also without guardrails', async () => {
      const strategy = {
        mode: 'conditional',
        conditions: [{ query: { 'params.user': { $eq: 'last' } }, then: 'read' }],
      };
      const body =
        '{"model":"gpt-4o","user":"first","messages":[{"role":"user","content":"ok"}],"user":"last"}';
      const target = { name: 'read', provider: '@main' };
      const response = await raw(body, { provider: undefined, strategy, targets: [target] });
      expect(response.status).toBe(200);
      expect(stub.lastRequest.body.toString()).not.toContain('first');
      expect(JSON.parse(stub.lastRequest.body.toString())).toMatchObject({ user: 'last' });
    });

    it.each(['9007199254740993', '12345678901234567890', '1e400', '-0.12345678901234567890'])(
      'keeps the spelling of the number %s when parameter rules apply',
      async (seed) => {
        const body = `{"model":"gpt-4o","seed":${seed},"messages":[{"role":"user","content":"a b c"}]}`;
        for (const config of [
          { override_params: { user: 'u' } },
          { drop_params: ['user'], default_params: { n: 1 } },
        ]) {
          expect((await raw(body, config)).status).toBe(200);
          expect(stub.lastRequest.body.toString()).toContain(`"seed":${seed},`);
        }
      },
    );

    it('refuses two numbers that become equal when a rule rewrites the body', async () => {
      const body = twice('"top_k":9007199254740992');
      expect((await raw(body, {})).status).toBe(200);
      const refused = await raw(body, { override_params: { user: 'u' } });
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { error: { type: 'body_invalid' } },
      ]);
    });

    it('[GRD-02] denies a request with 446 before any provider is called, with the verdicts next to the error', async () => {
      const reply = await send({ input_guardrails: [no('bomb', { deny: true, id: 'words' })] }, 'a bomb');
      expect(reply.status).toBe(446);
      expect(judged(reply)).toMatchObject({
        error: { type: 'hooks_failed' },
        hook_results: {
          before_request_hooks: [{ id: 'words', verdict: false, deny: true }],
          after_request_hooks: [],
        },
      });
      expect(stub.requests).toHaveLength(0);
      expect(await lastRecord()).toMatchObject({
        status: 446,
        outcome: 'denied',
        errorType: 'hooks_failed',
        decision: {
          attempts: [{ end: 'denied', status: null }],
          guardrails: [{ stage: 'input', id: 'words', verdict: false, deny: true, async: false }],
        },
      });
    });

    it('[GRD-02] marks the response with 246 when a failed guardrail does not deny', async () => {
      const reply = await send({ input_guardrails: [no('bomb')] }, 'a bomb');
      expect(reply.status).toBe(246);
      expect(judged(reply)).toMatchObject({
        choices: [{ message: { content: 'Hello!' } }],
        hook_results: { before_request_hooks: [{ verdict: false, deny: false }] },
      });
      expect(await lastRecord()).toMatchObject({ status: 246, outcome: 'ok', cost: COST });
    });

    it('lists passed checks next to the response', async () => {
      const reply = await send({ input_guardrails: [no('bomb')] });
      expect([reply.status, judged(reply).hook_results?.before_request_hooks.length]).toEqual([200, 1]);
    });

    it('replaces texts in the request, and restores placeholders in the response', async () => {
      stub.respondJson(chat('Write to [EMAIL_ADDRESS_1]!'));
      const reply = await send(
        { input_guardrails: [{ 'gw.pii': { redact: true, reversible: true } }] },
        'I am eve@example.com',
      );
      expect(stub.requests[0]?.body.toString()).toContain('I am [EMAIL_ADDRESS_1]');
      expect(judged(reply).choices?.[0]?.message.content).toBe('Write to eve@example.com!');
      expect(reply.status).toBe(200);
    });
  });

  describe('on responses', () => {
    it('[GRD-02] denies a response with 446, and charges its cost', async () => {
      stub.respondJson(chat('the secret'));
      const reply = await send({ output_guardrails: [no('secret', { deny: true })] });
      expect(reply.status).toBe(446);
      expect(reply.text).not.toContain('the secret');
      expect(judged(reply)).toMatchObject({
        hook_results: { before_request_hooks: [], after_request_hooks: [{ verdict: false, deny: true }] },
      });
      expect(await lastRecord()).toMatchObject({ status: 446, outcome: 'denied', cost: COST });
    });

    it('[GRD-02] marks a response with 246', async () => {
      stub.respondJson(chat('the secret'));
      const reply = await send({ output_guardrails: [no('secret')] });
      expect(reply.status).toBe(246);
      expect(judged(reply)).toMatchObject({
        choices: [{ message: { content: 'the secret' } }],
        hook_results: { after_request_hooks: [{ verdict: false }] },
      });
    });

    it('does not fall back to an unguarded target after a denial, unless the fallback lists 446', async () => {
      const other = await StubProvider.start();
      other.respondJson(chat('all good'));
      gateway.addProvider('other', 'openai', other.origin);
      stub.respondJson(chat('the secret'));
      const status = async (codes: readonly number[] | null): Promise<number> => {
        const targets = [
          { provider: '@main', output_guardrails: [no('secret', { deny: true })] },
          { provider: '@other' },
        ];
        const reply = await send({
          strategy: { mode: 'fallback', ...(codes && { on_status_codes: codes }) },
          targets,
        });
        return reply.status;
      };
      expect([await status([429]), await status(null), await status([446])]).toEqual([446, 446, 200]);
      expect(other.requests).toHaveLength(1);
      await other.stop();
    });

    it('falls back after a denial to a target with the same guardrails', async () => {
      const other = await StubProvider.start();
      other.respondJson(chat('all good'));
      gateway.addProvider('other', 'openai', other.origin);
      stub.respondJson(chat('the secret'));
      const reply = await send({
        output_guardrails: [no('secret', { deny: true })],
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@main' }, { provider: '@other' }],
      });
      expect(reply.status).toBe(200);
      expect(judged(reply).choices?.[0]?.message.content).toBe('all good');
      await other.stop();
    });
  });

  describe('sources of guardrails', () => {
    const deny = { deny: true };
    const checks = [{ id: 'contains', parameters: { words: ['bomb'], operator: 'none' } }];

    it('[GRD-02] [CTL-01] [CTL-02] applies those of the organisation, the workspace and the config; an excluded workspace skips the organisation’s', async () => {
      gateway.addGuardrail('org', checks, deny, { workspaceId: null });
      gateway.setOrganisation({ guardrails: { input: ['org'], output: [] } });
      expect((await send({}, 'a bomb')).status).toBe(446);
      gateway.addTenant(WORKSPACE_ID, 'main', { guardrailExclusions: ['input'] });
      gateway.setOrganisation({ guardrails: { input: ['org'], output: [] } });
      expect((await send({}, 'a bomb')).status).toBe(200);
      gateway.addGuardrail('own', checks, {});
      gateway.addTenant(WORKSPACE_ID, 'main', {
        guardrailExclusions: ['input'],
        defaults: { metadata: {}, config: null, guardrails: { input: ['guardrail-own'], output: [] } },
      });
      gateway.setOrganisation({ guardrails: { input: ['org'], output: [] } });
      expect((await send({}, 'a bomb')).status).toBe(246);
      expect((await send({ input_guardrails: ['org'] }, 'a bomb')).status).toBe(446);
    });

    it('[ERR-01] refuses a config with an unknown slug or an invalid guardrail as config_invalid', async () => {
      const unknown = await send({ input_guardrails: ['nobody'] });
      expect(unknown.status).toBe(400);
      expect(judged(unknown)).toMatchObject({
        error: {
          type: 'config_invalid',
          details: [{ path: 'config.input_guardrails.0', rule: 'unknown_guardrail' }],
        },
      });
      const wrong = await send({ output_guardrails: [{ wordCount: { maxWords: 'x' } }] });
      expect(judged(wrong)).toMatchObject({ error: { type: 'config_invalid' } });
      expect(stub.requests).toHaveLength(0);
    });

    it('applies a saved guardrail, and its new version from the next request', async () => {
      gateway.addGuardrail('words', checks, deny);
      expect((await send({ input_guardrails: ['words'] }, 'a bomb')).status).toBe(446);
      gateway.addGuardrail('words', checks, {});
      expect((await send({ input_guardrails: ['words'] }, 'a bomb')).status).toBe(246);
    });
  });

  it('[GRD-01] bounds the tools and parameters of a request', async () => {
    const check = {
      requestParametersCheck: { params: { values: { model: { blockedValues: ['gpt-4o'] } } } },
    };
    expect((await send({ input_guardrails: [{ deny: true, ...check }] })).status).toBe(446);
  });

  it('[GRD-02] runs asynchronous guardrails without delaying the response, and logs their verdicts', async () => {
    const reply = await send({ input_guardrails: [no('bomb', { deny: true, async: true })] }, 'a bomb');
    expect([reply.status, reply.text.includes('hook_results')]).toEqual([200, false]);
    expect((await lastRecord())?.decision.guardrails).toMatchObject([{ async: true, verdict: false }]);
  });

  describe('webhook guardrails', () => {
    let hook: StubProvider;
    beforeEach(async () => {
      hook = await StubProvider.start();
      hook.respondJson({ verdict: false });
    });
    afterEach(() => hook.stop());
    const webhook = (more: object = {}): object => ({
      input_guardrails: [{ deny: true, webhook: { webhookURL: `${hook.origin}/check`, ...more } }],
    });

    it.each(['/proxy/chat/completions', '/chat/completions/', '/odd/Chat/Completions'])(
      'judges the built-in path %s on passthrough too, so that it does not bypass a webhook or a blocked request type',
      async (path) => {
        expect((await send(webhook({}), 'Hi', path)).status).toBe(446);
        const rule = { 'default.allowedRequestTypes': { blockedTypes: ['chatComplete'] } };
        const blocked = { input_guardrails: [{ deny: true, ...rule }] };
        expect((await send(blocked, 'Hi', path)).status).toBe(446);
        expect((await send(blocked, 'Hi', '/odd/route')).status).toBe(200);
      },
    );

    it('[EVT-01][REL-01 in part] judges passthrough requests only with executeOnProxy, by method, path and content type', async () => {
      expect((await send(webhook(), 'Hi', '/odd/route')).status).toBe(200);
      expect(hook.requests).toHaveLength(0);
      expect((await send(webhook({ executeOnProxy: true }), 'Hi', '/odd/route')).status).toBe(446);
      expect(JSON.parse(hook.lastRequest.body.toString())).toMatchObject({
        request: { method: 'POST', path: '/v1/odd/route', contentType: 'application/json' },
        eventType: 'beforeRequestHook',
      });
    });

    it('denies after a webhook timeout if the guardrail denies, and never hangs', async () => {
      hook.respond({ neverRespond: true });
      expect((await send(webhook({ timeout: 20 }))).status).toBe(446);
      const open = { input_guardrails: [{ webhook: { webhookURL: hook.origin, timeout: 20 } }] };
      expect((await send(open)).status).toBe(200);
    });

    it('[ERR-03] sends a webhook the headers that may be forwarded, and refuses a guardrail that names any other', async () => {
      const refused = await send(webhook({ forwardHeaders: ['authorization'] }));
      expect(judged(refused)).toMatchObject({ error: { type: 'config_invalid' } });
      hook.respondJson({ verdict: true });
      await asker.ask('/chat/completions', ask('Hi'), {
        config: { provider: '@main', ...webhook({ forwardHeaders: ['x-session-id'] }) },
        headers: { 'x-session-id': 's1', 'x-other': 'o' },
      });
      expect(hook.lastRequest.headers).toMatchObject({ 'x-session-id': 's1' });
      expect(hook.lastRequest.headers['x-other']).toBeUndefined();
      await asker.ask('/chat/completions', ask('Hi'), {
        config: { provider: '@main', ...webhook({ forwardHeaders: ['x-session-id', 'x-kept'] }) },
        headers: { 'x-session-id': `key ${gateway.apiKey}`, 'x-kept': 'k' },
      });
      expect(hook.lastRequest.headers['x-kept']).toBe('k');
      expect(JSON.stringify(hook.lastRequest.headers)).not.toContain(gateway.apiKey);
    });

    it('sends a webhook no header that contains a text with the form of a gateway key, of any owner', async () => {
      const other = `tg_${'AnotherTenantsKey'.padEnd(32, '0')}`;
      hook.respondJson({ verdict: true });
      await asker.ask('/chat/completions', ask('Hi'), {
        config: { provider: '@main', ...webhook({ forwardHeaders: ['x-session-id', 'x-kept'] }) },
        headers: { 'x-session-id': `a=1; b=${other}`, 'x-kept': '4bf92f3577b34da6a3ce929d0e0e4736' },
      });
      expect(hook.lastRequest.headers['x-kept']).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
      expect(hook.lastRequest.headers['x-session-id']).toBeUndefined();
    });
  });

  it('judges passthrough responses, and forwards passed ones byte for byte', async () => {
    stub.respondJson({ odd: ['the secret'] });
    const denied = await send({ output_guardrails: [no('secret', { deny: true })] }, 'Hi', '/odd/route');
    expect(denied.status).toBe(446);
    const passed = await send({ output_guardrails: [no('nothing', { deny: true })] }, 'Hi', '/odd/route');
    expect([passed.status, passed.text]).toEqual([200, '{"odd":["the secret"]}']);
  });

  it.each([
    ['Application/JSON', '{"odd":["the secret"]}'],
    ['Text/Plain', 'the secret'],
    ['Text/Event-Stream', 'data: {"odd":"the secret"}\n\n'],
  ])('judges passthrough responses whatever the case of their type %s', async (type, body) => {
    stub.respond({ headers: { 'content-type': type }, steps: [{ chunk: body }] });
    const denied = await send({ output_guardrails: [no('secret', { deny: true })] }, 'Hi', '/odd/route');
    expect(denied.status).toBe(446);
  });

  it('judges cached responses, which are stored without verdicts', async () => {
    const config = { cache: { mode: 'simple' }, output_guardrails: ['greeting'] };
    const check = { id: 'contains', parameters: { words: ['Hello'], operator: 'none' } };
    gateway.addGuardrail('greeting', [check], {});
    const first = await send(config);
    const hit = await send(config);
    expect([first.status, hit.status, hit.cache]).toEqual([246, 246, 'HIT']);
    expect(hit.text.split('hook_results')).toHaveLength(2);
    gateway.addGuardrail('greeting', [check], { deny: true });
    expect((await send(config)).status).toBe(446);
    expect(stub.requests).toHaveLength(1);
  });
});
