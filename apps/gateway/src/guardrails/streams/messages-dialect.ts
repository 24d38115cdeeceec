import type { Buffer } from 'node:buffer';
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

/** For each kind of channel: the delta type, and its member that holds the text. */
const DELTAS: Readonly<Record<StreamChannel['kind'], { readonly type: string; readonly key: string }>> = {
  text: { type: 'text_delta', key: 'text' },
  reasoning: { type: 'thinking_delta', key: 'thinking' },
  tool_call: { type: 'input_json_delta', key: 'partial_json' },
};

/**
 * Reads events of Anthropic's messages. All text blocks form one text, because clients join them.
 */
export class MessagesDialect implements StreamDialect {
  /** The block to which each channel is written, by channel key. */
  private readonly blocks = new Map<string, { readonly channel: StreamChannel; readonly index: number }>();

  read(body: JsonObject): ReadEvent {
    const index = numberOr(body['index'], 0);
    switch (body['type']) {
      case 'error':
        return { ...NOTHING, role: 'error' };
      case 'message_stop':
        return { ...NOTHING, role: 'end' };
      case 'content_block_start':
        return { ...NOTHING, texts: this.blockTexts(body['content_block'], index) };
      case 'content_block_delta':
        return this.delta(body['delta'], index);
      case 'content_block_stop':
      case 'message_delta':
        return { ...NOTHING, closes: this.closedBy(body['type'], index) };
      default:
        return NOTHING;
    }
  }

  textEvent(channel: StreamChannel, text: string): Buffer {
    const { type, key } = DELTAS[channel.kind];
    const index = this.blocks.get(keyOf(channel))?.index ?? 0;
    const body = { type: 'content_block_delta', index, delta: { type, [key]: text } };
    return namedEvent(body.type, body);
  }

  encode(body: JsonObject): Buffer {
    return namedEvent(String(body['type']), body);
  }

  resultsEvent(results: HookResults): Buffer {
    return namedEvent('hook_results', { type: 'hook_results', hook_results: results });
  }

  private blockTexts(block: unknown, index: number): readonly EventText[] {
    if (!isObject(block)) return [];
    return [
      ...this.textIn(block, 'text', index, 'text'),
      ...this.textIn(block, 'thinking', index, 'reasoning'),
    ];
  }

  private delta(delta: unknown, index: number): ReadEvent {
    if (!isObject(delta)) return NOTHING;
    for (const kind of ['text', 'reasoning', 'tool_call'] as const) {
      const { type, key } = DELTAS[kind];
      if (delta['type'] === type)
        return { ...NOTHING, texts: this.textIn(delta, key, index, kind), isTextAlone: true };
    }
    // A signature covers the thinking before it, so the channel closes here.
    return { ...NOTHING, closes: this.closedBy('content_block_stop', index) };
  }

  private textIn(
    holder: JsonObject,
    key: string,
    block: number,
    kind: StreamChannel['kind'],
  ): readonly EventText[] {
    const channel: StreamChannel = { choice: 0, kind, index: kind === 'tool_call' ? block : 0 };
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

const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };
