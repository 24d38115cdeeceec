import { Buffer } from 'node:buffer';
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

/**
 * Reads and writes events of Gemini's streams. A function call arrives whole, so its channel closes
 * in the same event.
 */
export class GeminiDialect implements StreamDialect {
  private readonly channels = new Map<string, StreamChannel>();
  private calls = 0;
  private identity: JsonObject = {};

  read(body: JsonObject): ReadEvent {
    const candidates = objectsIn(body['candidates']);
    const texts = candidates.flatMap((candidate) => this.textsOf(candidate));
    if (isObject(body['error'])) return { ...NOTHING, role: 'error', repeats: texts };
    const { responseId, modelVersion } = body;
    if (responseId !== undefined) this.identity = { modelVersion, responseId };
    for (const { channel } of texts) this.channels.set(keyOf(channel), channel);
    const ended = candidates.filter(({ finishReason }) => typeof finishReason === 'string');
    const calls = texts.filter(({ channel }) => channel.kind === 'tool_call').map(({ channel }) => channel);
    return { ...NOTHING, texts, closes: [...calls, ...ended.flatMap((one) => this.textChannels(one))] };
  }

  /**
   * Returns an event with text; empty for a part of a call's arguments, which cannot be sent alone.
   */
  textEvent({ choice, kind }: StreamChannel, text: string): Buffer {
    if (kind === 'tool_call') return EMPTY;
    const part = kind === 'reasoning' ? { text, thought: true } : { text };
    return dataEvent({
      ...this.identity,
      candidates: [{ index: choice, content: { role: 'model', parts: [part] } }],
    });
  }

  encode(body: JsonObject): Buffer {
    return dataEvent(body);
  }

  /** Returns an event without candidates, so that clients do not treat it as text. */
  resultsEvent(results: HookResults): Buffer {
    return dataEvent({ ...this.identity, candidates: [], hook_results: results });
  }

  private textsOf(candidate: JsonObject): readonly EventText[] {
    const choice = numberOr(candidate['index'], 0);
    const { content } = candidate;
    if (!isObject(content)) return [];
    return objectsIn(content['parts']).flatMap((part) => {
      const kind = part['thought'] === true ? 'reasoning' : 'text';
      const { functionCall: call } = part;
      return [
        ...textAt(part, 'text', { choice, kind, index: 0 }),
        ...(isObject(call) ? [this.callText(choice, content, part, call)] : []),
      ];
    });
  }

  private callText(choice: number, content: JsonObject, part: JsonObject, call: JsonObject): EventText {
    const channel: StreamChannel = { choice, kind: 'tool_call', index: this.calls };
    this.calls += 1;
    return {
      channel,
      text: JSON.stringify(call['args'] ?? {}),
      set: (other) => {
        const args = parsed(other);
        if (args !== undefined) part['functionCall'] = { ...call, args };
        // A call without valid arguments is removed from its event.
        else content['parts'] = objectsIn(content['parts']).filter((one) => one !== part);
      },
    };
  }

  private textChannels(candidate: JsonObject): readonly StreamChannel[] {
    const choice = numberOr(candidate['index'], 0);
    return [...this.channels.values()].filter(
      (channel) => channel.choice === choice && channel.kind !== 'tool_call',
    );
  }
}

const EMPTY = Buffer.alloc(0);
const NOTHING: ReadEvent = { texts: [], closes: [], role: 'plain', isTextAlone: false, repeats: [] };

/** Parses a JSON object; undefined for any other text. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
