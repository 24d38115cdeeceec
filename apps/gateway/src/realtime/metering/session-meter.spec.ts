import { PROVIDERS, type Provider } from '@gw/providers';
import fc from 'fast-check';
import { SessionMeter, type SessionPart } from './session-meter';
import { readClientEvent } from './socket-events';

const provider = PROVIDERS.get('openai') as Provider;

/** Events of a session as the meter sees them. */
type Step =
  | { readonly what: 'ask' }
  | { readonly what: 'begin' | 'make' | 'end without usage' | 'noise'; readonly id: number }
  | { readonly what: 'end'; readonly id: number; readonly input: number; readonly output: number };

const ids = fc.integer({ min: 0, max: 3 });
const counts = fc.integer({ min: 0, max: 100_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('ask' as const) }),
  fc.record({
    what: fc.constantFrom('begin' as const, 'make' as const, 'end without usage' as const, 'noise' as const),
    id: ids,
  }),
  fc.record({ what: fc.constant('end' as const), id: ids, input: counts, output: counts }),
);

const ENDS = ['response.done', 'response.completed', 'response.incomplete', 'response.cancelled'];

function eventOf(at: Step): object {
  if (at.what === 'ask') return { type: 'response.create' };
  const id = `r${String(at.id)}`;
  if (at.what === 'begin') return { type: 'response.created', response: { id, usage: null } };
  if (at.what === 'make') return { type: 'response.output_text.delta', delta: 'words' };
  if (at.what === 'noise') return { type: 'rate_limits.updated', rate_limits: [] };
  const usage = at.what === 'end' ? { input_tokens: at.input, output_tokens: at.output } : null;
  return { type: ENDS[at.id], response: { id, status: 'completed', usage } };
}

function run(steps: readonly Step[]): { meter: SessionMeter; parts: SessionPart[] } {
  const meter = new SessionMeter(provider);
  const parts: SessionPart[] = [];
  for (const at of steps) {
    const message = Buffer.from(JSON.stringify(eventOf(at)));
    if (at.what === 'ask') meter.fromClient(message.length, readClientEvent(message, false));
    else parts.push(...meter.fromProvider(message, at.what === 'make' && at.id > 1));
  }
  return { meter, parts };
}

const sum = (parts: readonly SessionPart[]): number =>
  parts.reduce((tokens, { usage }) => tokens + usage.inputTokens + usage.outputTokens, 0);

describe('SessionMeter', () => {
  it('charges reported usage exactly, each id by its maximum, in any order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { parts } = run(steps);
        const most = new Map<number, { input: number; output: number }>();
        // An id whose first end reports no usage is charged an estimate, which counts like a
        // report.
        const estimated = new Set<number>();
        for (const at of steps) {
          if (at.what === 'end without usage' && !most.has(at.id)) estimated.add(at.id);
          if (at.what !== 'end') continue;
          const known = most.get(at.id) ?? { input: 0, output: 0 };
          most.set(at.id, {
            input: Math.max(known.input, at.input),
            output: Math.max(known.output, at.output),
          });
        }
        const reported = parts.filter(({ isEstimate }) => !isEstimate);
        const exact = [...most].filter(([id]) => !estimated.has(id));
        const least = exact.reduce((tokens, [, { input, output }]) => tokens + input + output, 0);
        expect(sum(reported)).toBeGreaterThanOrEqual(least);
        if (estimated.size === 0) expect(sum(reported)).toBe(least);
      }),
      { numRuns: 500 },
    );
  });

  it('charges any output, wherever the session is cut', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const { meter, parts } = run(steps);
        const rest = meter.close(false);
        const made = steps.findLastIndex(({ what }) => what === 'make');
        const stated = steps.findLastIndex(({ what }) => what === 'end' || what === 'end without usage');
        // Output after the last report is in the rest.
        if (made > stated) expect(sum(rest)).toBeGreaterThan(0);
        if (made >= 0) expect(parts.length + rest.length).toBeGreaterThan(0);
        for (const { usage } of [...parts, ...rest]) {
          for (const count of Object.values(usage))
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
        expect(meter.close(false)).toEqual([]);
        expect(meter.isAwaited).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('stores a bounded number of ids, whatever a provider sends', () => {
    const meter = new SessionMeter(provider);
    for (let at = 0; at < 2_000; at += 1) {
      const id = `r${String(at)}${'x'.repeat(1_000)}`;
      meter.fromProvider(Buffer.from(JSON.stringify({ type: 'response.created', response: { id } })), false);
      const usage = { input_tokens: 1, output_tokens: 1 };
      const done = { type: 'response.done', response: { id: `${id}y`, usage } };
      meter.fromProvider(Buffer.from(JSON.stringify(done)), false);
    }
    expect(meter.close(false).length).toBeLessThanOrEqual(64);
    const held = Object.values(meter as unknown as Record<string, unknown>).filter(
      (value): value is { size: number } => value instanceof Map || value instanceof Set,
    );
    for (const { size } of held) expect(size).toBeLessThanOrEqual(256);
    expect(held).toHaveLength(2);
  });

  it('parses no text delta and no audio, however many there are', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const meter = new SessionMeter(provider);
    const text = Buffer.from('{"type":"response.output_text.delta","delta":"some words of \\"an\\" answer"}');
    const sound = Buffer.from(`{"type":"response.output_audio.delta","delta":"${'QUJD'.repeat(5_000)}"}`);
    const said = Buffer.from(`{"type":"input_audio_buffer.append","audio":"${'QUJD'.repeat(5_000)}"}`);
    for (let at = 0; at < 1_000; at += 1) {
      meter.fromProvider(text, false);
      meter.fromProvider(sound, false);
      meter.fromProvider(Buffer.from([0xff, at % 256]), true);
      meter.fromClient(said.length, readClientEvent(said, false));
    }
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('estimates audio tokens by bytes of audio, and text tokens by three bytes each', () => {
    const meter = new SessionMeter(provider);
    const sound = `{"type":"response.output_audio.delta","delta":"${'Q'.repeat(50_000)}"}`;
    const said = Buffer.from(`{"type":"input_audio_buffer.append","audio":"${'Q'.repeat(100_000)}"}`);
    meter.fromClient(said.length, readClientEvent(said, false));
    meter.fromProvider(Buffer.from('{"type":"response.created","response":{"id":"r"}}'), false);
    meter.fromProvider(Buffer.from(sound), false);
    expect(meter.close(false)).toMatchObject([
      { usage: { inputTokens: 101, inputAudioTokens: 101, outputTokens: 101, outputAudioTokens: 101 } },
    ]);
  });
});
