import { Buffer } from 'node:buffer';
import {
  hookResults,
  StreamGuard,
  type GuardrailResult,
  type StageVerdict,
  type StreamChannel,
  type StreamEnd,
} from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { errorEvent } from '../../http/error-body';
import { removeHeader } from '../../http/header-rules';
import type { Exchange } from '../exchange';
import { Reply, type Flow, type Settle } from '../reply';
import { Events } from '../splice/events';
import { dataOf, objectOf } from '../splice/splice';
import { Denial } from './denial';
import { HeldEvents, type HeldEvent } from './held-events';
import { keyOf, type EventText, type StreamDialect } from './stream-dialect';
import { SaidTexts } from './said-texts';

/** What a guarded stream is judged with. */
export interface StreamGuarding {
  readonly guard: StreamGuard;
  readonly dialect: StreamDialect;
  /** Of the request. */
  readonly before: StageVerdict;
  readonly note: (results: readonly GuardrailResult[]) => void;
}

/**
 * Writes a stream as its guardrails leave it. Takes the client's events from whatever sink reads the provider's, in any split. Text
 * that is denied never leaves: an error event stands in its place, and no end mark follows. What was held back of a stream that
 * breaks off is not sent.
 */
export class GuardedReply extends Reply {
  private readonly events = new Events();
  private readonly said: SaidTexts;
  private readonly held = new HeldEvents();
  /** The end mark has come, and the last verdict may still be waited for. */
  private ending = false;
  /** The end mark is written, or waits for the record. */
  private concluded = false;
  /** Nothing more is written, whatever comes. */
  private over = false;
  /** The sink has no more to say. */
  private closed = false;

  constructor(
    private readonly own: Exchange,
    settle: Settle,
    flow: Flow | null,
    keepBytes: number,
    private readonly guarding: StreamGuarding,
  ) {
    super(own, settle, flow, keepBytes);
    this.said = new SaidTexts(guarding.before.placeholders);
  }

  override start(status: number, headers: HeaderList): void {
    removeHeader(headers, 'content-length');
    super.start(status, headers);
  }

  override write(chunk: Buffer): void {
    if (this.over || this.ending || this.own.clientGone) return;
    const events = this.events.write(chunk);
    if (events === null) {
      this.stop(
        new GatewayError('provider_answer_invalid', { message: 'An event of the stream is too long.' }),
      );
      return;
    }
    for (const event of events) {
      if (this.over || this.ending) return;
      this.take(event);
    }
  }

  override seal(chunk: Buffer): void {
    this.write(chunk);
    if (!this.ending && !this.over) this.conclusion(EMPTY);
  }

  override end(last: Buffer | null): void {
    this.closed = true;
    if (last) this.write(last);
    if (this.over || (this.ending && !this.concluded)) return;
    this.over = true;
    super.end(null);
  }

  override break(): void {
    if (this.over) return;
    this.over = true;
    super.break();
  }

  private take(event: Buffer): void {
    const data = dataOf(event);
    if (data === null) {
      super.write(event);
      return;
    }
    if (data.trim() === '[DONE]') {
      this.conclusion(event);
      return;
    }
    // What nobody can read, nobody has judged.
    const body = objectOf(data);
    if (body === null) return;
    const { dialect, guard } = this.guarding;
    const read = dialect.read(body);
    if (read.role === 'error') super.write(event);
    else if (read.role === 'end' && !guard.holdsAll) this.conclusion(this.repeated({ event, body, read }));
    else if (guard.holdsAll) this.hold({ event, body, read });
    else this.pass({ event, body, read });
  }

  private hold(held: HeldEvent): void {
    for (const { channel, text } of held.read.texts) {
      const { denial } = this.guarding.guard.push(channel, text);
      if (denial) {
        this.deny(denial);
        return;
      }
    }
    if (!this.held.add(held)) {
      this.stop(
        new GatewayError('provider_answer_invalid', {
          message: 'The answer is larger than guardrails hold back.',
        }),
      );
    } else if (held.read.role === 'end') this.conclusion(EMPTY);
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
    super.write(isChanged ? this.guarding.dialect.encode(body) : this.repeated(event));
  }

  /** What may go on of a text, with what was held back before it; null: it is denied. */
  private through({ channel, text }: Pick<EventText, 'channel' | 'text'>): string | null {
    const step = this.guarding.guard.push(channel, text);
    const out = this.said.add(channel, text, step.text);
    if (step.denial === null) return out;
    if (out !== '') super.write(this.guarding.dialect.say(channel, out));
    this.deny(step.denial);
    return null;
  }

  /** False: what was held back is denied. */
  private flush(channel: StreamChannel): boolean {
    const { guard, dialect } = this.guarding;
    const step = guard.flush(channel);
    const rest = this.said.close(channel, step.text);
    if (rest !== '') super.write(dialect.say(channel, rest));
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

  private conclusion(endMark: Buffer): void {
    this.ending = true;
    const end = this.guarding.guard.end();
    if (!(end instanceof Promise)) this.conclude(end, endMark);
    else
      void end.then((done) => {
        if (!this.own.clientGone) this.conclude(done, endMark);
      });
  }

  private conclude({ verdict, rest }: StreamEnd, endMark: Buffer): void {
    const { before, note, dialect, guard } = this.guarding;
    if (verdict.outcome === 'deny') {
      this.deny(verdict);
      return;
    }
    note(verdict.results);
    this.concluded = true;
    const last: Buffer[] = guard.holdsAll ? this.held.released(rest, this.said, dialect) : this.rests(rest);
    if (before.outcome === 'mark' || verdict.outcome === 'mark')
      last.splice(
        guard.holdsAll ? this.held.endAt(last) : last.length,
        0,
        dialect.results(hookResults(before.results, verdict.results)),
      );
    super.seal(Buffer.concat([...last, endMark]));
    if (this.closed) super.end(null);
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
    const { before, note } = this.guarding;
    note(verdict.results);
    this.own.outcome = 'denied';
    this.stop(new Denial(verdict, before.results, verdict.results));
  }

  /** The client is told of it in its dialect, and the provider is not listened to any more. */
  private stop(error: GatewayError): void {
    const { own } = this;
    this.over = true;
    own.failure = error;
    if (own.outcome === 'ok') own.outcome = 'failed';
    own.openStream?.lost('Guardrails ended the stream.');
    super.end(errorEvent(error, own.route.dialect, own.id, false));
    own.answer?.call?.abort();
  }
}

const EMPTY = Buffer.alloc(0);
