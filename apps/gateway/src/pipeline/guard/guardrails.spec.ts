import { StubProvider } from '@gw/testing';
import { Asker, type Told } from '../../spec-support/asker';
import { GatewayHarness, type LoggedRequest } from '../../spec-support/harness';

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

jest.setTimeout(30_000);

describe('guardrails', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new Asker(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.answerJson(chat('Hello!'));
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (config: object, content = 'Hi', path = '/chat/completions'): Promise<Told> =>
    asker.ask(path, ask(content), {
      config: 'targets' in config ? config : { provider: '@main', ...config },
    });
  const judged = ({ text }: Told): Judged => JSON.parse(text) as Judged;
  const lastRecord = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  describe('of requests', () => {
    it('[GRD-02] deny one with 446 before any provider is asked, with the verdicts beside the error', async () => {
      const told = await send({ input_guardrails: [no('bomb', { deny: true, id: 'words' })] }, 'a bomb');
      expect(told.status).toBe(446);
      expect(judged(told)).toMatchObject({
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

    it('[GRD-02] mark the answer with 246 where they do not deny', async () => {
      const told = await send({ input_guardrails: [no('bomb')] }, 'a bomb');
      expect(told.status).toBe(246);
      expect(judged(told)).toMatchObject({
        choices: [{ message: { content: 'Hello!' } }],
        hook_results: { before_request_hooks: [{ verdict: false, deny: false }] },
      });
      expect(await lastRecord()).toMatchObject({ status: 246, outcome: 'ok', cost: COST });
    });

    it('that pass are told of beside the answer', async () => {
      const told = await send({ input_guardrails: [no('bomb')] });
      expect([told.status, judged(told).hook_results?.before_request_hooks.length]).toEqual([200, 1]);
    });

    it('change what is sent, and what placeholders stand for comes back in the answer', async () => {
      stub.answerJson(chat('Write to [EMAIL_ADDRESS_1]!'));
      const told = await send(
        { input_guardrails: [{ 'gw.pii': { redact: true, reversible: true } }] },
        'I am eve@example.com',
      );
      expect(stub.requests[0]?.body.toString()).toContain('I am [EMAIL_ADDRESS_1]');
      expect(judged(told).choices?.[0]?.message.content).toBe('Write to eve@example.com!');
      expect(told.status).toBe(200);
    });
  });

  describe('of answers', () => {
    it('[GRD-02] deny one with 446, and what it has cost is paid', async () => {
      stub.answerJson(chat('the secret'));
      const told = await send({ output_guardrails: [no('secret', { deny: true })] });
      expect(told.status).toBe(446);
      expect(told.text).not.toContain('the secret');
      expect(judged(told)).toMatchObject({
        hook_results: { before_request_hooks: [], after_request_hooks: [{ verdict: false, deny: true }] },
      });
      expect(await lastRecord()).toMatchObject({ status: 446, outcome: 'denied', cost: COST });
    });

    it('[GRD-02] mark one with 246', async () => {
      stub.answerJson(chat('the secret'));
      const told = await send({ output_guardrails: [no('secret')] });
      expect(told.status).toBe(246);
      expect(judged(told)).toMatchObject({
        choices: [{ message: { content: 'the secret' } }],
        hook_results: { after_request_hooks: [{ verdict: false }] },
      });
    });

    it('are a reason to try the next target', async () => {
      const other = await StubProvider.start();
      other.answerJson(chat('all good'));
      gateway.addProvider('other', 'openai', other.origin);
      stub.answerJson(chat('the secret'));
      const told = await send({
        output_guardrails: [no('secret', { deny: true })],
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@main' }, { provider: '@other' }],
      });
      expect(told.status).toBe(200);
      expect(judged(told).choices?.[0]?.message.content).toBe('all good');
      await other.stop();
    });
  });
});
