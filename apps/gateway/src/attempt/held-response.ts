import { OutboundError } from '@gw/outbound';
import { BodyBudget } from '../bodies/body-budget';
import { valueOf } from '../http/header-rules';
import { isEventStream, type GatewayResponse } from './gateway-response';
import { type BodySink } from '../core/upstream';
import { codingOf, decode } from './decoding';
import type { RequestContext } from '../core/request-context';
import { FirstEvent, type StreamListener } from './first-event';
import { respondsWithJson, faultOfJson } from './response-check';

/** A longer answer is handed on before it is whole. */
const HELD_BYTES_MAX = 10 * 1_048_576;
/** What an answer holds beyond this counts towards the bytes of all of them; smaller ones cost no more than their connection does. */
const UNCOUNTED_BYTES = 65_536;
/** Bytes of all answers of the process that are held, or were and are not sent yet. At the cap answers are handed on as they come. */
const ALL_BYTES_MAX = 128 * 1_048_576;

const budget = new BodyBudget(ALL_BYTES_MAX);

/** Whether an answer is waited for until it is whole: plain JSON of a built-in route that no guardrail and no cache has held. */
function isHeld({ upstream, status, headers, guarded, cache }: GatewayResponse): boolean {
  if (upstream.support === null || status < 200 || status > 299) return false;
  return isJson(headers) && guarded?.kind !== 'body' && cache?.isHit !== true;
}

/** JSON as one value, unlike lines of it. */
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json\b/i;
const PLAIN_JSON = 'application/json';

function isJson(headers: readonly string[]): boolean {
  const type = valueOf(headers, 'content-type') ?? '';
  return type === PLAIN_JSON || JSON_TYPE.test(type);
}

/** With `validate_response` what is known to be wrong before the answer is waited for: its type, or what guardrails have read of it. */
function knownFault(answer: GatewayResponse, context: RequestContext): OutboundError | null {
  const { status, headers, upstream, guarded } = answer;
  if (!upstream.target.validateResponse || !respondsWithJson(context.route.kind)) return null;
  if (status < 200 || status > 299 || status === 204 || isEventStream(answer)) return null;
  if (isJson(headers)) {
    const fault = guarded?.kind === 'body' ? faultOfJson(guarded.bytes) : null;
    return fault === null ? null : invalid(fault);
  }
  return invalid(`is ${valueOf(headers, 'content-type') ?? 'of no type'} instead of JSON`);
}

const invalid = (fault: string): OutboundError =>
  new OutboundError('interrupted', `validate_response: the answer ${fault}.`);

/**
 * Keeps an answer until it is whole. Nothing of it was handed on until then, so that one that breaks off or stalls has failed, and
 * another try can take its place. With `validate_response` one that is not the JSON of a success has failed too.
 */
class HeldResponse implements BodySink {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private countedBytes = 0;
  private over = false;

  constructor(
    private readonly answer: GatewayResponse,
    private readonly context: RequestContext,
    private readonly listener: StreamListener,
  ) {}

  data(chunk: Buffer): void {
    if (this.over) {
      // What was kept before another sink was attached still comes through this one.
      this.answer.onData(chunk);
      return;
    }
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    // Some providers send white space while they are at work, so that nothing between them and the client gives up.
    const isKeptAlive = this.held.length === 1 && isBlank(chunk);
    if (isKeptAlive || !this.isRoomy()) this.handOn();
  }

  end(): void {
    if (this.over) return;
    const { target } = this.answer.upstream;
    if (target.validateResponse && respondsWithJson(this.context.route.kind)) this.validate();
    else this.handOn();
  }

  fail(error: OutboundError): void {
    if (this.over) return;
    this.over = true;
    this.forget();
    this.listener.broke(this.answer, error);
  }

  private handOn(): void {
    if (this.over) return;
    this.over = true;
    const { answer, held, countedBytes } = this;
    this.held = [];
    // A client that reads slowly keeps what was held in memory.
    if (countedBytes > 0) this.context.res.once('close', () => budget.give(countedBytes));
    answer.detach(held);
    this.listener.streams(answer);
  }

  private isRoomy(): boolean {
    if (this.heldBytes > HELD_BYTES_MAX) return false;
    const more = this.heldBytes - UNCOUNTED_BYTES - this.countedBytes;
    if (more <= 0) return true;
    if (!budget.take(more)) return false;
    this.countedBytes += more;
    return true;
  }

  private forget(): void {
    this.held = [];
    budget.give(this.countedBytes);
    this.countedBytes = 0;
  }

  private validate(): void {
    const encoding = valueOf(this.answer.headers, 'content-encoding');
    if (encoding === undefined || encoding === 'identity') {
      this.judge(Buffer.concat(this.held, this.heldBytes));
      return;
    }
    const coding = codingOf(encoding);
    const pieces: Buffer[] = [];
    const decoded =
      coding === null
        ? Promise.resolve(false)
        : decode(this.held, coding, HELD_BYTES_MAX, (piece) => pieces.push(piece));
    void decoded.then((isWhole) => this.judge(isWhole ? Buffer.concat(pieces) : null));
  }

  /** `body` null: its coding could not be undone. */
  private judge(body: Buffer | null): void {
    const fault = body === null ? 'could not be decoded' : faultOfJson(body);
    if (fault === null) {
      this.handOn();
      return;
    }
    // What it says that it used is read all the same.
    this.answer.detach(this.held);
    this.fail(invalid(fault));
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  return true;
}

/**
 * Waits until something can be decided about an answer: for its first event where `awaitsEvent` says so, for the end of a plain
 * JSON answer, else no longer than for its head.
 */
export function awaitResponse(
  answer: GatewayResponse,
  context: RequestContext,
  awaitsEvent: boolean,
  listener: StreamListener,
): void {
  const { error, status } = answer;
  if (error !== null && status === 0) {
    listener.broke(answer, error);
    return;
  }
  const fault = knownFault(answer, context);
  if (fault !== null) {
    answer.call?.abort();
    listener.broke(answer, fault);
  } else if (awaitsEvent && status < 300 && isEventStream(answer))
    answer.attach(new FirstEvent(answer, listener));
  else if (isHeld(answer)) answer.attach(new HeldResponse(answer, context, listener));
  else listener.streams(answer);
}
