import { Buffer } from 'node:buffer';
import { NO_TEXT, REPEATED_REQUEST, type HookResults, type Member, type StreamChannel } from '@gw/guardrails';
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
import { jsonAt } from './structured-text';

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done']);
/** Members that repeat a whole text which was streamed before. */
const WHOLE_TEXT_KEYS = [
  'text',
  'refusal',
  'arguments',
  'input',
  'code',
  'diff',
  'command',
  'transcript',
] as const;
/** Items whose texts are streamed; the texts of all others arrive with the item. */
const STREAMED: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  undefined,
]);
/** Members with the names of a called tool, of its server and of its namespace. */
const NAMES = ['name', 'server_label', 'namespace'] as const;
/** Members of other items that are streamed, or are data or names of tools. */
const STREAMED_KEYS: ReadonlySet<string> = new Set([...WHOLE_TEXT_KEYS, ...NAMES, 'result']);

/**
 * Reads and writes events of OpenAI's responses, and of one response of a realtime session. The
 * provider repeats streamed texts as a whole, up to three times.
 */
export class ResponsesDialect implements StreamDialect {
  private readonly last = new Map<string, JsonObject>();
  private readonly channels = new Map<string, StreamChannel>();
  /** Names that were read, by index of the item and member. */
  private readonly names = new Map<string, string>();
  /** Number of texts that arrived whole, each with a channel of its own. */
  private wholes = 0;

  /** `frame` encodes an event. */
  constructor(private readonly frame: (type: string, body: JsonObject) => Buffer = namedEvent) {}

  read(body: JsonObject): ReadEvent {
    const { response } = body;
    const read = this.event(body);
    return isObject(response) ? { ...read, notTexts: requestIn(response) } : read;
  }

  private event(body: JsonObject): ReadEvent {
    const type = typeOf(body);
    if (type === 'error') return { ...NOTHING, role: 'error' };
    if (type === 'response.failed') return { ...NOTHING, role: 'error', repeats: this.repeats(body) };
    if (ENDS.has(type)) return { ...NOTHING, role: 'end', repeats: this.repeats(body) };
    if (type.endsWith('.delta')) return this.delta(type, body);
    const repeats = this.repeats(body);
    const texts = this.itemTexts(body);
    const wholes = texts.map(({ channel }) => channel);
    if (!type.endsWith('.done')) return { ...NOTHING, texts, closes: wholes, repeats };
    const choice = numberOr(body['output_index'], 0);
    const closes = [...this.channels.values()].filter((channel) => channel.choice === choice);
    return { ...NOTHING, texts, closes: [...closes, ...wholes], repeats };
  }

  textEvent(channel: StreamChannel, text: string): Buffer {
    const last = this.last.get(keyOf(channel));
    return last === undefined ? EMPTY : this.encode({ ...last, delta: text });
  }

  encode(body: JsonObject): Buffer {
    return this.frame(typeOf(body), body);
  }

  resultsEvent(results: HookResults): Buffer {
    return this.frame('hook_results', { type: 'hook_results', hook_results: results });
  }

  private delta(type: string, body: JsonObject): ReadEvent {
    // Audio deltas have no text; separate events have the transcript.
    if (/audio\.delta$/.test(type)) return { ...NOTHING, notTexts: soundIn(body) };
    const channel: StreamChannel = {
      choice: numberOr(body['output_index'], 0),
      kind: type.includes('reasoning')
        ? 'reasoning'
        : /arguments|input|code/.test(type)
          ? 'tool_call'
          : 'text',
      index: 0,
    };
    if (isObject(body['delta'])) {
      const texts = jsonAt(body, 'delta', this.next(channel.choice, 'other'));
      return { ...NOTHING, texts, closes: texts.map((text) => text.channel) };
    }
    const texts = tokenText(body, 'delta', channel);
    if (texts.length > 0) {
      this.channels.set(keyOf(channel), channel);
      this.last.set(keyOf(channel), body);
    }
    return { ...NOTHING, texts, isTextAlone: true };
  }

