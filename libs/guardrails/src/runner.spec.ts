import fc from 'fast-check';
import { compileInline } from './compile';
import { GuardrailRunner } from './runner';
import { denialBody } from './denial';
import { hookResults } from './results';
import { responding, asking, chat, compiled, FACTS, judged, subjectAt } from './spec-support/judge';
import { json, RecordingPort } from './spec-support/recording-port';
import { Subject } from './subject';

const WEBHOOK = { id: 'default.webhook', parameters: { webhookURL: 'https://a.example.com/x', timeout: 50 } };
const FAILS = { id: 'default.contains', parameters: { words: ['absent'], scope: ['messages'] } };
const PASSES = { id: 'default.contains', parameters: { words: ['hello'], scope: ['messages'] } };
const never = () => new Promise<never>(() => undefined);

describe('GuardrailRunner: outcomes of a stage', () => {
  it.each(['input', 'output'] as const)(
    '%s: a failed guardrail denies or only marks, a passed one does neither, and a monitoring one decides nothing [GRD-02]',
    async (stage) => {
      const subject = subjectAt(stage, 'hello');
      expect(await judged([compiled([FAILS], { deny: true })], subject)).toMatchObject({ outcome: 'deny' });
      expect(await judged([compiled([FAILS])], subject)).toMatchObject({ outcome: 'mark' });
      expect(await judged([compiled([PASSES], { deny: true })], subject)).toMatchObject({ outcome: 'pass' });
      const watching = await judged([compiled([FAILS], { deny: true, monitor: true })], subject);
      expect(watching).toMatchObject({ outcome: 'pass', results: [{ verdict: false, monitor: true }] });
    },
  );

  it('runs asynchronous guardrails in the background, without an effect on the response [GRD-02]', async () => {
    const runner = new GuardrailRunner(new RecordingPort());
    const background = [compiled([FAILS], { deny: true, async: true })];
    expect(GuardrailRunner.concerns(background, 'input')).toBe(false);
    expect(runner.run(background, asking('hello'))).toEqual({
      outcome: 'pass',
      results: [],
      message: null,
      placeholders: null,
    });
    expect(await runner.runBeside(background, asking('hello'))).toMatchObject([
      { verdict: false, async: true },
    ]);
    expect(runner.runBeside([compiled([FAILS])], asking('hello'))).toBeNull();
  });

  it('decides synchronously when no check must wait', () => {
    const all = [
      compiled([PASSES, FAILS, { id: 'gw.pii', parameters: { redact: true } }], { deny: true }),
      compiled([PASSES, { id: 'default.regexReplace', parameters: { rule: 'h' } }], { sequential: true }),
    ];
    expect(new GuardrailRunner(new RecordingPort()).run(all, asking('hello'))).not.toBeInstanceOf(Promise);
  });

  it('returns the results in the format of the public API', async () => {
    const actions = {
      deny: true,
      message: 'Not here.',
      on_fail: { feedback: { value: -3, weight: 0.5, metadata: { team: 'a' } } },
    };
    const verdict = await judged([compiled([PASSES, FAILS], actions, { versionId: 'v2' })], asking('hello'));
    const check = {
      verdict: true,
      id: 'default.contains',
      execution_time: expect.any(Number),
      transformed: false,
      created_at: '2026-11-21T00:00:00.000Z',
      log: null,
      fail_on_error: true,
      data: expect.any(Object),
    };
    expect(verdict.results).toEqual([
      {
        verdict: false,
        id: 'pg-test',
        transformed: false,
        checks: [check, { ...check, verdict: false }],
        feedback: {
          value: -3,
          weight: 0.5,
          metadata: {
            team: 'a',
            successfulChecks: 'default.contains',
            failedChecks: 'default.contains',
            erroredChecks: '',
          },
        },
        execution_time: expect.any(Number),
        async: false,
        type: 'guardrail',
        created_at: '2026-11-21T00:00:00.000Z',
        deny: true,
        guardrail_version_id: 'v2',
      },
    ]);
    expect(denialBody(verdict, verdict.results, [], 'req-1')).toMatchObject({
      error: { type: 'hooks_failed', message: 'Not here.', request_id: 'req-1' },
      hook_results: hookResults(verdict.results),
    });
  });

  it('returns feedback for success only when configured, with its own defaults', async () => {
    const guardrail = compiled([PASSES], { on_success: { feedback: {} }, on_fail: { feedback: {} } });
    const passed = await judged([guardrail], asking('hello'));
    expect(passed.results[0]?.feedback).toMatchObject({ value: 5, weight: 1 });
    const failed = await judged([guardrail], asking('bye'));
    expect(failed.results[0]?.feedback).toMatchObject({
      value: -5,
      metadata: { failedChecks: 'default.contains' },
    });
    expect((await judged([compiled([PASSES])], asking('hello'))).results[0]?.feedback).toBeNull();
  });
});

