import type { Buffer } from 'node:buffer';
import type { HookResults, StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import {
  keyOf,
  namedEvent,
  numberOr,
  objectsIn,
  textAt,
  type EventText,
  type ReadEvent,
  type StreamDialect,
} from './stream-dialect';

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done']);
/** Members that repeat a whole text which was streamed before. */
const WHOLE_TEXT_KEYS = ['text', 'refusal', 'arguments', 'input', 'code', 'transcript'];

/**
 * Reads and writes events of OpenAI's responses, and of one response of a realtime session. The
 * provider repeats streamed texts as a whole, up to three times.
 */
export class ResponsesDialect implements StreamDialect {
  private readonly last = new Map<string, JsonObject>();
  private readonly channels = new Map<string, StreamChannel>();

  /** `frame` encodes an event. */
  constructor(private readonly frame: (type: string, body: JsonObject) => Buffer = namedEvent) {}

  read(body: JsonObject): ReadEvent {
    const type = String(body['type']);
    if (type === 'error') return { ...NOTHING, role: 'error' };
    if (type === 'response.failed') return { ...NOTHING, role: 'error', repeats: this.repeats(body) };
    if (ENDS.has(type)) return { ...NOTHING, role: 'end', repeats: this.repeats(body) };
    if (type.endsWith('.delta')) return this.delta(type, body);
    const repeats = this.repeats(body);
    if (!type.endsWith('.done')) return { ...NOTHING, repeats };
    const choice = numberOr(body['output_index'], 0);
    const closes = [...this.channels.values()].filter((channel) => channel.choice === choice);
    return { ...NOTHING, closes, repeats };
  }

  textEvent(channel: StreamChannel, text: string): Buffer {
    return this.encode({ ...this.last.get(keyOf(channel)), delta: text });
  }

  encode(body: JsonObject): Buffer {
    return this.frame(String(body['type']), body);
  }

  resultsEvent(results: HookResults): Buffer {
    return this.frame('hook_results', { type: 'hook_results', hook_results: results });
  }

  private delta(type: string, body: JsonObject): ReadEvent {
    // Audio deltas have no text; separate events have the transcript.
    if (/audio\.delta$/.test(type)) return NOTHING;
    const channel: StreamChannel = {
      choice: numberOr(body['output_index'], 0),
      kind: type.includes('reasoning')
        ? 'reasoning'
        : /arguments|input|code/.test(type)
          ? 'tool_call'
          : 'text',
      index: 0,
    };
    const texts = textAt(body, 'delta', channel);
    if (texts.length > 0) {
      this.channels.set(keyOf(channel), channel);
      this.last.set(keyOf(channel), body);
    }
    return { ...NOTHING, texts, isTextAlone: true };
  }

  private repeats(body: JsonObject): readonly EventText[] {
    const choice = numberOr(body['output_index'], 0);
    if (isObject(body['response']))
      return objectsIn(body['response']['output']).flatMap((item, at) => wholeTexts(item, at));
    if (isObject(body['item'])) return wholeTexts(body['item'], choice);
    return wholeTexts(isObject(body['part']) ? body['part'] : body, choice);
  }
}

/** Returns the texts in an item, in a part of an item, or in the event that ends an item. */
function wholeTexts(holder: JsonObject, choice: number): readonly EventText[] {
  const channel: StreamChannel = { choice, kind: 'text', index: 0 };
  return [
    ...WHOLE_TEXT_KEYS.flatMap((key) => textAt(holder, key, channel)),
    ...[...objectsIn(holder['content']), ...objectsIn(holder['summary'])].flatMap((part) =>
      WHOLE_TEXT_KEYS.flatMap((key) => textAt(part, key, channel)),
    ),
  ];
}

const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };
