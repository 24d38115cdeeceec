import { Buffer } from 'node:buffer';
import { CITATIONS, NO_TEXT, type HookResults, type StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import {
  dataEvent,
  keyOf,
  numberOr,
  objectsIn,
  textAt,
  type EventText,
  type ReadEvent,
  type StreamDialect,
} from './stream-dialect';
import { jsonAt, leavesOf, objectWith, type Leaf } from './structured-text';

/** Members of a choice or its delta that hold text. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'text', 'reasoning_content', 'reasoning', 'refusal']);

/** Members of a delta without text of their own, or with data that is not text. */
const NO_OTHER_TEXT: ReadonlySet<string> = new Set([
  ...TEXTS,
  'role',
  'name',
  'tool_calls',
  'function_call',
  ...CITATIONS,
  'images',
  'audio',
]);

/** Index of the older form of a call, of which a choice has one. */
const OLDER_CALL = -1;

/** Reads and writes chunks of OpenAI's chat completions, and of its older completions. */
export class CompletionsDialect implements StreamDialect {
  private readonly channels = new Map<string, StreamChannel>();
  /** Keys of the channels of calls of custom tools. */
  private readonly custom = new Set<string>();
  /** Paths in the delta of other texts that arrive in pieces. Their channels have these indices. */
  private readonly paths: (readonly string[])[] = [];
  /** Index of each path, by its JSON. */
  private readonly indices = new Map<string, number>();
  /** Number of texts that arrived whole. Their channels have negative indices. */
  private wholes = 0;
  /** The citations of the last chunk that had some. Some providers repeat them in each chunk. */
  private cited = '';
  private identity: JsonObject = {};

  constructor(private readonly isChat: boolean) {}

  read(body: JsonObject): ReadEvent {
    const { error, id, object, created, model } = body;
    const choices = objectsIn(body['choices']);
    const said = choices.flatMap((choice) => this.textsOf(choice));
    const cited = this.citations(body, 0);
    if (error !== undefined && error !== null)
      return { ...NOTHING, role: 'error', repeats: [...said, ...cited] };
    const json = JSON.stringify(cited.map(({ text }) => text));
    const isRepeated = json === this.cited;
    if (cited.length > 0) this.cited = json;
    const texts = isRepeated ? said : [...said, ...cited];
    if (id !== undefined) this.identity = { id, object, created, model };
    for (const { channel } of texts) this.channels.set(keyOf(channel), channel);
    const ended = choices.filter(({ finish_reason: reason }) => reason !== undefined && reason !== null);
    return {
      ...NOTHING,
      texts,
      closes: [
        ...texts.map(({ channel }) => channel).filter(isWhole),
        ...ended.flatMap((choice) => this.channelsOf(numberOr(choice['index'], 0))),
      ],
      isTextAlone:
        ended.length === 0 && cited.length === 0 && !isObject(body['usage']) && choices.every(hasOnlyText),
      repeats: isRepeated ? cited : [],
    };
  }

  textEvent(channel: StreamChannel, text: string): Buffer {
    if (isWhole(channel)) return EMPTY;
    const said = this.isChat ? { delta: this.deltaOf(channel, text) } : { text };
    return dataEvent({
      ...this.identity,
      choices: [{ index: channel.choice, ...said, finish_reason: null }],
    });
  }

  private deltaOf(channel: StreamChannel, text: string): JsonObject {
    const { kind, index } = channel;
    switch (kind) {
      case 'text':
        return { content: text };
      case 'reasoning':
        return { reasoning_content: text };
      case 'tool_call': {
        if (index === OLDER_CALL) return { function_call: { arguments: text } };
        const isCustom = this.custom.has(keyOf(channel));
        return {
          tool_calls: [
            { index, ...(isCustom ? { custom: { input: text } } : { function: { arguments: text } }) },
          ],
        };
      }
      case 'tool_name':
      case 'citation':
      case 'other':
      case 'rest':
      case 'rest_name':
        return objectWith(this.paths[index] ?? [], text);
    }
  }

  encode(body: JsonObject): Buffer {
    return dataEvent(body);
  }

  /**
   * Returns a chunk without choices, like the usage chunk, so that clients do not treat it as text.
   */
  resultsEvent(results: HookResults): Buffer {
    return dataEvent({ ...this.identity, choices: [], hook_results: results });
  }

  private textsOf(written: JsonObject): readonly EventText[] {
    const choice = numberOr(written['index'], 0);
    const text: StreamChannel = { choice, kind: 'text', index: 0 };
    const { delta } = written;
    const texts = !this.isChat
      ? textAt(written, 'text', text)
      : isObject(delta)
        ? [
            ...this.spokenTexts(delta, text),
            ...this.callTexts(delta, choice),
            ...this.citations(delta, choice),
            ...this.otherTexts(delta, choice),
          ]
        : [];
    return texts.map((each) => withoutTokens(each, written));
  }

  private spokenTexts(delta: JsonObject, text: StreamChannel): readonly EventText[] {
    const reasoning: StreamChannel = { ...text, kind: 'reasoning' };
    return [
      ...textAt(delta, 'reasoning_content', reasoning),
      ...textAt(delta, 'reasoning', reasoning),
      ...textAt(delta, 'content', text),
      // Mistral writes reasoning and texts as parts.
      ...objectsIn(delta['content']).flatMap((part) => [
        ...textAt(part, 'text', text),
        ...textAt(part, 'thinking', reasoning),
        ...objectsIn(part['thinking']).flatMap((piece) => textAt(piece, 'text', reasoning)),
      ]),
      ...textAt(delta, 'refusal', text),
    ];
  }

  private callTexts(delta: JsonObject, choice: number): readonly EventText[] {
    const older = delta['function_call'];
    const calls = objectsIn(delta['tool_calls']).flatMap((call, at) => {
      const channel: StreamChannel = { choice, kind: 'tool_call', index: numberOr(call['index'], at) };
      const { function: called, custom } = call;
      if (isObject(custom)) this.custom.add(keyOf(channel));
      return [
        ...(isObject(called) ? callText(called, 'arguments', channel) : []),
        ...(isObject(custom) ? callText(custom, 'input', channel) : []),
      ];
    });
    return isObject(older)
      ? [...calls, ...callText(older, 'arguments', { choice, kind: 'tool_call', index: OLDER_CALL })]
      : calls;
  }

  /** Returns the texts in members that only some providers write. */
  private otherTexts(delta: JsonObject, choice: number): readonly EventText[] {
    const { audio } = delta;
    const names = Object.keys(delta).filter((name) => !NO_OTHER_TEXT.has(name) && !NO_TEXT.has(name));
    return [
      ...(isObject(audio)
        ? this.pieces([...leavesOf(audio, 'transcript', ['audio', 'transcript'])], choice)
        : []),
      ...names.flatMap((name) => {
        const leaves = [...leavesOf(delta, name)];
        const isOneEach = new Set(leaves.map(({ path }) => JSON.stringify(path))).size === leaves.length;
        return isOneEach && name !== 'content_blocks'
          ? this.pieces(leaves, choice)
          : jsonAt(delta, name, { choice, kind: 'other', index: this.nextWhole() });
      }),
    ];
  }

  /** Returns the sources in a delta, or next to the choices of a chunk. */
  private citations(holder: JsonObject, choice: number): readonly EventText[] {
    return CITATIONS.flatMap((name) =>
      jsonAt(holder, name, { choice, kind: 'citation', index: this.nextWhole() }),
    );
  }

  private nextWhole(): number {
    this.wholes += 1;
    return -this.wholes;
  }

  private pieces(leaves: readonly Leaf[], choice: number): readonly EventText[] {
    return leaves.flatMap(({ path, holder, key }) =>
      textAt(holder, key, { choice, kind: 'other', index: this.indexOf(path) }),
    );
  }

  private indexOf(path: readonly string[]): number {
    const key = JSON.stringify(path);
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.paths.push(path) - 1;
    this.indices.set(key, index);
    return index;
  }

  private channelsOf(choice: number): readonly StreamChannel[] {
    return [...this.channels.values()].filter((channel) => channel.choice === choice);
  }
}

const EMPTY = Buffer.alloc(0);
const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };

/** Whether the text of a channel is sent in the event in which it arrives. */
const isWhole = ({ kind, index }: StreamChannel): boolean =>
  WHOLE.has(kind) || (kind === 'other' && index < 0);

const WHOLE: ReadonlySet<StreamChannel['kind']> = new Set(['tool_name', 'citation', 'rest', 'rest_name']);

/** Returns the name of a called tool, and a piece of what it is called with. */
const callText = (
  called: JsonObject,
  key: 'arguments' | 'input',
  channel: StreamChannel,
): readonly EventText[] => [
  ...textAt(called, 'name', { ...channel, kind: 'tool_name' }),
  ...textAt(called, key, channel),
];

/** Returns the text; its choice loses the probabilities of its tokens, which repeat it, with it. */
const withoutTokens = (text: EventText, choice: JsonObject): EventText => ({
  ...text,
  set: (other) => {
    text.set(other);
    if (isObject(choice['logprobs'])) choice['logprobs'] = null;
  },
});

function hasOnlyText(choice: JsonObject): boolean {
  const said = isObject(choice['delta']) ? choice['delta'] : choice;
  return Object.entries(said).every(([name, value]) => TEXTS.has(name) || value === null || name === 'index');
}