describe('GuardrailRunner: checks that cannot decide', () => {
  const failures = [
    ['refuses the connection', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1'))],
    ['takes too long', never],
    ['responds with 500', () => json({}, 500)],
    ['responds with an invalid verdict', () => json({ verdict: 'yes' })],
  ] as const;

  it.each(failures)(
    'fails a check when the guardrail denies and passes it when it only marks, if the service %s',
    async (_, reply) => {
      const port = new RecordingPort(reply);
      const denying = await judged([compiled([WEBHOOK], { deny: true })], asking('hello'), port);
      expect(denying).toMatchObject({
        outcome: 'deny',
        results: [{ checks: [{ verdict: false, fail_on_error: true }] }],
      });
      const marking = await judged([compiled([WEBHOOK])], asking('hello'), port);
      expect(marking).toMatchObject({
        outcome: 'pass',
        results: [{ checks: [{ verdict: true, fail_on_error: false }] }],
      });
      for (const { results } of [denying, marking]) {
        expect(results[0]?.checks[0]?.error?.message).toBeTruthy();
        expect(JSON.stringify(results)).not.toMatch(/10\.0\.0\.1|example\.com/);
      }
    },
  );

  it('applies failOnError of the check, or else fail_open of the guardrail', async () => {
    const port = new RecordingPort(() => json({}, 500));
    const withFailOnError = (failOnError: boolean) => ({
      ...WEBHOOK,
      parameters: { ...WEBHOOK.parameters, failOnError },
    });
    const outcome = async (check: typeof WEBHOOK, actions: object) =>
      (await judged([compiled([check], actions)], asking('hello'), port)).outcome;
    expect(await outcome(WEBHOOK, { deny: true, fail_open: true })).toBe('pass');
    expect(await outcome(WEBHOOK, { fail_open: false })).toBe('mark');
    expect(await outcome(withFailOnError(false), { deny: true, fail_open: false })).toBe('pass');
    expect(await outcome(withFailOnError(true), { fail_open: true })).toBe('mark');
  });

  it('aborts a check at its timeout', async () => {
    let signal: AbortSignal | undefined;
    const port = new RecordingPort((call) => {
      signal = call.signal;
      return never();
    });
    const verdict = await judged(
      [compiled([{ ...WEBHOOK, timeout: 5 }], { deny: true })],
      asking('hello'),
      port,
    );
    expect(verdict.results[0]?.checks[0]?.error?.name).toBe('CheckTimeout');
    expect(signal?.aborted).toBe(true);
  });

  it('aborts a check when the request has ended', async () => {
    const request = new AbortController();
    let signal: AbortSignal | undefined;
    const port = new RecordingPort((call) => {
      signal = call.signal;
      request.abort();
      return Promise.reject(new Error('aborted'));
    });
    await new GuardrailRunner(port).run([compiled([WEBHOOK])], asking('hello'), request.signal);
    expect(signal?.aborted).toBe(true);
  });
});

describe('GuardrailRunner: body changes', () => {
  const replace = (rule: string, redactText: string) => ({
    id: 'default.regexReplace',
    parameters: { rule, redactText },
  });

  it('returns no body when no check changes it, so that its original bytes can be forwarded', async () => {
    expect(await judged([compiled([replace('zzz', '-')])], asking('hello'))).not.toHaveProperty('body');
  });

  it('applies changes in order, within a guardrail and across guardrails', async () => {
    const guardrails = [compiled([replace('a', 'b'), replace('b+', 'c')]), compiled([replace('c', 'd')])];
    expect(await judged(guardrails, asking('aaa'))).toMatchObject({ body: chat('d') });
  });

  it('shows changes to later checks of a sequential guardrail, but not to checks of a parallel one', async () => {
    const checks = [
      replace('secret', '-'),
      { id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } },
    ];
    expect(await judged([compiled(checks, { sequential: true })], asking('secret'))).toMatchObject({
      outcome: 'pass',
    });
    expect(await judged([compiled(checks)], asking('secret'))).toMatchObject({ outcome: 'mark' });
  });

  it('discards the changes of a monitoring guardrail and of a denied request', async () => {
    expect(
      await judged([compiled([replace('h', '-')], { monitor: true })], asking('hello')),
    ).not.toHaveProperty('body');
    const denied = await judged([compiled([replace('h', '-'), FAILS], { deny: true })], asking('hello'));
    expect(denied).not.toHaveProperty('body');
  });

  it('changes a copy of the checked body', async () => {
    const body = chat('secret');
    const before = structuredClone(body);
    await judged([compiled([replace('secret', '-')])], Subject.input(FACTS, body));
    expect(body).toEqual(before);
  });

  it('stops at the first failure of a sequential guardrail that denies', async () => {
    const checks = [FAILS, WEBHOOK];
    const port = new RecordingPort(() => json({ verdict: true }));
    const verdict = await judged([compiled(checks, { sequential: true, deny: true })], asking('hello'), port);
    expect(verdict.results[0]?.checks).toHaveLength(1);
    expect(port.calls).toHaveLength(0);
  });
});

