import { Buffer } from 'node:buffer';
import type { HookResults, Member, StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** The text of a member of an event, and a setter that replaces it. */
export interface EventText extends Member {
  readonly channel: StreamChannel;
  readonly text: string;
  set(text: string): void;
}

/** One event of a stream as guardrails see it. */
export interface ReadEvent {
  readonly texts: readonly EventText[];
  /**
   * Channels that end in this event; their held text is added to their last text in this event, or
   * sent before it.
   */
  readonly closes: readonly StreamChannel[];
  /** `end`: the end mark; `error`: the provider reports a failure. */
  readonly role: 'plain' | 'end' | 'error';
  /** True when the event consists only of its texts, so it can be dropped when they are empty. */
  readonly isTextAlone: boolean;
  /** Whole texts that repeat streamed text, and all texts in an `error` event. */
  readonly repeats: readonly EventText[];
  /** Members without text of the response: data, and what repeats the request. */
  readonly notTexts?: readonly Member[];
}

/**
 * Reads and writes the events of one response in the client's dialect. It has state, so each
 * response needs its own instance.
 */
export interface StreamDialect {
  /** Reads an event. It must not change `body`; only the setters of the texts do. */
  read(body: JsonObject): ReadEvent;
  /**
   * Returns an event with more text of a channel that was read before; empty when the dialect sends
   * such text only whole.
   */
  textEvent(channel: StreamChannel, text: string): Buffer;
  encode(body: JsonObject): Buffer;
  resultsEvent(results: HookResults): Buffer;
}

export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];

/** Returns the text at `holder[key]`; an empty list when it is empty or not a string. */
export function textAt(holder: JsonObject, key: string, channel: StreamChannel): readonly EventText[] {
  const text = holder[key];
  if (typeof text !== 'string' || text === '') return [];
  return [
    {
      channel,
      text,
      holder,
      key,
      set: (other) => {
        holder[key] = other;
      },
    },
  ];
}

export const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

export const keyOf = ({ choice, kind, index }: StreamChannel): string =>
  `${String(choice)} ${kind} ${String(index)}`;

export const dataEvent = (body: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(body)}\n\n`);

export const namedEvent = (name: string, body: JsonObject): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(body)}\n\n`);
