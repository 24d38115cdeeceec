import { Buffer } from 'node:buffer';
import {
  hookResults,
  type Eventually,
  type GuardrailResult,
  type StageVerdict,
  type StreamChannel,
  type StreamEnd,
  type StreamGuard,
} from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import type { BodyBudget } from '../../bodies/body-budget';
import { EventReader } from './event-reader';
import { HeldEvents, type HeldEvent } from './held-events';
import { SentTexts } from './sent-texts';
import { keyOf, type EventText, type StreamDialect } from './stream-dialect';

/** The parts that judge a streamed response. */
export interface StreamGuarding {
  readonly guard: StreamGuard;
  readonly dialect: StreamDialect;
  /** Verdict on the request. */
  readonly before: StageVerdict;
  /** When true, the client also receives the verdicts of a stream that passes. */
  readonly showsResults?: boolean;
  readonly note: (results: readonly GuardrailResult[]) => void;
}

/** Receives the events of a guarded response. Nothing follows `finish`, `deny` or `fail`. */
export interface GuardedOut {
  write(event: Buffer): void;
  /** Sends the last events, including the end mark. */
  finish(last: readonly Buffer[], isMarked: boolean): void;
  deny(verdict: StageVerdict): void;
  fail(error: GatewayError): void;
  /** True when the client has disconnected. */
  isGone(): boolean;
}

/**
 * A text of an event. `out` is the text to send: held text of earlier events and the part of this
 * one that may be sent.
 */
interface PassedText {
  readonly text: EventText;
  out: string;
}

/**
 * Judges the events of one streamed response, in any dialect. Denied text is never sent, nor is
 * held text of a response that has no end.
 */
export class GuardedEvents {
  private readonly sentTexts: SentTexts;
  private readonly held: HeldEvents;
  private readonly reader: EventReader;
  private isOver = false;

  constructor(
    private readonly guarding: StreamGuarding,
    private readonly out: GuardedOut,
    budget: BodyBudget,
  ) {
    this.sentTexts = new SentTexts(guarding.before.placeholders);
    this.held = new HeldEvents(budget);
    this.reader = new EventReader(guarding.dialect);
  }

  /** True after the end mark or a denial; later events do not belong to the response. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /**
   * Judges an event. Returns a promise when the final verdict has to be awaited. The message of an
   * error is not judged; model texts in the error's event are sent only as far as they repeat text
   * that was already sent. An event that cannot be judged is dropped.
   */
  take(event: Buffer, body: JsonObject): Eventually<void> {
    const read = this.isOver ? null : this.reader.read(body);
    if (read === null) return undefined;
    if (read.role === 'error') this.out.write(this.withRepeats({ event, body, read }));
    else if (this.guarding.guard.holdsAll) return this.hold({ event, body, read });
    else {
      const sent = this.judged({ event, body, read });
      if (sent === null) return undefined;
      if (read.role === 'end') return this.conclude(sent);
      this.out.write(sent);
    }
    return undefined;
  }

  /**
   * Gets the final verdict and ends the response. `endMark` is the event that closes the response.
   */
  conclude(endMark: Buffer): Eventually<void> {
    this.isOver = true;
    const end = this.guarding.guard.end();
    if (!(end instanceof Promise)) return this.applyEnd(end, endMark);
    return end.then((done) => {
      if (!this.out.isGone()) this.applyEnd(done, endMark);
    });
  }

  /** Frees the memory of held events. */
  release(): void {
    this.held.release();
  }

  private hold(held: HeldEvent): Eventually<void> {
    for (const { channel, text } of held.read.texts) {
      const { denial } = this.guarding.guard.push(channel, text);
      if (denial) {
        this.deny(denial);
        return undefined;
      }
    }
    if (this.held.add(held)) return held.read.role === 'end' ? this.conclude(EMPTY) : undefined;
    this.isOver = true;
    this.out.fail(tooLarge());
    return undefined;
  }

