import fc from 'fast-check';
import type { CompiledGuardrail } from './compile';
import type { GuardrailActions } from './document';
import { detectPii, PII_CATEGORIES } from './pii/detect';
import { GuardrailRunner } from './runner';
import { chat, compiled, FACTS } from './spec-support/judge';
import { json, RecordingPort } from './spec-support/recording-port';
import type { StreamChannel } from './stream-response';
import { StreamGuard } from './stream-guard';

const TEXT: StreamChannel = { choice: 0, kind: 'text', index: 0 };

const guardOf = (guardrails: readonly CompiledGuardrail[], port = new RecordingPort()) =>
  new StreamGuard({
    port,
    runner: new GuardrailRunner(port),
    guardrails,
    facts: FACTS,
    request: chat('hi'),
  });

const noWords = (words: readonly string[], actions: GuardrailActions = { deny: true }) =>
  compiled([{ id: 'default.contains', parameters: { words, operator: 'none', scope: ['all'] } }], actions);

/** Returns the text that a guard forwards for the pieces of one channel, and its verdict. */
async function sent(guard: StreamGuard, pieces: readonly string[]) {
  let text = '';
  for (const piece of pieces) {
    const step = guard.push(TEXT, piece);
    text += step.text;
    if (step.denial) return { text, verdict: step.denial };
  }
  const { rest, verdict } = await guard.end();
  return { text: text + rest.map((each) => each.text).join(''), verdict };
}

/** A text with occasional words of interest, in pieces of any size. */
const streams = (words: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom(...words),
        fc.constantFrom(' ', '\n'),
      ),
      {
        maxLength: 40,
      },
    )
    .chain((parts) => {
      const text = parts.join('');
      return fc.tuple(fc.constant(text), fc.array(fc.nat(Math.max(1, text.length)), { maxLength: 60 }));
    })
    .map(([text, cuts]) => {
      const sorted = [0, ...cuts.sort((a, b) => a - b), text.length];
      return { text, pieces: sorted.slice(1).map((cut, index) => text.slice(sorted[index], cut)) };
    });

describe('StreamGuard with a denying check', () => {
  const words = ['forbidden', 'no', 'xyzzy\u{1f600}'];

  it('forwards all text before a denied finding in order and no part of the finding, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(streams(words), async ({ text, pieces }) => {
        const { text: out, verdict } = await sent(guardOf([noWords(words)]), pieces);
        const first = Math.min(...words.map((word) => text.indexOf(word)).filter((at) => at >= 0));
        if (Number.isFinite(first)) {
          expect(verdict.outcome).toBe('deny');
          expect(text.slice(0, first).startsWith(out)).toBe(true);
        } else {
          expect(verdict.outcome).toBe('pass');
          expect(out).toBe(text);
        }
      }),
    );
  });

  it('buffers at most a window and a step', () => {
    const guard = guardOf([noWords(['forbidden'])]);
    let arrived = 0;
    let forwarded = 0;
    for (let index = 0; index < 500; index++) {
      arrived += 3;
      forwarded += guard.push(TEXT, 'abc').text.length;
      expect(arrived - forwarded).toBeLessThanOrEqual(2 * 'forbidden'.length + 5);
    }
  });

  it('forwards the first text before two windows have arrived, whatever the window size', () => {
    for (let length = 1; length <= 600; length += 1) {
      const guard = guardOf([noWords(['x'.repeat(length)])]);
      let arrived = 0;
      for (let text = ''; text === ''; arrived += 1) text = guard.push(TEXT, 'a').text;
      expect(arrived).toBeLessThan(2 * (length + 1));
    }
  });

  it('returns nothing more after a denial', async () => {
    const guard = guardOf([noWords(['bad'])]);
    expect(guard.push(TEXT, 'fine, then bad and on').denial).toMatchObject({
      outcome: 'deny',
      results: [{ verdict: false, checks: [{ verdict: false, data: { found: { word: 1 } } }] }],
    });
    expect(guard.push(TEXT, 'more')).toEqual({ text: '', denial: null });
    expect(await guard.end()).toMatchObject({ rest: [] });
  });

  it('denies a match of a pattern, with the error message of a response that is not streamed', async () => {
    const guardrail = compiled(
      [{ id: 'regexMatch', parameters: { rule: '\\bkey-\\d{4,8}\\b', not: true } }],
      { deny: true, message: 'No keys.' },
    );
    const { text, verdict } = await sent(guardOf([guardrail]), [
      ...`${'word '.repeat(500)}here key-12345 it is`,
    ]);
    expect(verdict).toMatchObject({ outcome: 'deny', message: 'No keys.' });
    expect(text).not.toContain('key-');
    expect(text.startsWith('word word')).toBe(true);
  });

  it('checks each channel separately: choices, reasoning, tool calls', () => {
    const guard = guardOf([noWords(['forbidden'])]);
    expect(guard.push(TEXT, 'forb').denial).toBeNull();
    expect(guard.push({ ...TEXT, choice: 1 }, `idden${' '.repeat(50)}`).denial).toBeNull();
    const call: StreamChannel = { choice: 0, kind: 'tool_call', index: 0 };
    expect(guard.push(call, `{"q":"forbidden"}${' '.repeat(50)}`).denial).toMatchObject({ outcome: 'deny' });
  });

  it('denies a stream with more channels than the limit', () => {
    const guard = guardOf([noWords(['forbidden'])]);
    const denials = Array.from({ length: 2_049 }, (_, choice) => guard.push({ ...TEXT, choice }, 'x').denial);
    expect(denials.findIndex((denial) => denial !== null)).toBe(2_048);
    expect(denials.at(-1)).toMatchObject({ outcome: 'deny' });
  });
});

