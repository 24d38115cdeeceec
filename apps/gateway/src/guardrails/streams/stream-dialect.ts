import { Buffer } from 'node:buffer';
import type { HookResults, StreamChannel } from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** One text in an event, and how another one takes its place there. */
export interface EventText {
  readonly channel: StreamChannel;
  readonly text: string;
  set(text: string): void;
}

/** One event of a stream as guardrails see it. */
export interface ReadEvent {
  readonly texts: readonly EventText[];
  /** Channels of which no more is expected; what is held back of them belongs before this event. */
  readonly closes: readonly StreamChannel[];
  /** `end`: the end mark; `error`: the provider gives up. */
  readonly role: 'plain' | 'end' | 'error';
  /** It says nothing but its texts, so that it can go when they do. */
  readonly isTextAlone: boolean;
  /** Whole texts that repeat what was streamed. */
  readonly repeats: readonly EventText[];
}

/** How one answer is streamed in the client's dialect. Remembers what it has read: one for each answer. */
export interface StreamDialect {
  /** May change nothing of `body`; the texts' setters do. */
  read(body: JsonObject): ReadEvent;
  /** An event that says more of a channel that has been read. */
  say(channel: StreamChannel, text: string): Buffer;
  encode(body: JsonObject): Buffer;
  results(results: HookResults): Buffer;
}

export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];

/** The text `holder[key]`, where it is one that is not empty. */
export function textAt(holder: JsonObject, key: string, channel: StreamChannel): readonly EventText[] {
  const text = holder[key];
  if (typeof text !== 'string' || text === '') return [];
  return [
    {
      channel,
      text,
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