  /** Returns an event with its judged texts; null when it is denied, or has no text left. */
  private judged(event: HeldEvent): Buffer | null {
    const { read, body } = event;
    const passed: PassedText[] = [];
    for (const text of read.texts) {
      const step = this.guarding.guard.push(text.channel, text.text);
      passed.push({ text, out: this.sentTexts.add(text.channel, text.text, step.text) });
      if (step.denial) {
        this.denyAfter(step.denial, passed, text.channel);
        return null;
      }
    }
    for (const channel of read.closes) if (!this.flush(channel, passed)) return null;
    let [isChanged, isEmpty] = [false, read.isTextAlone];
    for (const { text, out } of passed) {
      if (out !== '') isEmpty = false;
      if (out === text.text) continue;
      text.set(out);
      isChanged = true;
    }
    if (isChanged && isEmpty) return null;
    const sent = this.withRepeats(event);
    return isChanged ? this.guarding.dialect.encode(body) : sent;
  }

  /**
   * Adds the rest of a channel to its last text in the event, or sends it before the event, which
   * then has no text of that channel. Returns false when it is denied.
   */
  private flush(channel: StreamChannel, passed: PassedText[]): boolean {
    const step = this.guarding.guard.flush(channel);
    const rest = this.sentTexts.close(channel, step.text);
    const last = passed.findLast(({ text }) => keyOf(text.channel) === keyOf(channel));
    if (last) last.out += rest;
    else this.writeText(channel, rest);
    if (step.denial) this.denyAfter(step.denial, passed, channel);
    return step.denial === null;
  }

  /** Sends the allowed text of the event in the channel, and denies the response. */
  private denyAfter(denial: StageVerdict, passed: readonly PassedText[], channel: StreamChannel): void {
    const out = passed
      .filter(({ text }) => keyOf(text.channel) === keyOf(channel))
      .map((each) => each.out)
      .join('');
    this.writeText(channel, out);
    this.deny(denial);
  }

  /** Sends more text of a channel, if its dialect can send such text alone. */
  private writeText(channel: StreamChannel, text: string): void {
    const event = text === '' ? EMPTY : this.guarding.dialect.textEvent(channel, text);
    if (event.length > 0) this.out.write(event);
  }

  /**
   * Returns the event with repetitions of earlier texts replaced by the text that was sent for
   * them.
   */
  private withRepeats({ event, body, read }: HeldEvent): Buffer {
    let isChanged = false;
    for (const repeat of read.repeats) {
      const out = this.sentTexts.sentFor(repeat.text);
      if (out === repeat.text) continue;
      repeat.set(out);
      isChanged = true;
    }
    return isChanged ? this.guarding.dialect.encode(body) : event;
  }

  private applyEnd({ verdict, rest }: StreamEnd, endMark: Buffer): void {
    const { before, note, dialect, guard, showsResults = false } = this.guarding;
    if (verdict.outcome === 'deny') {
      this.deny(verdict);
      return;
    }
    note(verdict.results);
    const last: Buffer[] = guard.holdsAll
      ? this.held.released(rest, this.sentTexts, dialect)
      : this.restEvents(rest);
    const isMarked = before.outcome === 'mark' || verdict.outcome === 'mark';
    if (isMarked || (showsResults && before.results.length + verdict.results.length > 0))
      last.splice(
        guard.holdsAll ? this.held.endAt(last) : last.length,
        0,
        dialect.resultsEvent(hookResults(before.results, verdict.results)),
      );
    this.out.finish(endMark.length === 0 ? last : [...last, endMark], isMarked);
  }

  private restEvents(rest: StreamEnd['rest']): Buffer[] {
    const { dialect } = this.guarding;
    const left = new Map(rest.map((each) => [keyOf(each.channel), each]));
    for (const channel of this.sentTexts.openChannels()) {
      if (!left.has(keyOf(channel))) left.set(keyOf(channel), { channel, text: '' });
    }
    return [...left.values()].flatMap(({ channel, text }) => {
      const out = this.sentTexts.close(channel, text);
      return out === '' ? [] : [dialect.textEvent(channel, out)];
    });
  }

  private deny(verdict: StageVerdict): void {
    this.isOver = true;
    this.guarding.note(verdict.results);
    this.out.deny(verdict);
  }
}

const EMPTY = Buffer.alloc(0);

const tooLarge = (): GatewayError =>
  new GatewayError('provider_answer_invalid', {
    message: 'The response is larger than guardrails can hold back.',
  });
