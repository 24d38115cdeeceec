import fc from 'fast-check';
import type { JsonObject, ModelCall } from './call';
import { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
import type { ProviderCodec, ProviderContext } from './codec';
import { LossLedger } from './losses';
import type { StreamEvent } from './response';
import { framed } from './spec-support/framing';
import { mutated, mutation, tolerated } from './spec-support/mutated';
import { PROVIDER_RESPONSES, PROVIDER_STREAMS } from './spec-support/provider-streams';
import { streamFaults, VECTORS } from './spec-support/vectors';
import { targetOf } from './target';

const ARGS = { $json: { a: 1 } };
const EXPECTED: Readonly<Record<string, JsonObject>> = {
  'openai-chat': {
    folded: {
      choices: [
        {
          message: {
            role: 'assistant',
            reasoning_content: 'hm',
            content: 'I look.',
            tool_calls: [
              { index: 0, id: { $str: 1 }, type: 'function', function: { name: 'f', arguments: ARGS } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    },
    usage_chunks: 1,
    end: '[DONE]',
  },
  'anthropic-messages': {
    folded: {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: { $str: 1 }, name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    one_open_block: true,
    last: 'message_stop',
  },
  'openai-responses': {
    folded: {
      status: 'completed',
      output: [
        { type: 'reasoning' },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: { $str: 1 }, name: 'f', arguments: ARGS },
      ],
      usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
    },
    sequence_numbers: true,
    item_ids_announced: true,
    last: 'response.completed',
  },
  gemini: {
    folded: {
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'I look.' },
              { functionCall: { name: 'f', args: { a: 1 } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
    },
    function_call_events: 1,
  },
};
const PAIRS = Object.keys(PROVIDER_STREAMS).flatMap((from) =>
  [...CLIENT_CODECS.keys()].map((to) => [from, to] as const),
);
const everyByte = (length: number): number[] => Array.from({ length: length - 1 }, (_, index) => index + 1);

describe('streams of providers for every client', () => {
  it.each(PAIRS)('translates a stream of %s for %s', (from, to) => {
    const vector = {
      id: from,
      from,
      to,
      kind: 'stream' as const,
      input: { frames: PROVIDER_STREAMS[from], end: 'complete' },
      request: to === 'openai-chat' ? { stream_options: { include_usage: true } } : {},
      expect: EXPECTED[to] ?? {},
      note: '',
    };
    expect(streamFaults(vector, () => [])).toEqual([]);
    expect(streamFaults(vector, everyByte)).toEqual([]);
  });
});

const CALL: ModelCall = { model: 'm', stream: true, system: [], turns: [], paths: {} };
const PROVIDERS = Object.keys(PROVIDER_STREAMS).map((dialect): ProviderCodec => {
  const codec = PROVIDER_CODECS.get(dialect);
  if (codec === undefined) throw new Error(`No codec ${dialect}`);
  return codec;
});
const contextOf = ({ dialect }: ProviderCodec): ProviderContext => ({
  call: CALL,
  target: targetOf({ provider: 'p', dialect, model: 'm' }),
  requestId: 'r',
  createdAt: 1,
});

/** Returns the violations of the order of a stream's events. */
function orderFaults(events: readonly StreamEvent[]): string[] {
  const open = new Set<number>();
  return events.flatMap((event, at) => {
    const isEnd = event.t === 'done' || event.t === 'error';
    const isPlaced =
      isEnd === (at === events.length - 1) && (event.t === 'error' || (event.t === 'start') === (at === 0));
    return isPlaced && isOfOpenBlock(event, open) ? [] : [`${event.t} at ${String(at)}`];
  });
}

const FILLINGS: ReadonlySet<string> = new Set(['text', 'args', 'seal', 'cite', 'data']);

/** Returns whether an event that needs an open block has one. Updates `open`. */
function isOfOpenBlock(event: StreamEvent, open: Set<number>): boolean {
  if (event.t === 'open') open.add(event.i);
  if (event.t === 'close') return open.delete(event.i);
  if (event.t === 'finish') return open.size === 0;
  return !FILLINGS.has(event.t) || ('i' in event && open.has(event.i));
}

describe('broken values of providers', () => {
  it.each(PROVIDERS.map((codec) => [codec.dialect, codec] as const))(
    'a broken event of %s never throws, and keeps the order of the stream',
    (dialect, codec) => {
      const frames = PROVIDER_STREAMS[dialect] ?? [];
      fc.assert(
        fc.property(fc.nat(frames.length - 1), mutation, fc.nat(400), (at, [steps, value], cut) => {
          const broken = frames.map((frame, index) => {
            const found = index === at ? mutated(frame, steps, value) : frame;
            return typeof found === 'object' && found !== null ? (found as JsonObject) : { value: found };
          });
          const decoder = codec.decodeStream(contextOf(codec));
          const bytes = framed(dialect, broken, 'complete');
          const events = [
            ...decoder.write(bytes.subarray(0, cut)),
            ...decoder.write(bytes.subarray(cut)),
            ...decoder.end(),
          ];
          expect(orderFaults(events)).toEqual([]);
          for (const client of CLIENT_CODECS.values()) {
            const context = {
              call: CALL,
              request: {},
              provider: 'p',
              model: 'm',
              requestId: 'r',
              createdAt: 1,
            };
            client.encodeStream(context).write(events);
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(PROVIDERS.map((codec) => [codec.dialect, codec] as const))(
    'a broken response of %s is refused, or translated for every client',
    (dialect, codec) => {
      const body = PROVIDER_RESPONSES[dialect] ?? {};
      fc.assert(
        fc.property(mutation, ([steps, value]) => {
          const broken = mutated(body, steps, value);
          if (typeof broken !== 'object' || broken === null || Array.isArray(broken)) return;
          const response = tolerated(() => codec.decodeResponse(broken as JsonObject, contextOf(codec)));
          if (response === null) return;
          for (const client of CLIENT_CODECS.values()) {
            const context = {
              call: CALL,
              request: {},
              provider: 'p',
              model: 'm',
              requestId: 'r',
              createdAt: 1,
            };
            client.encodeResponse(response, context);
          }
        }),
        { numRuns: 300 },
      );
    },
  );
});

describe('requests of every client', () => {
  const requests = VECTORS.filter(
    ({ kind, family, from }) => kind === 'request' && family === undefined && CLIENT_CODECS.has(from),
  );

  it('are encoded for Cohere, Mistral and Ollama, or refused, even with a broken value', () => {
    fc.assert(
      fc.property(fc.constantFrom(...requests), fc.option(mutation), ({ from, input }, change) => {
        const body = change === null ? input : mutated(input, ...change);
        if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
        const call = tolerated(() =>
          CLIENT_CODECS.get(from)?.decodeCall(body as JsonObject, { model: 'm', stream: false }),
        );
        if (call === null || call === undefined) return;
        for (const codec of PROVIDERS) {
          const { target } = contextOf(codec);
          const sent = tolerated(() => codec.encodeCall(call, target, new LossLedger('adapt', target)));
          // The encoded body can be serialised.
          JSON.stringify(sent?.body);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
