import { Buffer } from 'node:buffer';
import { GEMINI_CITATIONS, type HookResults, type StreamChannel } from '@gw/guardrails';
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
import { jsonAt } from './structured-text';

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
    const wholes = texts.map(({ channel }) => channel).filter(isWhole);
    return { ...NOTHING, texts, closes: [...wholes, ...ended.flatMap((one) => this.textChannels(one))] };
  }

  /**
   * Returns an event with text; empty for a part of a call, a result or a source, which cannot be
   * sent alone.
   */
  textEvent({ choice, kind }: StreamChannel, text: string): Buffer {
    if (isWhole({ kind })) return EMPTY;
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
    const texts = isObject(content)
      ? objectsIn(content['parts']).flatMap((part) => this.partTexts(choice, content, part))
      : [];
    const sources = GEMINI_CITATIONS.flatMap((name) =>
      jsonAt(candidate, name, this.next(choice, 'citation')),
    );
    return [...texts.map((text) => withoutTokens(text, candidate)), ...sources];
  }

  private partTexts(choice: number, content: JsonObject, part: JsonObject): readonly EventText[] {
    const kind = part['thought'] === true ? 'reasoning' : 'text';
    const { functionCall: call } = part;
    return [
      ...textAt(part, 'text', { choice, kind, index: 0 }),
      ...(isObject(call) ? this.callTexts(choice, content, part, call) : []),
      ...CALLS.flatMap((name) => jsonAt(part, name, this.next(choice, 'tool_call'))),
      ...RESULTS.flatMap((name) => jsonAt(part, name, this.next(choice, 'other'))),
    ];
  }

  /** Returns the channel of the next call, result or source. */
  private next(choice: number, kind: 'tool_call' | 'citation' | 'other'): StreamChannel {
    this.calls += 1;
    return { choice, kind, index: this.calls };
  }

  private callTexts(choice: number, content: JsonObject, part: JsonObject, call: JsonObject): EventText[] {
    const channel = this.next(choice, 'tool_call');
    const args: EventText = {
      channel,
      text: JSON.stringify(call['args'] ?? {}),
      holder: call,
      key: 'args',
      set: (other) => {
        const changed = parsed(other);
        if (changed !== undefined) part['functionCall'] = { ...call, args: changed };
        // A call without valid arguments is removed from its event.
        else content['parts'] = objectsIn(content['parts']).filter((one) => one !== part);
      },
    };
    return [...textAt(call, 'name', { ...channel, kind: 'tool_name' }), args];
  }

  private textChannels(candidate: JsonObject): readonly StreamChannel[] {
    const choice = numberOr(candidate['index'], 0);
    return [...this.channels.values()].filter((channel) => channel.choice === choice && !isWhole(channel));
  }
}

/** Members of a part with a call that arrives whole, other than `functionCall`. */
const CALLS = ['executableCode', 'toolCall'] as const;
/** Members of a part with the result of a call. */
const RESULTS = ['codeExecutionResult', 'functionResponse', 'toolResponse'] as const;

/** Whether the text of a channel arrives in one event. */
const isWhole = ({ kind }: Pick<StreamChannel, 'kind'>): boolean => kind !== 'text' && kind !== 'reasoning';

/** Returns the text; its candidate loses what repeats it, with it. */
const withoutTokens = (text: EventText, candidate: JsonObject): EventText => ({
  ...text,
  set: (other) => {
    text.set(other);
    delete candidate['logprobsResult'];
  },
});

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
