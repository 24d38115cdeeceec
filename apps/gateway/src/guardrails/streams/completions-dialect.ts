import type { Buffer } from 'node:buffer';
import type { HookResults, StreamChannel } from '@gw/guardrails';
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

/** Members of a choice or its delta that hold text. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'text', 'reasoning_content', 'reasoning', 'refusal']);

/** Reads and writes chunks of OpenAI's chat completions, and of its older completions. */
export class CompletionsDialect implements StreamDialect {
  private readonly channels = new Map<string, StreamChannel>();
  private identity: JsonObject = {};

  constructor(private readonly isChat: boolean) {}

  read(body: JsonObject): ReadEvent {
    const { error, id, object, created, model } = body;
    const choices = objectsIn(body['choices']);
    const texts = choices.flatMap((choice) => this.textsOf(choice));
    if (error !== undefined && error !== null) return { ...NOTHING, role: 'error', repeats: texts };
    if (id !== undefined) this.identity = { id, object, created, model };
    for (const { channel } of texts) this.channels.set(keyOf(channel), channel);
    const ended = choices.filter(({ finish_reason: reason }) => reason !== undefined && reason !== null);
    return {
      ...NOTHING,
      texts,
      closes: ended.flatMap((choice) => this.channelsOf(numberOr(choice['index'], 0))),
      isTextAlone: ended.length === 0 && !isObject(body['usage']) && choices.every(hasOnlyText),
    };
  }

  textEvent({ choice, kind, index }: StreamChannel, text: string): Buffer {
    const said = !this.isChat
      ? { text }
      : kind === 'text'
        ? { delta: { content: text } }
        : kind === 'reasoning'
          ? { delta: { reasoning_content: text } }
          : { delta: { tool_calls: [{ index, function: { arguments: text } }] } };
    return dataEvent({ ...this.identity, choices: [{ index: choice, ...said, finish_reason: null }] });
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
    if (!this.isChat) return textAt(written, 'text', text);
    const { delta } = written;
    if (!isObject(delta)) return [];
    const reasoning: StreamChannel = { choice, kind: 'reasoning', index: 0 };
    const calls = objectsIn(delta['tool_calls']).flatMap((call, at) => {
      const index = numberOr(call['index'], at);
      return isObject(call['function'])
        ? textAt(call['function'], 'arguments', { choice, kind: 'tool_call', index })
        : [];
    });
    return [
      ...textAt(delta, 'reasoning_content', reasoning),
      ...textAt(delta, 'reasoning', reasoning),
      ...textAt(delta, 'content', text),
      ...textAt(delta, 'refusal', text),
      ...calls,
    ];
  }

  private channelsOf(choice: number): readonly StreamChannel[] {
    return [...this.channels.values()].filter((channel) => channel.choice === choice);
  }
}

const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };

function hasOnlyText(choice: JsonObject): boolean {
  const said = isObject(choice['delta']) ? choice['delta'] : choice;
  return Object.entries(said).every(([name, value]) => TEXTS.has(name) || value === null || name === 'index');
}
