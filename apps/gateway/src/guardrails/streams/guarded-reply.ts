import { Buffer } from 'node:buffer';
import type { Eventually, StageVerdict } from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { BodyBudget } from '../../bodies/body-budget';
import { errorBody, errorEvent } from '../../reply/error-body';
import { removeHeader } from '../../http/header-rules';
import { errorHeaders } from '../../reply/response-headers';
import type { RequestContext } from '../../core/request-context';
import { KEEP_ALIVE_COMMENT } from '../../reply/keep-alive';
import { Reply, type Flow, type Settle } from '../../reply/reply';
import { Events } from '../../reply/splice/events';
import { dataOf, objectOf } from '../../reply/splice/splice';
import { GuardrailDenial } from '../guardrail-denial';
import { GuardedEvents, type StreamGuarding } from './guarded-events';
import { HELD_BYTES_MAX } from './held-events';

/**
 * Judges and writes a stream. Accepts events in the client's dialect, split anywhere. Denied text
 * is never sent: an error event replaces it, and no end mark follows. When the whole stream is
 * held, the response head waits for the verdict, so that a denial has its own status. If a
 * keep-alive comment has already sent the head, a denial is an error event.
 */
export class GuardedReply extends Reply {
  private readonly events = new Events();
  private readonly guarded: GuardedEvents;
  /** True once the end mark is written or waits for the log record. */
  private concluded = false;
  /** The head that waits for the verdict; null once it is sent. */
  private head: { readonly status: number; readonly headers: HeaderList } | null = null;
  /** True once nothing more is written. */
  private isDead = false;
  /** True once the sink has ended. */
  private closed = false;

  constructor(
    private readonly requestContext: RequestContext,
    settle: Settle,
    flow: Flow | null,
    keepBytes: number,
    private readonly guarding: StreamGuarding,
  ) {
    super(requestContext, settle, flow, keepBytes);
    const out = {
      write: (event: Buffer) => this.pass(event),
      finish: (last: readonly Buffer[], isMarked: boolean) => this.finished(last, isMarked),
      deny: (verdict: StageVerdict) => this.deny(verdict),
      fail: (error: GatewayError) => this.stop(error),
      isGone: () => requestContext.clientGone,
    };
    this.guarded = new GuardedEvents(guarding, out, new BodyBudget(HELD_BYTES_MAX));
  }

  override start(status: number, headers: HeaderList): void {
    removeHeader(headers, 'content-length');
    if (this.guarding.guard.holdsAll) this.head = { status, headers };
    else super.start(status, headers);
  }

  override write(chunk: Buffer): void {
    if (this.isDone() || this.requestContext.clientGone) return;
    const events = this.events.write(chunk);
    if (events === null) {
      this.stop(
        new GatewayError('provider_answer_invalid', { message: 'An event of the stream is too long.' }),
      );
      return;
    }
    this.gather(() => {
      for (const event of events) {
        if (this.isDone()) return;
        this.take(event);
      }
    });
  }

  override seal(chunk: Buffer): void {
    this.write(chunk);
    if (!this.isDone()) this.await(this.guarded.conclude(EMPTY));
  }

  override end(last: Buffer | null): void {
    this.closed = true;
    if (last) this.write(last);
    // Streams of Gemini have no end mark.
    const { route, reply } = this.requestContext;
    if (route.dialect === 'gemini' && !this.isDone() && reply.failure === null)
      this.await(this.guarded.conclude(EMPTY));
    if (this.isDead || (this.guarded.hasEnded && !this.concluded)) return;
    this.isDead = true;
    this.open();
    super.end(null);
  }

  override break(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.open();
    super.break();
  }

  /** A verdict that fails ends the request. */
  private await(verdict: Eventually<void>): void {
    if (verdict !== undefined) this.requestContext.guard(() => verdict);
  }

  private isDone(): boolean {
    return this.isDead || this.guarded.hasEnded;
  }

  private take(event: Buffer): void {
    const data = dataOf(event);
    if (data === null) {
      // Provider comments do not send a waiting head, because they may arrive early and carry no
      // information. Their texts are not judged, so they are not sent.
      const isOwn = KEEP_ALIVE_COMMENT.equals(event);
      if (this.head === null || isOwn) this.pass(isOwn ? event : EMPTY_COMMENT);
      return;
    }
    if (data.trim() === '[DONE]') {
      this.await(this.guarded.conclude(isPlainEvent(event) ? event : DONE));
      return;
    }
    // An event that cannot be parsed was not judged, so it is dropped.
    const body = objectOf(data);
    if (body === null) return;
    const sent = isPlainEvent(event) ? event : this.guarding.dialect.encode(body);
    this.await(this.guarded.take(sent, body));
  }

  /** Sends the head if it is still waiting. */
  private open(status = this.head?.status ?? 0): void {
    if (this.head === null) return;
    const { headers } = this.head;
    this.head = null;
    super.start(status, headers);
  }

  private pass(event: Buffer): void {
    this.open();
    super.write(event);
  }

  private finished(last: readonly Buffer[], isMarked: boolean): void {
    this.concluded = true;
    if (isMarked) this.open(MARKED);
    this.open();
    super.seal(Buffer.concat(last));
    if (this.closed) super.end(null);
  }

  private deny(verdict: StageVerdict): void {
    this.stop(new GuardrailDenial(verdict, this.guarding.before.results, verdict.results));
  }

  /** Reports the error to the client in its dialect, and aborts the provider call. */
  private stop(error: GatewayError): void {
    const { requestContext } = this;
    this.isDead = true;
    requestContext.reply.fail(error);
    requestContext.attempts.openStream?.lost('Guardrails ended the stream.');
    const { dialect } = requestContext.route;
    if (this.head === null) super.end(errorEvent(error, dialect, requestContext.id, false));
    else {
      this.head = null;
      super.start(error.status, errorHeaders(error, requestContext));
      super.end(errorBody(error, dialect, requestContext.id));
    }
    requestContext.response?.call?.abort();
  }
}

const EMPTY = Buffer.alloc(0);
/** Status of a marked response. */
const MARKED = 246;
const EMPTY_COMMENT = Buffer.from(':\n\n');
const DONE = Buffer.from('data: [DONE]\n\n');
const PLAIN_LINE = /^(?:data:|(?:event|id|retry): ?[\w.:-]*$|$)/;

/**
 * Whether an event has nothing but data and names. Other lines are not judged, and some clients find
 * data in them, because they know more ends of lines.
 */
const isPlainEvent = (event: Buffer): boolean =>
  event
    .toString('latin1')
    .split(/\r\n?|\n/)
    .every((line) => PLAIN_LINE.test(line));
