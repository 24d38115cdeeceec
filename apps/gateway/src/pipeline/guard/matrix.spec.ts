import { StubProvider, type StubAnswer } from '@gw/testing';
import { Asker } from '../../spec-support/asker';
import { GatewayHarness } from '../../spec-support/harness';

jest.setTimeout(60_000);

const WORD = 'forbidden';
const JSON_TEXT = `a ${WORD} word`;

/** Routes of each kind: what is asked, what the provider says, plain and streamed. */
const ROUTES: Readonly<
  Record<string, { path: string; body: object; answer: object; events: string | null }>
> = {
  chat: {
    path: '/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: JSON_TEXT }] },
    answer: { choices: [{ index: 0, message: { role: 'assistant', content: JSON_TEXT } }] },
    events: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: JSON_TEXT } }] })}\n\ndata: [DONE]\n\n`,
  },
  completions: {
    path: '/completions',
    body: { model: 'm', prompt: JSON_TEXT },
    answer: { choices: [{ index: 0, text: JSON_TEXT }] },
    events: `data: ${JSON.stringify({ choices: [{ index: 0, text: JSON_TEXT }] })}\n\ndata: [DONE]\n\n`,
  },
  embeddings: {
    path: '/embeddings',
    body: { model: 'm', input: JSON_TEXT },
    answer: { data: [{ embedding: [1] }] },
    events: null,
  },
  passthrough: {
    path: '/odd/route',
    body: { model: 'm', anything: JSON_TEXT },
    answer: { anything: JSON_TEXT },
    events: `data: ${JSON.stringify({ anything: 'a forbid' })}\n\ndata: ${JSON.stringify({ anything: 'den word' })}\n\n`,
  },
};

describe.each(Object.entries(ROUTES))('guardrails on the route %s', (name, route) => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let hook: StubProvider;
  const asker = new Asker(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    hook = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
  });

  const ask = async (
    side: 'input' | 'output',
    guardrail: object,
    streams = false,
  ): Promise<number | string> => {
    stub.answer(
      streams
        ? { headers: { 'content-type': 'text/event-stream' }, body: route.events ?? '' }
        : { body: route.answer },
    );
    const body = streams ? { ...route.body, stream: true } : route.body;
    const config = { provider: '@main', [`${side}_guardrails`]: [guardrail] };
    const told = await asker.ask(route.path, body, { config });
    return streams && told.status === 200
      ? told.text.includes('hooks_failed')
        ? 'denied'
        : told.text.includes('hook_results')
          ? 'marked'
          : 'passed'
      : told.status;
  };
  const contains = { contains: { words: [WORD], operator: 'none', scope: ['all', 'messages'] } };
  const webhook = (): object => ({
    webhook: { webhookURL: `${hook.origin}/`, executeOnProxy: true, timeout: 50 },
  });
  const answers: Readonly<Record<string, StubAnswer>> = {
    fails: { body: { verdict: false } },
    errs: { status: 500, body: {} },
    times: { neverAnswer: true },
  };
  const hasTexts = name !== 'embeddings';

  it('deny, mark and stay beside, for requests, by a check of texts', async () => {
    expect(await ask('input', { deny: true, ...contains })).toBe(446);
    expect(await ask('input', contains)).toBe(246);
    expect(await ask('input', { deny: true, async: true, ...contains })).toBe(200);
    expect(await ask('input', { deny: true, monitor: true, ...contains })).toBe(200);
  });

  it('deny, mark and stay beside, for answers, by a check of texts', async () => {
    expect(await ask('output', { deny: true, ...contains })).toBe(hasTexts ? 446 : 200);
    expect(await ask('output', contains)).toBe(hasTexts ? 246 : 200);
    expect(await ask('output', { deny: true, async: true, ...contains })).toBe(200);
  });

  it.each(['fails', 'errs', 'times'])('by a webhook that %s', async (what) => {
    hook.answer(answers[what] as StubAnswer);
    for (const side of ['input', 'output'] as const) {
      expect(await ask(side, { deny: true, ...webhook() })).toBe(446);
      expect(await ask(side, webhook())).toBe(what === 'fails' ? 246 : 200);
      expect(await ask(side, { deny: true, fail_open: true, ...webhook() })).toBe(
        what === 'fails' ? 446 : 200,
      );
    }
  });

  it('deny and mark streams, where the route has them', async () => {
    if (route.events === null) return;
    hook.answer(answers['fails'] as StubAnswer);
    const isKnown = name !== 'passthrough';
    expect(await ask('output', { deny: true, ...contains }, true)).toBe(isKnown ? 'denied' : 446);
    expect(await ask('output', { deny: true, ...webhook() }, true)).toBe(isKnown ? 'denied' : 446);
    expect(await ask('output', contains, true)).toBe(isKnown ? 'marked' : 246);
    expect(await ask('input', { deny: true, ...contains }, true)).toBe(446);
    expect(await ask('input', contains, true)).toBe(246);
  });
});
