import type { Buffer } from 'node:buffer';
import { StreamGuard, type Eventually, type StageVerdict, type StreamChannel } from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import type { BodyBudget } from '../../bodies/body-budget';
import { GuardedEvents, type GuardedOut } from '../streams/guarded-events';
import { ResponsesDialect } from '../streams/responses-dialect';
import type { SessionGuarding } from './session-guarding';
import { numberOr } from '../streams/stream-dialect';
import { isSound, messageOf } from './realtime-events';

/** An audio message that waits until the text before it is sent. */
interface HeldSound {
  readonly message: Buffer;
  readonly channel: StreamChannel;
  /** Number of characters of the channel that arrived before the audio. */
  readonly precedingLength: number;
}

export interface ResponseOut {
  toClient(message: Buffer): void;
  /** Ends the session with a denial; nothing more is sent to the client. */
  deny(verdict: StageVerdict): void;
  fail(error: GatewayError): void;
  isGone(): boolean;
}

/**
 * Passes the events of one session response through its guardrails. Audio is never sent before the
 * text that precedes it.
 */
export class GuardedResponse implements GuardedOut {
  readonly guard: StreamGuard;
  private readonly events: GuardedEvents;
  private readonly received = new Map<string, number>();
  private sound: HeldSound[] = [];

  constructor(
    { tools, output, facts, note }: SessionGuarding,
    /**
     * Verdict on the request as a whole; verdicts on the client's messages are reported separately.
     */
    before: StageVerdict,
    private readonly out: ResponseOut,
    private readonly budget: BodyBudget,
  ) {
    this.guard = new StreamGuard({ ...tools, guardrails: output, facts, request: null });
    const dialect = new ResponsesDialect((_type, body) => messageOf(body, false));
    const guarding = { guard: this.guard, dialect, before, note: note.bind(null, 'output') };
    this.events = new GuardedEvents(guarding, this, budget);
  }

  get hasEnded(): boolean {
    return this.events.hasEnded;
  }

  take(message: Buffer, event: JsonObject): Eventually<void> {
    const channel: StreamChannel = { choice: numberOr(event['output_index'], 0), kind: 'text', index: 0 };
    if (isSound(event) && !this.guard.holdsAll && this.guard.heldLength(channel) > 0) {
      this.holdSound(message, channel);
      return undefined;
    }
    if (typeof event['delta'] === 'string' && !isSound(event)) this.count(channel, event['delta'].length);
    const pending = this.events.take(message, event);
    if (!this.hasEnded) this.sendSound();
    return pending;
  }

  write(message: Buffer): void {
    this.sendSound();
    this.out.toClient(message);
  }

  finish(last: readonly Buffer[]): void {
    for (const { message } of this.sound) this.out.toClient(message);
    for (const message of last) this.out.toClient(message);
    this.release();
  }

  deny(verdict: StageVerdict): void {
    this.release();
    this.out.deny(verdict);
  }

  fail(error: GatewayError): void {
    this.release();
    this.out.fail(error);
  }

  isGone(): boolean {
    return this.out.isGone();
  }

  /** Discards held events and audio, and frees their memory. */
  release(): void {
    for (const { message } of this.sound) this.budget.give(message.length);
    this.sound = [];
    this.events.release();
  }

  private count({ choice }: StreamChannel, length: number): void {
    const key = String(choice);
    this.received.set(key, (this.received.get(key) ?? 0) + length);
  }

  private holdSound(message: Buffer, channel: StreamChannel): void {
    if (!this.budget.take(message.length)) {
      this.fail(
        new GatewayError('provider_answer_invalid', {
          message: 'The response is larger than guardrails can hold back.',
        }),
      );
      return;
    }
    this.sound.push({ message, channel, precedingLength: this.received.get(String(channel.choice)) ?? 0 });
  }

  /** Sends held audio in order, as far as the text before it is sent. */
  private sendSound(): void {
    while (this.sound.length > 0) {
      const [{ message, channel, precedingLength }] = this.sound as [HeldSound];
      const sentLength = (this.received.get(String(channel.choice)) ?? 0) - this.guard.heldLength(channel);
      if (sentLength < precedingLength) return;
      this.sound.shift();
      this.budget.give(message.length);
      this.out.toClient(message);
    }
  }
}