describe('GuardrailRunner: passthrough requests', () => {
  const passing = asking('hello', { isPassthrough: true, dialect: 'json' });

  it('sends a passthrough request to a webhook only with executeOnProxy, with method, path and content type [EVT-01]', async () => {
    const port = new RecordingPort(() => json({ verdict: false }));
    expect(await judged([compiled([WEBHOOK], { deny: true })], passing, port)).toMatchObject({
      results: [],
    });
    const parameters = { ...WEBHOOK.parameters, executeOnProxy: true };
    const verdict = await judged([compiled([{ ...WEBHOOK, parameters }], { deny: true })], passing, port);
    expect(verdict.outcome).toBe('deny');
    expect(JSON.parse(port.calls[0]?.body ?? '')).toMatchObject({
      request: {
        method: 'POST',
        path: '/v1/chat/completions',
        contentType: 'application/json',
        json: chat('hello'),
        isStreamingRequest: false,
      },
      eventType: 'beforeRequestHook',
      requestType: 'chatComplete',
      provider: 'openai',
    });
  });

  it('checks a passthrough request like any other body when the check calls no service', async () => {
    const checks = [{ id: 'default.contains', parameters: { words: ['hello'], operator: 'none' } }];
    expect(await judged([compiled(checks, { deny: true })], passing)).toMatchObject({ outcome: 'deny' });
  });
});

it('runs a single guardrail on a text', async () => {
  const written = compileInline({ deny: true, contains: { words: ['secret'], operator: 'none' } });
  if (!written.ok) throw new Error('not valid');
  const subject = Subject.input({ ...FACTS, provider: null, model: null }, chat('a secret'));
  expect(await judged([written.guardrail], subject)).toMatchObject({
    outcome: 'deny',
    results: [{ verdict: false }],
  });
});

it('checks any JSON body without throwing', () => {
  const checks = [
    'gw.pii',
    'gw.promptInjection',
    'gw.gibberish',
    'default.regexMatch',
    'default.wordCount',
  ].map((id) => ({
    id,
    parameters: id === 'default.regexMatch' ? { rule: 'a', scope: ['all'] } : {},
  }));
  const guardrails = [compiled(checks, { deny: true })];
  const runner = new GuardrailRunner(new RecordingPort());
  const dialects = [
    'chat',
    'completions',
    'embeddings',
    'responses',
    'messages',
    'moderations',
    'json',
  ] as const;
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({
      messages: fc.jsonValue(),
      input: fc.jsonValue(),
      prompt: fc.jsonValue(),
      tools: fc.jsonValue(),
    }),
    fc.record({
      messages: fc.array(fc.record({ role: fc.constantFrom('user', 'tool', 'x'), content: fc.jsonValue() })),
      input: fc.array(
        fc.record({ type: fc.constantFrom('message', 'reasoning', 'x'), content: fc.jsonValue() }),
      ),
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...dialects), body, fc.boolean(), (dialect, value, isInput) => {
      const facts = { ...FACTS, dialect };
      const subject = isInput ? Subject.input(facts, value) : Subject.output(facts, null, value, 200);
      expect(['pass', 'deny']).toContain((runner.run(guardrails, subject) as { outcome: string }).outcome);
    }),
  );
});
it('checks every choice of a response', async () => {
  const subject = Subject.output(
    FACTS,
    chat('hi'),
    {
      choices: ['fine', 'secret'].map((content, index) => ({
        index,
        message: { role: 'assistant', content },
      })),
    },
    200,
  );
  const checks = [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }];
  expect(await judged([compiled(checks, { deny: true })], subject)).toMatchObject({ outcome: 'deny' });
  expect(await judged([compiled(checks, { deny: true })], responding('fine'))).toMatchObject({
    outcome: 'pass',
  });
});
