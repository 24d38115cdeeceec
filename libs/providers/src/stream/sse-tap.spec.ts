import { readCases } from '@gw/testing';
import fc from 'fast-check';
import { anthropicTap } from '../dialects/anthropic/tap';
import { openAiTap } from '../dialects/openai/tap';
import { googleTap } from '../google/google-tap';
import type { StreamTap } from '../provider';

const outcome = (tap: StreamTap) => ({
  complete: tap.complete,
  failed: tap.failed,
  model: tap.model,
  input: tap.usage()?.inputTokens ?? null,
  output: tap.usage()?.outputTokens ?? null,
});

function feed(tap: StreamTap, bytes: Buffer, cuts: readonly number[] = []): ReturnType<typeof outcome> {
  let from = 0;
  for (const cut of [...cuts].sort((one, other) => one - other)) {
    tap.write(bytes.subarray(from, cut));
    from = cut;
  }
  tap.write(bytes.subarray(from));
  return outcome(tap);
}

const chunk = (delta: unknown, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta }], usage: null, ...more })}\n\n`;
const CHAT = [
  ': keep-alive\n\n',
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'It says "usage":{"prompt_tokens":99}, [DONE] and "error":{} — só' }),
  'event: message\nid: 7\nretry: 1000\n' + chunk({ content: 'data: [DONE]\n\n' }),
  'data: {"id":"c",\ndata: "choices":[],\ndata: "usage":{"prompt_tokens":5,"completion_tokens":3}}\n\n',
  'data: [DONE]\n\n',
].join('');
const RESPONSES = [
  'event: response.created\ndata: {"type":"response.created","response":{"model":"gpt-5","error":null,"usage":null}}\n\n',
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"\\"response.completed\\""}\n\n',
  'event: response.completed\ndata: {"type":"response.completed","response":{"model":"gpt-5","error":null,"usage":{"input_tokens":5,"output_tokens":3}}}\n\n',
].join('');
const ANTHROPIC = [
  'event: message_start\ndata: {"type":"message_start","message":{"model":"claude","usage":{"input_tokens":2,"cache_read_input_tokens":3,"output_tokens":1}}}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"message_stop and \\"error\\""}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":null,"output_tokens":3}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
].join('');
const GEMINI = [
  'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":1},"modelVersion":"gemini"}\r\n\r\n',
  'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3},"modelVersion":"gemini"}\r\n\r\n',
].join('');

const STREAMS: readonly (readonly [string, () => StreamTap, string, string])[] = [
  ['a chat stream', openAiTap, CHAT, 'gpt-4o'],
  ['a responses stream', openAiTap, RESPONSES, 'gpt-5'],
  ['an Anthropic stream', anthropicTap, ANTHROPIC, 'claude'],
  ['a Gemini stream', googleTap, GEMINI, 'gemini'],
  ['an OpenAI stream through Gemini', googleTap, CHAT, 'gpt-4o'],
];
const LINE_ENDS = [
  ['LF', (text: string) => text.replaceAll('\r\n', '\n')],
  ['CRLF', (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')],
  ['CR', (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r')],
] as const;

describe.each(STREAMS)('the tap over %s', (_, tap, text, model) => {
  const expected = { complete: true, failed: false, model, input: 5, output: 3 };

  it.each(LINE_ENDS)('reads usage, model and end with %s line ends at every single split', (__, convert) => {
    const bytes = Buffer.from(convert(text), 'utf8');
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(feed(tap(), bytes, [cut])).toEqual(expected);
  });

  it('reads the same however the stream is split, even with one byte per write', () => {
    const bytes = Buffer.from(text, 'utf8');
    const every = Array.from({ length: bytes.length }, (__, index) => index);
    expect(feed(tap(), bytes, every)).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), fc.constantFrom(...LINE_ENDS), (cuts, [, convert]) => {
        const converted = Buffer.from(convert(text), 'utf8');
        expect(feed(tap(), converted, cuts)).toEqual(expected);
      }),
    );
  });

  it('reports complete once the line of the end marker has arrived', () => {
    const bytes = Buffer.from(text.replaceAll('\r\n', '\n'), 'utf8');
    const lastEvent = bytes.lastIndexOf('\n\n', bytes.length - 3) + 2;
    const partial = tap();
    partial.write(bytes.subarray(0, lastEvent));
    expect(partial.complete).toBe(false);
    partial.write(bytes.subarray(lastEvent));
    expect(partial.complete).toBe(true);
  });

  it('reads a last event without its blank line, as some providers end', () => {
    expect(feed(tap(), Buffer.from(text.trimEnd(), 'utf8'))).toEqual(expected);
  });
});

describe('the OpenAI tap', () => {
  it.each([
    ['an error object', 'data: {"error":{"message":"boom","type":"server_error"}}\n\n'],
    ['an error text', 'data: {"error":"boom"}\n\n'],
    ['an error event', 'event: error\ndata: {"message":"boom"}\n\n'],
    ['an error event without JSON', 'event: error\ndata: boom\n\n'],
    ['a typed error', 'data: {"type":"error","message":"boom"}\n\n'],
    [
      'a failed response',
      'event: response.failed\ndata: {"type":"response.failed","response":{"error":{"message":"boom"}}}\n\n',
    ],
  ])('reports %s', (_, text) => {
    const tap = openAiTap();
    tap.write(Buffer.from(chunk({ content: 'a' }) + text));
    expect(outcome(tap)).toMatchObject({ failed: true, complete: false });
  });

  it('ignores texts that look like markers', () => {
    const texts = [
      '[DONE]',
      'data: [DONE]\n\n',
      '"usage":{"prompt_tokens":1}',
      '"error":{"message":"x"}',
      '"type":"response.completed"',
    ];
    const tap = openAiTap();
    for (const content of texts) tap.write(Buffer.from(chunk({ content })));
    expect(outcome(tap)).toEqual({
      complete: false,
      failed: false,
      model: 'gpt-4o',
      input: null,
      output: null,
    });
  });

  it('reads usage and end of a last event that is too large to buffer, and buffers at most 128 KiB of an event', () => {
    const tap = openAiTap();
    const closing = {
      type: 'response.completed',
      response: {
        model: 'gpt-5',
        output: 'x'.repeat(4_000_000),
        usage: { input_tokens: 5, output_tokens: 3 },
        user: null,
      },
    };
    const bytes = Buffer.from(`event: response.completed\ndata: ${JSON.stringify(closing)}\n\n`);
    for (let from = 0; from < bytes.length; from += 16_384) tap.write(bytes.subarray(from, from + 16_384));
    expect(outcome(tap)).toMatchObject({ complete: true, input: 5, output: 3 });
  });

  it('still reads a stream after an event of 4 MB', () => {
    const tap = openAiTap();
    const bytes = Buffer.from(chunk({ content: 'a'.repeat(4_000_000) }) + CHAT);
    for (let from = 0; from < bytes.length; from += 10_000) tap.write(bytes.subarray(from, from + 10_000));
    expect(outcome(tap)).toMatchObject({ complete: true, model: 'gpt-4o', input: 5, output: 3 });
  });

  it('handles a stream of bare line ends, one byte per write, in linear time', () => {
    const tap = openAiTap();
    const bytes = Buffer.from('a\n'.repeat(70_000) + '\n' + CHAT);
    for (let at = 0; at < bytes.length; at += 1) tap.write(bytes.subarray(at, at + 1));
    expect(tap.complete).toBe(true);
  });

  it('never throws, whatever the bytes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(...CHAT.split('\n'), '\n', '\n\n', '\r').map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom(openAiTap, anthropicTap, googleTap), (pieces, make) => {
        const tap = make();
        for (const bytes of pieces) tap.write(Buffer.from(bytes));
        expect(typeof outcome(tap).complete).toBe('boolean');
      }),
    );
  });
});

describe('the Anthropic tap', () => {
  it('keeps the input of the start when the end has zeros', () => {
    const tap = anthropicTap();
    const event = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
    const start = { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 };
    const end = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 };
    tap.write(Buffer.from(event('message_start', { message: { model: 'claude', usage: start } })));
    tap.write(Buffer.from(event('message_delta', { delta: {}, usage: end }) + event('message_stop', {})));
    expect(outcome(tap)).toMatchObject({ complete: true, input: 8, output: 9 });
  });

  it('reports an error event and the usage before it', () => {
    const tap = anthropicTap();
    tap.write(Buffer.from(ANTHROPIC.slice(0, ANTHROPIC.indexOf('event: message_delta'))));
    tap.write(
      Buffer.from(
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      ),
    );
    expect(outcome(tap)).toEqual({
      complete: false,
      failed: true,
      model: 'claude',
      input: null,
      output: null,
    });
    expect(tap.begun()).toMatchObject({ inputTokens: 5 });
  });
});

interface Step {
  readonly status?: number;
  readonly bytes?: string;
  readonly repeat?: number;
  readonly write?: string;
  readonly gen?: {
    readonly prefix?: string;
    readonly repeat?: string;
    readonly total?: number;
    readonly suffix?: string;
  };
}
interface Case {
  readonly id: string;
  readonly category: string;
  readonly reason: string;
  readonly upstream: readonly (string | Step)[];
  readonly expect: { readonly usage?: { readonly total_tokens: number } | string };
}

const { cases } = readCases('sse_upstream.json') as {
  cases: Case[];
};

/** Returns the bytes that a step puts on the wire. */
function stepBytes(step: string | Step): Buffer {
  if (typeof step === 'string') return Buffer.from(step, 'utf8');
  if (step.bytes !== undefined) return Buffer.from(step.bytes, 'hex');
  if (step.write !== undefined) return Buffer.from(step.write.repeat(step.repeat ?? 1), 'utf8');
  const { prefix = '', repeat = '', total = 0, suffix = '' } = step.gen ?? {};
  return Buffer.from(prefix + repeat.repeat(total) + suffix, 'utf8');
}

describe('upstream scripts', () => {
  const streams = cases.filter(({ category }) => ['good', 'no_done', 'extra', 'cut'].includes(category));

  it.each(streams.map((item) => [item.id, item.reason, item] as const))(
    'reads the stream of case %s: %s',
    (_, __, item) => {
      const tap = openAiTap();
      for (const step of item.upstream) {
        const bytes = stepBytes(step);
        for (let from = 0; from < bytes.length; from += 65_536)
          tap.write(bytes.subarray(from, from + 65_536));
      }
      const { usage } = item.expect;
      if (typeof usage === 'object')
        expect((tap.usage()?.inputTokens ?? 0) + (tap.usage()?.outputTokens ?? 0)).toBe(usage.total_tokens);
      if (usage === 'estimated_and_flagged') expect(tap.usage()).toBeNull();
      expect(tap.complete).toBe(['good', 'extra'].includes(item.category));
      expect(tap.failed).toBe(false);
    },
  );
});
