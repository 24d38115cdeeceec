import type { JsonObject } from '../call';
import { framed } from './framing';
import type { PlainResponse } from './generators/plain';
import { providerStream } from './generators/provider-streams';
import { times } from './hostile-calls';
import { annotation, BASE, citation, GROWN, grounding } from './hostile-responses';

/** Provider streams in which one text or the number of events grows with a count. */

type Frames = (count: number) => JsonObject[];
const choice = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] });
const block = (index: number, content: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: content,
});
const converse = (event: string, contentBlockIndex: number, more: JsonObject): JsonObject => ({
  event,
  payload: { contentBlockIndex, ...more },
});

/** Streams of events without an end. */
const FRAMES: Readonly<Record<string, Readonly<Record<string, Frames>>>> = {
  'openai-chat': {
    'calls without a name': (count) =>
      times(count, (index) => choice({ tool_calls: [{ index, function: { arguments: 'a' } }] })),
    'calls that never end': (count) =>
      times(count, (index) =>
        choice({ tool_calls: [{ index, id: String(index), function: { name: 'f' } }] }),
      ),
    usages: (count) =>
      times(count, (index) => ({ choices: [], usage: { prompt_tokens: index, completion_tokens: 1 } })),
    candidates: (count) => times(count, (index) => ({ choices: [{ index, delta: { content: 'a' } }] })),
    citations: (count) => [
      choice({ content: 'a' }),
      ...times(count, () => choice({ annotations: [annotation] })),
    ],
  },
  'anthropic-messages': {
    'blocks that never end': (count) =>
      times(count, (index) => block(index, { type: 'tool_use', id: String(index), name: 'f', input: {} })),
    'hosted calls that never end': (count) =>
      times(count, (index) => block(index, { type: 'server_tool_use', id: String(index), name: 'f' })),
    usages: (count) =>
      times(count, (index) => ({ type: 'message_delta', delta: {}, usage: { output_tokens: index } })),
    'unknown events': (count) => times(count, () => ({ type: 'new' })),
    pings: (count) => times(count, () => ({ type: 'ping' })),
    'pieces of a signature': (count) => [
      block(0, { type: 'thinking', thinking: '' }),
      ...times(count, () => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'signature_delta', signature: 'a' },
      })),
    ],
    citations: (count) => [
      block(0, { type: 'text', text: '' }),
      ...times(count, () => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation },
      })),
      { type: 'content_block_stop', index: 0 },
    ],
  },
  'bedrock-converse': {
    'blocks that never end': (count) =>
      times(count, (index) =>
        converse('contentBlockStart', index, { start: { toolUse: { toolUseId: 'a', name: 'f' } } }),
      ),
    'results that never end': (count) =>
      times(count, (index) =>
        converse('contentBlockStart', index, { start: { toolResult: { toolUseId: 'a' } } }),
      ),
    usages: (count) =>
      times(count, () => ({ event: 'metadata', payload: { usage: { inputTokens: 1, outputTokens: 1 } } })),
  },
  'cohere-v2': {
    'calls that never end': (count) =>
      times(count, (index) => ({
        type: 'tool-call-start',
        index,
        delta: { message: { tool_calls: { id: String(index), function: { name: 'f' } } } },
      })),
  },
  gemini: {
    usages: (count) =>
      times(count, () => ({
        candidates: [{ content: { parts: [{ text: 'a' }] }, groundingMetadata: grounding(2) }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
      })),
    candidates: (count) =>
      times(count, (index) => ({
        candidates: [{ index: index % 128, content: { parts: [{ text: 'a' }] } }],
      })),
  },
  ollama: {
    calls: (count) =>
      times(count, () => ({
        message: { tool_calls: [{ function: { name: 'f', arguments: {} } }] },
        done: false,
      })),
  },
  'openai-responses': {
    'items that never end': (count) =>
      times(count, (index) => ({
        type: 'response.output_item.added',
        output_index: index,
        item: { type: 'function_call', call_id: String(index), name: 'f', arguments: '' },
      })),
    'parts that never end': (count) =>
      times(count, (index) => ({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: index,
        delta: 'a',
      })),
    'unknown events': (count) => times(count, () => ({ type: 'response.new' })),
    annotations: (count) => [
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' },
      ...times(count, () => ({
        type: 'response.output_text.annotation.added',
        output_index: 0,
        content_index: 0,
        annotation,
      })),
    ],
    'summaries of reasoning': (count) =>
      times(count, () => [
        { type: 'response.reasoning_summary_part.added', output_index: 0 },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'a' },
      ]).flat(),
  },
};

/** Returns the bytes of a stream with this many events or blocks. */
export type GrowingStream = (count: number) => Buffer;

/**
 * Returns the growing streams of a provider's dialect by name. Texts arrive one character for each
 * event.
 */
export const hostileStreams = (dialect: string): [string, GrowingStream][] => [
  ...Object.entries(GROWN).map(([name, make]): [string, GrowingStream] => [
    name,
    (count) => providerStream(dialect, { ...BASE, parts: make(count) }, (text) => [...text]),
  ]),
  ...Object.entries(FRAMES[dialect] ?? {}).map(([name, make]): [string, GrowingStream] => [
    name,
    (count) => framed(dialect, make(count), 'cut'),
  ]),
];

/** Returns open streams to which any number of blocks can be added. */
export const openStreams = (dialect: string): [string, GrowingStream][] =>
  hostileStreams(dialect).filter(([name]) => name.includes('never end') || name === 'calls without a name');

export const longResponse = (length: number): PlainResponse => ({
  ...BASE,
  parts: [{ kind: 'text', text: 'a'.repeat(length) }],
});

const pieces = (length: number): string[] => times(100, () => 'a'.repeat(length / 100));

/** Streams for which a decoder must buffer this many characters. */
export const HELD_STREAMS: readonly (readonly [string, string, (length: number) => Buffer])[] = [
  [
    'openai-chat',
    'arguments before the name',
    (length) =>
      framed(
        'openai-chat',
        pieces(length).map((piece) => choice({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
        'cut',
      ),
  ],
  [
    'anthropic-messages',
    'a signature',
    (length) =>
      framed(
        'anthropic-messages',
        [
          block(0, { type: 'thinking', thinking: '' }),
          ...pieces(length).map((signature) => ({
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'signature_delta', signature },
          })),
        ],
        'cut',
      ),
  ],
  [
    'bedrock-converse',
    'a signature',
    (length) =>
      framed(
        'bedrock-converse',
        pieces(length).map((signature) =>
          converse('contentBlockDelta', 0, { delta: { reasoningContent: { signature } } }),
        ),
        'cut',
      ),
  ],
];
