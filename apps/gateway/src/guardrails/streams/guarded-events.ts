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
import { HeldEvents, type HeldEvent } from './held-events';
import { SaidTexts } from './said-texts';
import { keyOf, type EventText, type StreamDialect } from './stream-dialect';

/** What a streamed answer is judged with. */
export interface StreamGuarding {
  readonly guard: StreamGuard;
  readonly dialect: StreamDialect;
  /** Of the request. */
  readonly before: StageVerdict;
  /** The verdicts go to the client even where all is passed. */
  readonly showsResults?: boolean;
  readonly note: (results: readonly GuardrailResult[]) => void;
}

/** Where the events of a guarded answer go. After `finish`, `deny` or `fail` nothing more does. */
export interface GuardedOut {
  write(event: Buffer): void;
  /** The last events, the end mark among them. */
  finish(last: readonly Buffer[], isMarked: boolean): void;
  deny(verdict: StageVerdict): void;
  fail(error: GatewayError): void;
  /** No one waits for the answer any more. */
  isGone(): boolean;
}

/**
 * The events of one streamed answer as its guardrails leave them, in any dialect. Text that is denied never goes out, and neither does
 * what was held back of an answer that has no end.
 */
export class GuardedEvents {
  private readonly said: SaidTexts;
  private readonly held: HeldEvents;
  private isOver = false;

  constructor(
    private readonly guarding: StreamGuarding,
    private readonly out: GuardedOut,
    budget: BodyBudget,
  ) {
    this.said = new SaidTexts(guarding.before.placeholders);
    this.held = new HeldEvents(budget);
  }

  /** The end mark has come, or the answer is denied: later events are none of its. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Returns a promise where the last verdict has to be waited for. */
  take(event: Buffer, body: JsonObject): Eventually<void> {
    if (this.isOver) return undefined;
    const { dialect, guard } = this.guarding;
    const read = dialect.read(body);
    if (read.role === 'error') this.out.write(event);
    else if (read.role === 'end' && !guard.holdsAll)
      return this.conclude(this.repeated({ event, body, read }));
    else if (guard.holdsAll) return this.hold({ event, body, read });
    else this.pass({ event, body, read });
    return undefined;
  }

  /** `endMark`: what closes the answer once it has been judged. */
  conclude(endMark: Buffer): Eventually<void> {
    this.isOver = true;
    const end = this.guarding.guard.end();
    if (!(end instanceof Promise)) return this.concluded(end, endMark);
    return end.then((done) => {
      if (!this.out.isGone()) this.concluded(done, endMark);
    });
  }

  /** Gives back what it holds of the budget. */
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

  private pass(event: HeldEvent): void {
    const { read, body } = event;
    let [isChanged, isEmpty] = [false, read.isTextAlone];
    for (const text of read.texts) {
      const out = this.through(text);
      if (out === null) return;
      if (out !== '') isEmpty = false;
      if (out === text.text) continue;
      text.set(out);
      isChanged = true;
    }
    for (const channel of read.closes) if (!this.flush(channel)) return;
    if (isChanged && isEmpty) return;
    this.out.write(isChanged ? this.guarding.dialect.encode(body) : this.repeated(event));
  }

  /** What may go on of a text, with what was held back before it; null: it is denied. */
  private through({ channel, text }: Pick<EventText, 'channel' | 'text'>): string | null {
    const step = this.guarding.guard.push(channel, text);
    const out = this.said.add(channel, text, step.text);
    if (step.denial === null) return out;
    if (out !== '') this.out.write(this.guarding.dialect.say(channel, out));
    this.deny(step.denial);
    return null;
  }

  /** False: what was held back is denied. */
  private flush(channel: StreamChannel): boolean {
    const { guard, dialect } = this.guarding;
    const step = guard.flush(channel);
    const rest = this.said.close(channel, step.text);
    if (rest !== '') this.out.write(dialect.say(channel, rest));
    if (step.denial) this.deny(step.denial);
    return step.denial === null;
  }

  /** An event whose repetitions of earlier texts say what was sent of them. */
  private repeated({ event, body, read }: HeldEvent): Buffer {
    let isChanged = false;
    for (const repeat of read.repeats) {
      const out = this.said.sentFor(repeat.text);
      if (out === repeat.text) continue;
      repeat.set(out);
      isChanged = true;
    }
    return isChanged ? this.guarding.dialect.encode(body) : event;
  }

  private concluded({ verdict, rest }: StreamEnd, endMark: Buffer): void {
    const { before, note, dialect, guard, showsResults = false } = this.guarding;
    if (verdict.outcome === 'deny') {
      this.deny(verdict);
      return;
    }
    note(verdict.results);
    const last: Buffer[] = guard.holdsAll ? this.held.released(rest, this.said, dialect) : this.rests(rest);
    const isMarked = before.outcome === 'mark' || verdict.outcome === 'mark';
    if (isMarked || (showsResults && before.results.length + verdict.results.length > 0))
      last.splice(
        guard.holdsAll ? this.held.endAt(last) : last.length,
        0,
        dialect.results(hookResults(before.results, verdict.results)),
      );
    this.out.finish(endMark.length === 0 ? last : [...last, endMark], isMarked);
  }

  private rests(rest: StreamEnd['rest']): Buffer[] {
    const { dialect } = this.guarding;
    const left = new Map(rest.map((each) => [keyOf(each.channel), each]));
    for (const channel of this.said.open()) {
      if (!left.has(keyOf(channel))) left.set(keyOf(channel), { channel, text: '' });
    }
    return [...left.values()].flatMap(({ channel, text }) => {
      const out = this.said.close(channel, text);
      return out === '' ? [] : [dialect.say(channel, out)];
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
    message: 'The answer is larger than guardrails hold back.',
  });
