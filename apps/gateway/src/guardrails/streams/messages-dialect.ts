import { Buffer } from 'node:buffer';
import type { HookResults, StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import {
  keyOf,
  namedEvent,
  numberOr,
  textAt,
  type EventText,
  type ReadEvent,
  type StreamDialect,
} from './stream-dialect';
import { jsonAt } from './structured-text';

/** For each kind of channel: the delta type, and its member that holds the text. */
const DELTAS: Readonly<Record<StreamChannel['kind'], { readonly type: string; readonly key: string }>> = {
  text: { type: 'text_delta', key: 'text' },
  reasoning: { type: 'thinking_delta', key: 'thinking' },
  tool_call: { type: 'input_json_delta', key: 'partial_json' },
  tool_name: { type: '', key: '' },
  citation: { type: 'citations_delta', key: 'citation' },
  other: { type: 'compaction_delta', key: 'content' },
  rest: { type: '', key: '' },
  rest_name: { type: '', key: '' },
};

/**
 * Reads events of Anthropic's messages. All text blocks form one text, because clients join them.
 */
export class MessagesDialect implements StreamDialect {
  /** The block to which each channel is written, by channel key. */
  private readonly blocks = new Map<string, { readonly channel: StreamChannel; readonly index: number }>();
  /** Number of citations and of deltas of unknown types, each with a channel of its own. */
  private wholes = 0;

  read(body: JsonObject): ReadEvent {
    const index = numberOr(body['index'], 0);
    switch (body['type']) {
      case 'error':
        return { ...NOTHING, role: 'error' };
      case 'message_stop':
        return { ...NOTHING, role: 'end' };
      case 'content_block_start':
        return this.blockStart(body, index);
      case 'content_block_delta':
        return this.delta(body, index);
      case 'content_block_stop':
      case 'message_delta':
        return { ...NOTHING, closes: this.closedBy(body['type'], index) };
      default:
        return NOTHING;
    }
  }

  textEvent(channel: StreamChannel, text: string): Buffer {
    const { type, key } = DELTAS[channel.kind];
    const block = this.blocks.get(keyOf(channel));
    // A part of a text that arrives whole cannot be sent alone.
    if (block === undefined) return EMPTY;
    const body = { type: 'content_block_delta', index: block.index, delta: { type, [key]: text } };
    return namedEvent(body.type, body);
  }

  encode(body: JsonObject): Buffer {
    const { type } = body;
    return namedEvent(typeof type === 'string' ? type : '', body);
  }

  resultsEvent(results: HookResults): Buffer {
    return namedEvent('hook_results', { type: 'hook_results', hook_results: results });
  }

  private blockStart(body: JsonObject, index: number): ReadEvent {
    const { content_block: block } = body;
    if (!isObject(block)) return NOTHING;
    const texts = [
      ...this.textIn(block, 'text', index, 'text'),
      ...this.textIn(block, 'thinking', index, 'reasoning'),
    ];
    if (block['type'] === 'compaction')
      return { ...NOTHING, texts: this.textIn(block, 'content', index, 'other') };
    if (texts.length > 0 || TEXT_BLOCKS.has(block['type'])) return { ...NOTHING, texts };
    // The input of a tool usually follows in pieces; a result arrives whole.
    return 'input' in block
      ? whole([
          ...textAt(block, 'name', { choice: 0, kind: 'tool_name', index }),
          ...textAt(block, 'server_name', { choice: 0, kind: 'tool_name', index: -1 - index }),
          ...jsonAt(block, 'input', { choice: 0, kind: 'tool_call', index }),
        ])
      : whole(jsonAt(body, 'content_block', { choice: 0, kind: 'other', index }));
  }

  private delta(body: JsonObject, index: number): ReadEvent {
    const { delta } = body;
    if (!isObject(delta)) return NOTHING;
    for (const kind of ['text', 'reasoning', 'tool_call', 'other'] as const) {
      const { type, key } = DELTAS[kind];
      if (delta['type'] === type)
        return { ...NOTHING, texts: this.textIn(delta, key, index, kind), isTextAlone: true };
    }
    // A signature covers the thinking before it, so the channel closes here.
    const closes = this.closedBy('content_block_stop', index);
    if (delta['type'] === 'signature_delta') return { ...NOTHING, closes };
    this.wholes += 1;
    if (delta['type'] !== 'citations_delta')
      return whole(jsonAt(body, 'delta', { choice: 0, kind: 'other', index: -this.wholes }));
    const cited = whole(jsonAt(delta, 'citation', { choice: 0, kind: 'citation', index: this.wholes }));
    return { ...cited, closes: [...closes, ...cited.closes] };
  }

  private textIn(
    holder: JsonObject,
    key: string,
    block: number,
    kind: StreamChannel['kind'],
  ): readonly EventText[] {
    const channel: StreamChannel = {
      choice: 0,
      kind,
      index: kind === 'tool_call' || kind === 'other' ? block : 0,
    };
    const texts = textAt(holder, key, channel);
    if (texts.length > 0) this.blocks.set(keyOf(channel), { channel, index: block });
    return texts;
  }

  private closedBy(type: string, block: number): readonly StreamChannel[] {
    const open = [...this.blocks.values()];
    return open
      .filter(({ index }) => type === 'message_delta' || index === block)
      .map(({ channel }) => channel);
  }
}

/** Blocks whose texts are members of their own. */
const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking']);

/** Returns an event with texts that it has whole. */
const whole = (texts: readonly EventText[]): ReadEvent => ({
  ...NOTHING,
  texts,
  closes: texts.map(({ channel }) => channel),
});

const EMPTY = Buffer.alloc(0);
const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };
