import { mutatedBytes, readCases } from '@gw/testing';
import fc from 'fast-check';
import { anthropicTap } from '../dialects/anthropic/tap';
import { openAiTap } from '../dialects/openai/tap';
import { googleTap } from '../google/google-tap';
import type { StreamTap } from '../provider';
import { chatTranslator } from '../spec-support/chat-over-anthropic';

const { cases } = readCases('sse_upstream.json') as { cases: readonly { upstream: readonly unknown[] }[] };
/** Maximum bytes of a seed; longer ones take most of the time and find nothing more. */
const SEED_BYTES_MAX = 20_000;
const texts = cases
  .map(({ upstream }) => upstream.filter((step) => typeof step === 'string').join(''))
  .filter((text) => text !== '' && text.length <= SEED_BYTES_MAX);

const event = (body: { readonly type: string }): string =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const ANTHROPIC = [
  {
    type: 'message_start',
    message: { id: 'm', model: 'claude', usage: { input_tokens: 2, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'só' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"x":1}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const GEMINI =
  'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5},"modelVersion":"g"}\r\n\r\n';
const seeds = [...texts, ANTHROPIC.map(event).join(''), GEMINI].map((text) => Buffer.from(text));

/** Bytes of a stream, and their cut positions as fractions of the length. */
const split = fc.tuple(
  mutatedBytes(seeds),
  fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
);

function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = cuts.map((cut) => Math.floor(cut * bytes.length)).sort((one, other) => one - other);
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
}

const read = (tap: StreamTap, pieces: readonly Buffer[]): unknown => {
  for (const piece of pieces) tap.write(piece);
  const { complete, failed, model, finishedChoices } = tap;
  return { complete, failed, model, finishedChoices, usage: tap.usage() };
};

function translated(pieces: readonly Buffer[]): { readonly text: string } & Record<string, unknown> {
  const request = { model: 'claude', messages: [{ role: 'user', content: 'Hello' }] };
  const context = { requestId: 'r', createdAt: 1, request, provider: 'anthropic', strict: false };
  const translator = chatTranslator.stream(context);
  const parts = [...pieces.map((piece) => translator.write(piece)), translator.end()];
  const { complete, failed } = translator;
  return { text: Buffer.concat(parts).toString(), complete, failed };
}

describe('randomly mutated streams', () => {
  it.each([
    ['OpenAI', openAiTap],
    ['Anthropic', anthropicTap],
    ['Google', googleTap],
  ])('are read equally by the %s tap wherever chunks end, without throwing', (_, tap) => {
    fc.assert(
      fc.property(split, ([bytes, cuts]) => {
        expect(read(tap(), piecesOf(bytes, cuts))).toEqual(read(tap(), [bytes]));
      }),
    );
  });

  it('translate to complete JSON events that are equal wherever chunks end', () => {
    fc.assert(
      fc.property(split, ([bytes, cuts]) => {
        const whole = translated([bytes]);
        expect(translated(piecesOf(bytes, cuts))).toEqual(whole);
        for (const each of whole.text.split('\n\n')) {
          if (each === '' || each === 'data: [DONE]') continue;
          expect(each.startsWith('data: ')).toBe(true);
          expect(JSON.parse(each.slice('data: '.length))).toBeInstanceOf(Object);
        }
      }),
    );
  });
});