describe('StreamGuard with a replacing check', () => {
  const redact = (actions: GuardrailActions = {}) =>
    compiled([{ id: 'gw.pii', parameters: { redact: true, categories: PII_CATEGORIES } }], actions);
  const data = [
    'jane.doe@example.com',
    '4111 1111 1111 1111',
    'DE89 3704 0044 0532 0130 00',
    'AKIAIOSFODNN7EXAMPLE',
  ];

  it('replaces all personal data and forwards all other text, wherever chunks end', async () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...data), fc.constantFrom('hello', 'world,', 'and', '12', '😀')), {
        maxLength: 60,
      })
      .map((parts) => parts.join(' ; '));
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, sizes, async (whole, steps) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = steps[turn % steps.length] ?? 1;
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        const { text: out, verdict } = await sent(guardOf([redact()]), pieces);
        expect(verdict.outcome).toBe('pass');
        expect(detectPii(out, PII_CATEGORIES)).toEqual([]);
        const expected = data.reduce(
          (rest, each, index) =>
            rest.replaceAll(each, ['[EMAIL_ADDRESS]', '[CREDIT_CARD]', '[IBAN]', '[SECRET]'][index] ?? ''),
          whole,
        );
        expect(out).toBe(expected);
      }),
    );
  });

  it('replaces the whole of a finding that is longer than the window', async () => {
    const token = `eyJhbGciOiJSUzI1NiJ9.${'Ab3dEf9h'.repeat(200)}.${'x1Y2'.repeat(50)}`;
    const { text } = await sent(guardOf([redact()]), [...`the token ${token} ends here`]);
    expect(text).toBe('the token [SECRET] ends here');
  });

  it('counts replacements in the results', async () => {
    const { verdict } = await sent(guardOf([redact()]), ['a jane@example.com b joe@example.com c']);
    expect(verdict.results[0]).toMatchObject({
      verdict: true,
      transformed: true,
      checks: [{ data: { found: { EMAIL_ADDRESS: 2 } } }],
    });
  });
});

describe('StreamGuard with a check that needs the whole response', () => {
  const long = (actions: GuardrailActions) =>
    compiled([{ id: 'wordCount', parameters: { maxWords: 3 } }], actions);

  it('buffers a stream until its end, and then denies or forwards it as a whole', async () => {
    const guard = guardOf([long({ deny: true })]);
    expect(guard.push(TEXT, 'one two ')).toEqual({ text: '', denial: null });
    expect(guard.push(TEXT, 'three')).toEqual({ text: '', denial: null });
    expect(await guard.end()).toMatchObject({
      rest: [{ text: 'one two three' }],
      verdict: { outcome: 'pass' },
    });
    expect(await sent(guardOf([long({ deny: true })]), ['a b ', 'c d'])).toMatchObject({
      text: '',
      verdict: { outcome: 'deny' },
    });
  });

  it('forwards a stream and only marks it when on_stream is mark or the guardrail does not deny', async () => {
    for (const actions of [{ deny: true, on_stream: 'mark' }, {}] as const) {
      const guard = guardOf([long(actions)]);
      expect(guard.push(TEXT, 'a b c d').text).toBe('a b c d');
      expect((await guard.end()).verdict).toMatchObject({ outcome: 'mark', results: [{ verdict: false }] });
    }
  });

  it('waits for a webhook at the end of a stream, and uses the texts that it returns', async () => {
    const port = new RecordingPort(({ body }) => {
      const { response } = JSON.parse(body ?? '') as {
        response: { json: { choices: { message: { content: string } }[] } };
      };
      for (const { message } of response.json.choices) message.content = message.content.toUpperCase();
      return json({ verdict: true, transformedData: { response } });
    });
    const guardrail = compiled([{ id: 'webhook', parameters: { webhookURL: 'https://a.example.com/' } }], {
      deny: true,
    });
    const { text, verdict } = await sent(guardOf([guardrail], port), ['hel', 'lo']);
    expect(text).toBe('HELLO');
    expect(verdict.outcome).toBe('pass');
    expect(JSON.parse(port.calls[0]?.body ?? '')).toMatchObject({ eventType: 'afterRequestHook' });
  });

  it('denies a stream that is longer than the buffer', () => {
    const guard = guardOf([long({ deny: true })]);
    let denial = null;
    for (let index = 0; index < 120 && !denial; index++) denial = guard.push(TEXT, 'a'.repeat(10_000)).denial;
    expect(denial).toMatchObject({
      outcome: 'deny',
      results: [{ checks: [{ error: { name: 'CheckError' } }] }],
    });
  });

  it('neither buffers nor marks a stream for a monitoring guardrail', async () => {
    const guard = guardOf([
      long({ deny: true, monitor: true }),
      noWords(['bad'], { deny: true, monitor: true }),
    ]);
    expect(guard.push(TEXT, 'a bad b c d').text).toBe('a bad b c d');
    expect((await guard.end()).verdict).toMatchObject({
      outcome: 'pass',
      results: [{ verdict: false }, { verdict: false }],
    });
  });
});
