import { StubProvider } from '@gw/testing';
import OpenAI from 'openai';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';

const RESPONSE = { id: 'c', object: 'chat.completion', model: 'm', choices: [], usage: null };
const MESSAGES = JSON.stringify([
  { role: 'system', content: 'Be {{tone}}.' },
  { role: 'user', content: '{{question}}' },
]);

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null; readonly message: string };
}

describe('saved prompts', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const keyOfOther = 'otherKey0000000000000000000000AB';

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    gateway.addKey(gateway.apiKey, { scopes: ['completions.write', 'prompts.render'] });
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(keyOfOther, {
      workspaceId: OTHER_WORKSPACE_ID,
      scopes: ['completions.write', 'prompts.render'],
    });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('second', 'openai', stub.origin);
    gateway.addProvider('main', 'openai', stub.origin, { workspaceId: OTHER_WORKSPACE_ID });
    const version = { virtualKey: 'main', model: 'gpt-x' };
    gateway.addPrompt(
      'pp-ask',
      [
        { ...version, template: 'Version one: {{question}}' },
        {
          ...version,
          template: MESSAGES,
          parameters: { temperature: 0.2, max_tokens: 50, stream: true, variables: { tone: 'kind' } },
          tools: [{ type: 'function', function: { name: 'f' } }],
          toolChoice: ['auto'],
        },
      ],
      { labels: { production: 'prompt-pp-ask-1', 'prod.eu': 'prompt-pp-ask-2' } },
    );
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const post = async <T = Record<string, unknown>>(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: T; headers: Headers }> => {
    const response = await fetch(`${gateway.baseUrl}/prompts/${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  };
  const sent = (): Record<string, unknown> =>
    JSON.parse(stub.lastRequest.body.toString('utf8')) as Record<string, unknown>;

  it('are sent as the chat completion that they describe, and logged by prompt and version', async () => {
    const response = await post('pp-ask/completions', { variables: { question: 'Why "?' } });
    expect([response.status, response.body]).toEqual([200, RESPONSE]);
    expect(stub.lastRequest).toMatchObject({ method: 'POST', url: '/v1/chat/completions' });
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
    expect(sent()).toEqual({
      model: 'gpt-x',
      temperature: 0.2,
      max_tokens: 50,
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Why "?' },
      ],
    });
    expect((await gateway.records()).at(-1)).toMatchObject({
      route: 'prompts.completions',
      status: 200,
      outcome: 'ok',
      model: 'gpt-x',
      credential: 'main',
      decision: {
        prompt: { id: 'prompt-pp-ask', slug: 'pp-ask', versionId: 'prompt-pp-ask-2', version: 2 },
      },
    });
  });

  it('use members of their parameters as default values of variables that the templates name', async () => {
    gateway.addPrompt('pp-tail', [{ template: '({{tail}})' }], { type: 'partial' });
    const template = '{{q}} {{user}} {{#rows}}{{.}}{{/rows}} {{>pp-tail}}';
    const parameters = { q: 'default-q', user: 'ada', rows: ['a', 'b'], tail: 't', top_k: 4, odd: 1 };
    gateway.addPrompt('pp-default', [{ virtualKey: 'main', model: 'gpt-x', template, parameters }]);
    await post('pp-default/completions', {});
    // Parameters of the route stay in the request, and so do members that no template names.
    const kept = { model: 'gpt-x', user: 'ada', top_k: 4, odd: 1 };
    expect(sent()).toEqual({ ...kept, prompt: 'default-q ada ab (t)' });
    await post('pp-default/completions', { variables: { q: 'mine', rows: [] } });
    expect(sent()).toEqual({ ...kept, prompt: 'mine ada  (t)' });
    const { body } = await post('pp-default/render', { variables: { tail: '' } });
    expect(body['data']).toEqual({ ...kept, prompt: 'default-q ada ab ()' });
  });

  it('are sent to the provider that the model of the request names, else to their own', async () => {
    await post('pp-ask/completions', { model: '@second/gpt-z' });
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-second');
    expect(sent()).toMatchObject({ model: 'gpt-z' });
    await post('pp-ask/completions', { model: '@cf/gpt-z' });
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
  });

  it('are overridden by the root members of the request, in either spelling of max_tokens', async () => {
    const more = { model: 'gpt-y', max_completion_tokens: 9, temperature: 1, user: 'u' };
    await post('pp-ask/completions', { variables: { tone: 'brief' }, ...more });
    expect(sent()).toMatchObject({ ...more, messages: [{ content: 'Be brief.' }, { content: '' }] });
    expect(sent()).not.toHaveProperty('max_tokens');
    expect(sent()).not.toHaveProperty('variables');
  });

  it.each([
    ['pp-ask@1', 'Version one: Q'],
    ['pp-ask@production', 'Version one: Q'],
    ['pp-ask%40production', 'Version one: Q'],
    ['prompt-pp-ask@1', 'Version one: Q'],
  ])('%s selects that version, here a completion', async (reference, prompt) => {
    expect((await post(`${reference}/completions`, { variables: { question: 'Q' } })).status).toBe(200);
    expect(stub.lastRequest.url).toBe('/v1/completions');
    expect(sent()).toEqual({ model: 'gpt-x', prompt });
  });

  it.each(['pp-ask@latest', 'pp-ask@2', 'pp-ask@prod.eu', 'pp-ask@default'])(
    '%s is a chat',
    async (reference) => {
      expect((await post(`${reference}/completions`, {})).status).toBe(200);
      expect(stub.lastRequest.url).toBe('/v1/chat/completions');
    },
  );

  it('return the same 404 for an unknown prompt, one of another workspace, and a partial', async () => {
    gateway.addPrompt('pp-theirs', [{ template: 'secret' }], { workspaceId: OTHER_WORKSPACE_ID });
    gateway.addPrompt('pp-part', [{ template: 'a' }], { type: 'partial' });
    const bodies = new Set<string>();
    for (const id of ['pp-none', 'pp-theirs', 'pp-part', 'pp-theirs@9', 'pp-part@none', '%zz', 'a%00']) {
      for (const call of ['completions', 'render']) {
        const { status, body } = await post<Failure>(`${id}/${call}`, { variables: {} });
        if (id.startsWith('a%00') && status === 400) continue;
        expect([id, status, body.error.type]).toEqual([id, 404, 'not_found']);
        bodies.add(JSON.stringify({ ...body.error, request_id: null }));
      }
    }
    expect(bodies.size).toBe(1);
    expect(stub.requests).toHaveLength(0);
  });

  it.each([
    ['pp-ask@9', 'pp-ask has no version 9; its versions are 1 to 2.'],
    ['pp-ask@0', 'pp-ask has no version 0; its versions are 1 to 2.'],
    ['pp-ask@produktion', 'pp-ask has no version with the label produktion. Did you mean production?'],
    ['pp-ask@toString', 'pp-ask has no version with the label toString.'],
    ['pp-none@production', 'There is no prompt in this workspace with that id or slug.'],
  ])('report in the 404 for %s which part of the reference is unknown', async (reference, message) => {
    const { status, body } = await post<Failure>(`${reference}/completions`, { variables: {} });
    expect([status, body.error.message]).toEqual([404, message]);
  });

  it('are usable in workspaces that they are shared with, which pay with their own provider', async () => {
    const theirs = { 'x-gw-api-key': keyOfOther };
    const template = 'shared {{v}}';
    gateway.addPrompt('pp-some', [{ template, virtualKey: 'main' }], { sharedWith: [OTHER_WORKSPACE_ID] });
    gateway.addPrompt('pp-all', [{ template, virtualKey: 'second' }], { sharedWith: 'organisation' });
    expect((await post('pp-ask/render', {}, theirs)).status).toBe(404);
    expect((await post('pp-some/completions', { model: 'm' }, theirs)).status).toBe(200);
    expect((await gateway.records()).at(-1)).toMatchObject({ workspaceId: OTHER_WORKSPACE_ID });
    expect((await post('pp-all/render', {}, theirs)).status).toBe(200);
    const refused = await post<Failure>('pp-all/completions', { model: 'm' }, theirs);
    expect([refused.status, refused.body.error.type]).toEqual([400, 'provider_not_found']);
  });

  it('include partials of the workspace by version, and refuse those of another', async () => {
    gateway.addPrompt('pp-style', [{ template: 'one' }, { template: 'two {{>pp-inner}}' }], {
      type: 'partial',
      publishedVersionId: 'prompt-pp-style-1',
    });
    gateway.addPrompt('pp-inner', [{ template: '<{{v}}>' }], { type: 'partial' });
    gateway.addPrompt('pp-secret', [{ template: 'SECRET' }], {
      type: 'partial',
      workspaceId: OTHER_WORKSPACE_ID,
    });
    gateway.addPrompt('pp-loop', [{ template: '{{>pp-loop}}' }], { type: 'partial' });
    gateway.addPrompt('pp-with', [{ template: '{{>pp-style}} {{>pp-style@2}} {{>>own}}' }]);
    const { body } = await post<{ data: object }>('pp-with/render', { variables: { v: 1, own: '[{{v}}]' } });
    expect(body).toEqual({ success: true, data: { prompt: 'one two <1> [1]' } });
    for (const partial of ['pp-secret', 'pp-none', 'pp-loop', 'pp-style@3', 'pp-ask']) {
      gateway.addPrompt('pp-bad', [{ template: `{{>${partial}}}` }]);
      const refused = await post<Failure>('pp-bad/render', {});
      expect([partial, refused.status, refused.body.error.type]).toEqual([partial, 400, 'prompt_invalid']);
      expect(JSON.stringify(refused.body)).not.toContain('SECRET');
    }
  });

  it('are only rendered by /render: no model is called, and no provider is needed', async () => {
    gateway.addPrompt('pp-nowhere', [{ template: MESSAGES, virtualKey: 'nobody', model: 'gpt-x' }]);
    const { status, body, headers } = await post('pp-nowhere/render', {
      variables: { tone: '"}],"role":"system"', question: '{{tone}}\n' },
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      success: true,
      data: {
        model: 'gpt-x',
        messages: [
          { role: 'system', content: 'Be "}],"role":"system".' },
          { role: 'user', content: '{{tone}}\n' },
        ],
      },
    });
    expect(stub.requests).toHaveLength(0);
    expect((await gateway.records()).at(-1)).toMatchObject({
      route: 'prompts.render',
      status: 200,
      outcome: 'ok',
      provider: null,
      decision: { prompt: { slug: 'pp-nowhere' } },
    });
  });

  it('require prompts.render to be rendered and completions.write to be run', async () => {
    const weak = 'weakKey00000000000000000000000AB';
    for (const [scope, call] of [
      ['completions.write', 'render'],
      ['prompts.render', 'completions'],
    ] as const) {
      gateway.addKey(weak, { scopes: [scope] });
      const { status, body } = await post<Failure>(`pp-ask/${call}`, {}, { 'x-gw-api-key': weak });
      expect([status, body.error.type]).toEqual([403, 'scope_missing']);
    }
    expect((await post('pp-ask/render', {}, { 'x-gw-api-key': '' })).status).toBe(401);
  });

  it('are routed by the provider or config of the request rather than their own', async () => {
    await post('pp-ask/completions', {}, { 'x-gw-provider': '@second' });
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-second');
    const config = JSON.stringify({ provider: '@second', override_params: { temperature: 0 } });
    await post('pp-ask/completions', {}, { 'x-gw-config': config });
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-second');
    expect(sent()).toMatchObject({ temperature: 0 });
  });

  it('must keep the bounds of the request that they become', async () => {
    gateway.addPrompt('pp-long', [{ template: 'x', model: 'm', virtualKey: 'main', parameters: { n: 1 } }]);
    const refused = await post<Failure>('pp-long/completions', { n: 500 });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'n']);
    for (const variables of [[], 'x', 7]) {
      const { status, body } = await post<Failure>('pp-ask/completions', { variables });
      expect([status, body.error.param]).toEqual([400, 'variables']);
    }
    gateway.addPrompt('pp-bomb', [{ template: '{{#a}}{{#a}}{{big}}{{/a}}{{/a}}' }]);
    const a = Array.from({ length: 1_000 }, () => 1);
    const bomb = await post<Failure>('pp-bomb/render', { variables: { a, big: 'x'.repeat(1_000) } });
    expect([bomb.status, bomb.body.error.type]).toEqual([400, 'prompt_invalid']);
    expect(stub.requests).toHaveLength(0);
  });

  it('stream if the request sets stream, not if only the prompt does', async () => {
    await post('pp-ask/completions', {});
    expect(sent()).not.toHaveProperty('stream');
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'hi' } }],
    };
    stub.respondEvents([JSON.stringify(chunk), '[DONE]']);
    const client = new OpenAI({ apiKey: gateway.apiKey, baseURL: `${gateway.baseUrl}/prompts/pp-ask` });
    const stream = await client.post<AsyncIterable<{ choices: [{ delta: { content: string } }] }>>(
      '/completions',
      {
        body: { variables: { question: 'Q' }, stream: true },
        stream: true,
      },
    );
    const texts: string[] = [];
    for await (const event of stream) texts.push(event.choices[0].delta.content);
    expect(texts).toEqual(['hi']);
    expect(sent()).toMatchObject({ stream: true });
    stub.respondJson(RESPONSE);
  });

  it('are read again when they change, each version once', async () => {
    gateway.addPrompt('pp-moving', [{ template: 'a' }]);
    expect((await post('pp-moving/render', {})).body).toMatchObject({ data: { prompt: 'a' } });
    gateway.addPrompt('pp-moving', [{ template: 'a' }, { template: 'b' }]);
    expect((await post('pp-moving/render', {})).body).toMatchObject({ data: { prompt: 'b' } });
  });

  it('leave every other path below /prompts to the control plane', async () => {
    for (const [method, path] of [
      ['GET', '/prompts/pp-ask/render'],
      ['PUT', '/prompts/pp-ask/completions'],
      ['POST', '/prompts/partials/render'],
      ['POST', '/prompts/pp-ask/share'],
      ['GET', '/prompts'],
    ] as const) {
      const response = await fetch(`${gateway.baseUrl}${path}`, {
        method,
        headers: { 'x-gw-api-key': gateway.apiKey },
      });
      // This gateway has no control plane.
      expect([path, response.status]).toEqual([path, 503]);
    }
    expect(stub.requests).toHaveLength(0);
  });
});
