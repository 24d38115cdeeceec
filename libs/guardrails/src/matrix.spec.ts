import type { GuardrailActions } from './document';
import { GuardrailRunner } from './runner';
import { chat, compiled, FACTS, judged } from './spec-support/judge';
import { json, RecordingPort } from './spec-support/recording-port';
import { StreamGuard } from './stream-guard';
import { Subject } from './subject';
import type { Dialect } from './text/passages';

/** Requests of every dialect, for the outcome of every kind of check under every action. */

const REQUESTS: Readonly<Record<Dialect, (text: string) => unknown>> = {
  chat: (text) => chat(text),
  completions: (prompt) => ({ prompt }),
  embeddings: (text) => ({ input: [text] }),
  moderations: (input) => ({ input }),
  responses: (text) => ({ input: [{ role: 'user', content: [{ type: 'input_text', text }] }] }),
  messages: (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
  gemini: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  realtime: (text) => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  }),
  arguments: (text: string) => ({ text }),
  json: (text) => ({ anything: { nested: [text] } }),
};

const RESPONSES: Readonly<Partial<Record<Dialect, (text: string) => unknown>>> = {
  chat: (content) => ({ choices: [{ message: { content } }] }),
  completions: (text) => ({ choices: [{ text }] }),
  responses: (text) => ({
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
  }),
  messages: (text) => ({ content: [{ type: 'text', text }] }),
  gemini: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
  json: (text) => ({ anything: { nested: [text] } }),
};

const KINDS = {
  'a text check with a window': { id: 'contains', parameters: { words: ['bad'], operator: 'none' } },
  'a text check of the whole': { id: 'wordCount', parameters: { maxWords: 2 } },
  'a webhook': { id: 'webhook', parameters: { webhookURL: 'https://a.example.com/', timeout: 20 } },
} as const;
const FAILING = 'a bad text';
const PASSING = 'fine';

const ACTIONS: readonly (readonly [string, GuardrailActions, 'pass' | 'mark' | 'deny'])[] = [
  ['deny', { deny: true }, 'deny'],
  ['mark', {}, 'mark'],
  ['monitor', { deny: true, monitor: true }, 'pass'],
  ['async', { deny: true, async: true }, 'pass'],
];

const webhookOf = (reply: 'verdict' | 'error' | 'timeout') =>
  new RecordingPort(({ body }) => {
    if (reply === 'timeout') return new Promise(() => undefined);
    return reply === 'error' ? json({}, 500) : json({ verdict: !(body ?? '').includes('bad') });
  });

const subjects = (text: string): readonly (readonly [string, Subject])[] => [
  ...Object.entries(REQUESTS).map(([dialect, make]) => {
    const facts = { ...FACTS, dialect: dialect as Dialect };
    return [`${dialect} request`, Subject.input(facts, make(text))] as const;
  }),
  ...Object.entries(RESPONSES).map(([dialect, make]) => {
    const facts = { ...FACTS, dialect: dialect as Dialect };
    return [`${dialect} response`, Subject.output(facts, chat('hi'), make(text), 200)] as const;
  }),
];

async function streamed(text: string, check: object, actions: GuardrailActions, port: RecordingPort) {
  const guardrails = [compiled([check as { id: string }], actions)];
  const options = {
    port,
    runner: new GuardrailRunner(port),
    guardrails,
    facts: FACTS,
    request: chat('hi'),
  };
  const guard = new StreamGuard(options);
  let out = '';
  for (const piece of text) {
    const step = guard.push({ choice: 0, kind: 'text', index: 0 }, piece);
    out += step.text;
    if (step.denial) return { out, outcome: step.denial.outcome };
  }
  const { rest, verdict } = await guard.end();
  return { out: out + rest.map((each) => each.text).join(''), outcome: verdict.outcome };
}

describe.each(Object.entries(KINDS))('[GRD-02] %s', (kind, check) => {
  describe.each(ACTIONS)('with the action %s', (_, actions, expected) => {
    it.each(subjects(FAILING))(`returns ${expected} for a failing %s`, async (__, subject) => {
      const guardrails = [compiled([check], actions)];
      const port = webhookOf('verdict');
      expect((await judged(guardrails, subject, port)).outcome).toBe(expected);
      const late = await new GuardrailRunner(port).runBeside(guardrails, subject);
      expect(late?.[0]?.verdict).toBe(actions.async === true ? false : undefined);
    });

    it.each(subjects(PASSING))('returns pass for a passing %s', async (__, subject) => {
      expect((await judged([compiled([check], actions)], subject, webhookOf('verdict'))).outcome).toBe(
        'pass',
      );
    });

    it('forwards all text of a stream except denied text', async () => {
      const failing = await streamed(FAILING, check, actions, webhookOf('verdict'));
      expect(failing.outcome).toBe(expected);
      if (expected === 'deny') expect(failing.out).not.toContain('bad');
      else expect(failing.out).toBe(FAILING);
      const passing = await streamed(PASSING, check, actions, webhookOf('verdict'));
      expect(passing).toEqual({ out: PASSING, outcome: 'pass' });
    });
  });

  if (kind !== 'a webhook') return;
  describe.each(['error', 'timeout'] as const)('without a decision because of: %s', (reply) => {
    it.each([
      ['deny', { deny: true }, 'deny'],
      ['mark', {}, 'pass'],
      ['deny, fail_open', { deny: true, fail_open: true }, 'pass'],
      ['mark, fail closed', { fail_open: false }, 'mark'],
    ] as const)('returns the outcome of the actions: %s', async (_, actions, expected) => {
      const subject = Subject.input(FACTS, chat(PASSING));
      expect((await judged([compiled([check], actions)], subject, webhookOf(reply))).outcome).toBe(expected);
      const stream = await streamed(PASSING, check, actions, webhookOf(reply));
      expect(stream).toEqual({ out: expected === 'deny' ? '' : PASSING, outcome: expected });
    });
  });
});

describe('[GRD-02] a check of parameters', () => {
  const check = { id: 'requestParametersCheck', parameters: { params: { blockedKeys: ['seed'] } } };

  it.each(ACTIONS)(
    'with the action %s applies to the request, but not to the response or a stream',
    async (_, actions, expected) => {
      const guardrails = [compiled([check], actions)];
      const request = { ...chat('hi'), seed: 1 };
      expect((await judged(guardrails, Subject.input(FACTS, request))).outcome).toBe(expected);
      expect((await judged(guardrails, Subject.output(FACTS, request, { seed: 1 }, 200))).results).toEqual(
        [],
      );
      expect(await streamed('seed', check, actions, new RecordingPort())).toEqual({
        out: 'seed',
        outcome: 'pass',
      });
    },
  );
});
