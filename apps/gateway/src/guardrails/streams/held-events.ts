import { Buffer } from 'node:buffer';
import type { StreamEnd } from '@gw/guardrails';
import type { JsonObject } from '@gw/providers';
import type { BodyBudget } from '../../bodies/body-budget';
import type { SentTexts } from './sent-texts';
import { keyOf, type ReadEvent, type StreamDialect } from './stream-dialect';

export interface HeldEvent {
  readonly event: Buffer;
  readonly body: JsonObject;
  readonly read: ReadEvent;
}

/** Maximum bytes of a stream that is held and judged as a whole. */
export const HELD_BYTES_MAX = 16 * 1_048_576;

/** The events of a held stream, in order. */
export class HeldEvents {
  private readonly events: HeldEvent[] = [];
  private bytes = 0;

  constructor(private readonly budget: BodyBudget) {}

  /** Holds an event; returns false when the memory is exhausted. */
  add(held: HeldEvent): boolean {
    const { length } = held.event;
    if (!this.budget.take(length)) return false;
    this.bytes += length;
    this.events.push(held);
    return true;
  }

  release(): void {
    this.budget.give(this.bytes);
    this.bytes = 0;
  }

  /**
   * Returns the events to send: unchanged when no text changed, otherwise with each text in the
   * event of its first piece.
   */
  released(rest: StreamEnd['rest'], said: SentTexts, dialect: StreamDialect): Buffer[] {
    const texts = new Map(rest.map(({ channel, text }) => [keyOf(channel), text]));
    const raw = new Map<string, string>();
    for (const { channel, text } of this.events.flatMap(({ read }) => read.texts))
      raw.set(keyOf(channel), (raw.get(keyOf(channel)) ?? '') + text);
    const sent = new Map<string, string>();
    for (const { channel } of this.events.flatMap(({ read }) => read.texts)) {
      const key = keyOf(channel);
      if (sent.has(key)) continue;
      const passed = texts.get(key) ?? '';
      sent.set(key, said.add(channel, raw.get(key) ?? '', passed) + said.close(channel, ''));
    }
    const isSame = [...raw].every(([key, text]) => sent.get(key) === text);
    return isSame ? this.events.map(({ event }) => event) : this.rewritten(sent, said, dialect);
  }

  /** Returns the index at which the event with the verdicts is inserted: before the end mark. */
  endAt(released: readonly Buffer[]): number {
    return this.events.at(-1)?.read.role === 'end' ? released.length - 1 : released.length;
  }

  private rewritten(sent: Map<string, string>, said: SentTexts, dialect: StreamDialect): Buffer[] {
    return this.events.map(({ body, read }) => {
      for (const text of read.texts) {
        const key = keyOf(text.channel);
        text.set(sent.get(key) ?? '');
        sent.set(key, '');
      }
      for (const repeat of read.repeats) repeat.set(said.sentFor(repeat.text));
      return dialect.encode(body);
    });
  }
}
