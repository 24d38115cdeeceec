import { builtinSteps } from '@gw/testing';
import { exactNumbers, hasDuplicateMembers, withExactNumbers } from '@gw/kernel';
import type { JsonObject } from './provider';
import { PROVIDERS } from './registry';

/**
 * Doubling the body takes at most this many times the steps; quadratic work would take four times.
 */
const RATIO_MAX = 2.2;
const COUNT = 500;

const message = { role: 'user', content: 'a' };
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const call = (index: number) => ({
  id: `call-${String(index)}`,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
});

/** Bodies in which one list or one text grows with the count. */
const REQUESTS: Readonly<Record<string, (count: number) => JsonObject>> = {
  'messages of one role': (count) => ({ messages: times(count, () => message) }),
  'messages of two roles': (count) => ({
    messages: times(count, (index) => ({ ...message, role: index % 2 === 0 ? 'user' : 'assistant' })),
  }),
  'system messages': (count) => ({
    messages: [...times(count, () => ({ role: 'system', content: [{ type: 'text', text: 'a' }] })), message],
  }),
  'parts of a message': (count) => ({
    messages: [{ role: 'user', content: times(count, () => ({ type: 'text', text: 'a' })) }],
  }),
  'parts of a system message': (count) => ({
    messages: [{ role: 'system', content: times(count, () => ({ type: 'text', text: 'a' })) }, message],
  }),
  'tool calls of a message': (count) => ({
    messages: [message, { role: 'assistant', tool_calls: times(count, call) }],
  }),
  'tool results': (count) => ({
    messages: [
      message,
      ...times(count, (index) => ({ role: 'tool', tool_call_id: String(index), content: 'a' })),
    ],
  }),
  'thinking blocks': (count) => ({
    messages: [message, { role: 'assistant', thinking_blocks: times(count, () => ({ type: 'thinking' })) }],
  }),
  tools: (count) => ({
    messages: [message],
    tools: times(count, (index) => ({ type: 'function', function: { name: `f${String(index)}` } })),
  }),
  'members of the body': (count) => ({
    messages: [message],
    ...Object.fromEntries(times(count, (index) => [`m${String(index)}`, index])),
  }),
  'members of the metadata': (count) => ({
    messages: [message],
    metadata: Object.fromEntries(times(count, (index) => [`m${String(index)}`, 'a'])),
  }),
  'stop sequences': (count) => ({ messages: [message], stop: times(count, String) }),
  'a text': (count) => ({ messages: [{ role: 'user', content: 'a'.repeat(count) }] }),
};

/** The first run is a warm-up that loads everything once. */
function ratioOf(steps: (count: number) => number): number {
  steps(COUNT);
  return steps(2 * COUNT) / Math.max(COUNT, steps(COUNT));
}

describe('hasDuplicateMembers and withExactNumbers', () => {
  it.each(Object.entries(REQUESTS))(
    'take steps in proportion to the size of a body with growing %s',
    (_name, make) => {
      const steps = (count: number): number => {
        const body = make(count);
        const bytes = Buffer.from(JSON.stringify(body));
        return builtinSteps(() => {
          hasDuplicateMembers(bytes);
          withExactNumbers(body, exactNumbers(bytes));
        });
      };
      expect(ratioOf(steps)).toBeLessThan(RATIO_MAX);
    },
  );
});

const sse = (events: readonly JsonObject[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

const STREAMS: Readonly<Record<string, (count: number) => Buffer>> = {
  'deltas of a text': (count) =>
    sse([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...times(count, () => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'a' },
      })),
    ]),
  'blocks that never end': (count) =>
    sse(
      times(count, (index) => ({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} },
      })),
    ),
  'counts of usage': (count) =>
    sse(times(count, (index) => ({ type: 'message_delta', usage: { output_tokens: index } }))),
};

/** One provider per dialect; all others read their streams with the tap of one of these. */
const DIALECTS = [...PROVIDERS].filter(([id]) => ['openai', 'anthropic', 'google'].includes(id));

describe.each(DIALECTS)('the tap of %s', (_, provider) => {
  it.each(Object.entries(STREAMS))(
    'takes steps in proportion to the size of a stream with growing %s',
    (_name, make) => {
      const steps = (count: number): number => {
        const bytes = make(count);
        return builtinSteps(() => {
          const tap = provider.tap();
          for (let at = 0; at < bytes.length; at += 100) tap.write(bytes.subarray(at, at + 100));
          tap.usage();
        });
      };
      expect(ratioOf(steps)).toBeLessThan(RATIO_MAX);
    },
  );
});