  /** Returns the texts of an item that arrive with it, such as the results of a hosted tool. */
  private itemTexts(body: JsonObject): readonly EventText[] {
    const { item, part } = body;
    const choice = numberOr(body['output_index'], 0);
    return [
      ...this.newNames(isObject(item) ? item : body, choice),
      ...jsonAt(body, 'annotation', this.next(choice, 'citation')),
      ...(isObject(part) ? annotations([part], () => this.next(choice, 'citation')) : []),
      ...(isObject(item) ? wholeItem(item, (kind) => this.next(choice, kind)) : []),
    ];
  }

  /** Returns the names of a called tool that differ from those of earlier events. */
  private newNames(holder: JsonObject, choice: number): readonly EventText[] {
    return NAMES.flatMap((key, index) => {
      const place = `${String(choice)} ${key}`;
      const texts = textAt(holder, key, { choice, kind: 'tool_name', index });
      return texts.filter(({ text }) => {
        const isNew = this.names.get(place) !== text;
        this.names.set(place, text);
        return isNew;
      });
    });
  }

  /** Returns the channel of the next text that arrives whole. */
  private next(choice: number, kind: WholeKind): StreamChannel {
    this.wholes += 1;
    return { choice, kind, index: this.wholes };
  }

  private repeats(body: JsonObject): readonly EventText[] {
    const choice = numberOr(body['output_index'], 0);
    if (isObject(body['response']))
      return objectsIn(body['response']['output']).flatMap((item, at) => [
        ...wholeTexts(item, at),
        ...this.newNames(item, at),
        ...wholeItem(item, (kind) => ({ choice: at, kind, index: 0 })),
      ]);
    if (isObject(body['item'])) return wholeTexts(body['item'], choice);
    return wholeTexts(isObject(body['part']) ? body['part'] : body, choice);
  }
}

/** Returns the texts in an item, in a part of an item, or in the event that ends an item. */
function wholeTexts(holder: JsonObject, choice: number): readonly EventText[] {
  const channel: StreamChannel = { choice, kind: 'text', index: 0 };
  return [
    ...WHOLE_TEXT_KEYS.flatMap((key) => tokenText(holder, key, channel)),
    ...[...objectsIn(holder['content']), ...objectsIn(holder['summary'])].flatMap((part) =>
      WHOLE_TEXT_KEYS.flatMap((key) => tokenText(part, key, channel)),
    ),
  ];
}

type WholeKind = 'citation' | 'other';

/**
 * Returns the texts of an item that are not streamed before it, or only as events of their own, as
 * its annotations are.
 */
const wholeItem = (item: JsonObject, channel: (kind: WholeKind) => StreamChannel): readonly EventText[] =>
  STREAMED.has(item['type'])
    ? annotations(objectsIn(item['content']), () => channel('citation'))
    : Object.keys(item)
        .filter((name) => !NO_TEXT.has(name) && !STREAMED_KEYS.has(name))
        .flatMap((name) => jsonAt(item, name, channel('other')));

const annotations = (parts: readonly JsonObject[], channel: () => StreamChannel): readonly EventText[] =>
  parts.flatMap((part) => jsonAt(part, 'annotations', channel()));

/**
 * Returns the text of a member; its holder loses the probabilities of its tokens, which repeat it,
 * with it.
 */
const tokenText = (holder: JsonObject, key: string, channel: StreamChannel): readonly EventText[] =>
  textAt(holder, key, channel).map((text) => ({
    ...text,
    set: (other) => {
      text.set(other);
      if (Array.isArray(holder['logprobs'])) holder['logprobs'] = [];
    },
  }));

/** Returns the members of a response that repeat its request. */
const requestIn = (holder: JsonObject): readonly Member[] =>
  [...REPEATED_REQUEST].map((key) => ({ holder, key }));

/** Returns the encoded audio of an event. */
const soundIn = (holder: JsonObject): readonly Member[] =>
  typeof holder['delta'] === 'string' && !holder['delta'].includes(' ') ? [{ holder, key: 'delta' }] : [];

const EMPTY = Buffer.alloc(0);
const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };

const typeOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : '');
