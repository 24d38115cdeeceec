import { addPiece } from '@gw/kernel';
import { codingOf, decode, type Decoded, OutboundError } from '@gw/outbound';
import { BodyBudget } from '../bodies/body-budget';
import { contentTypeOf, valueOf } from '../http/header-rules';
import { isEventStream, type GatewayResponse } from './gateway-response';
import { type BodySink } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import { FirstEvent, type StreamListener } from './first-event';
import { respondsWithJson, faultOfJson } from './response-check';

/**
 * Maximum bytes of a response that is held until it is complete; a longer response is forwarded
 * earlier.
 */
const HELD_BYTES_MAX = 10 * 1_048_576;
/**
 * Bytes of each response that do not count towards `ALL_BYTES_MAX`; a smaller response costs no
 * more memory than its connection.
 */
const UNCOUNTED_BYTES = 65_536;
/**
 * Maximum bytes of all responses that the process holds, or has released to slow clients and not
 * yet sent. At the maximum, responses are forwarded as they arrive.
 */
const ALL_BYTES_MAX = 128 * 1_048_576;

const budget = new BodyBudget(ALL_BYTES_MAX);

/**
 * Whether to hold the response until it is complete: true for plain JSON of a built-in route,
 * unless a guardrail has read it whole or it comes from the cache.
 */
function isHeld({ upstream, status, headers, guarded, cache }: GatewayResponse): boolean {
  if (upstream.support === null || status < 200 || status > 299) return false;
  return isJson(headers) && guarded?.kind !== 'body' && cache?.isHit !== true;
}

/** A single JSON value, as opposed to JSON lines. */
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json\b/i;
const PLAIN_JSON = 'application/json';

function isJson(headers: readonly string[]): boolean {
  const type = contentTypeOf(headers) ?? '';
  return type === PLAIN_JSON || JSON_TYPE.test(type);
}

/**
 * With `validate_response`, returns a fault that is known without waiting for the body, from the
 * content type or from a body that guardrails have read; null when none is known.
 */
function knownFault(response: GatewayResponse, context: RequestContext): OutboundError | null {
  const { status, headers, upstream, guarded } = response;
  if (!upstream.target.validateResponse || !respondsWithJson(context.route.kind)) return null;
  if (status < 200 || status > 299 || status === 204 || isEventStream(response)) return null;
  if (isJson(headers)) {
    const fault = guarded?.kind === 'body' ? faultOfJson(guarded.bytes) : null;
    return fault === null ? null : invalid(fault);
  }
  return invalid(`is ${valueOf(headers, 'content-type') ?? 'of no type'} instead of JSON`);
}

const invalid = (fault: string): OutboundError =>
  new OutboundError('interrupted', `validate_response: the response ${fault}.`);

/**
 * Holds a response until it is complete. No byte reaches the client until then, so another attempt
 * can replace a response that breaks off or stalls. With `validate_response` a response that is not
 * the JSON of a success fails too.
 */
class HeldResponse implements BodySink {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private countedBytes = 0;
  private isDone = false;

  constructor(
    private readonly response: GatewayResponse,
    private readonly context: RequestContext,
    private readonly listener: StreamListener,
  ) {}

  data(chunk: Buffer): void {
    if (this.isDone) {
      // Chunks kept before another sink was attached still arrive here; pass them on.
      this.response.onData(chunk);
      return;
    }
    addPiece(this.held, chunk);
    this.heldBytes += chunk.length;
    // Some providers send white space while they work, to keep the connection open. It must reach
    // the client at once.
    const isKeptAlive = this.heldBytes === chunk.length && isBlank(chunk);
    if (isKeptAlive || !this.hasRoom()) this.passOn();
  }

  end(): void {
    if (this.isDone) return;
    const { target } = this.response.upstream;
    if (target.validateResponse && respondsWithJson(this.context.route.kind)) this.validate();
    else this.passOn();
  }

  fail(error: OutboundError): void {
    if (this.isDone) return;
    this.isDone = true;
    this.forget();
    this.listener.failed(this.response, error);
  }

  private passOn(): void {
    if (this.isDone) return;
    this.isDone = true;
    const { response, held, countedBytes } = this;
    this.held = [];
    // A slow client keeps the bytes in memory until its connection closes. The connection of a
    // client that disconnected is closed already.
    if (this.context.clientGone) budget.give(countedBytes);
    else if (countedBytes > 0) this.context.res.once('close', () => budget.give(countedBytes));
    response.detach(held);
    this.listener.decidable(response);
  }

  private hasRoom(): boolean {
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
    const encoding = valueOf(this.response.headers, 'content-encoding');
    if (encoding === undefined || encoding === 'identity') {
      this.judge(Buffer.concat(this.held, this.heldBytes));
      return;
    }
    const coding = codingOf(encoding);
    const pieces: Buffer[] = [];
    const decoded =
      coding === null
        ? Promise.resolve<Decoded>('broken')
        : decode(this.held, coding, HELD_BYTES_MAX, (piece) => pieces.push(piece));
    this.context.guard(async () => {
      const end = await decoded;
      // Pass it on unchecked, like an unencoded response of this size.
      if (end === 'too_large') this.passOn();
      else this.judge(end === 'whole' ? Buffer.concat(pieces) : null);
    });
  }

  /** `body` is null when it could not be decoded. */
  private judge(body: Buffer | null): void {
    const fault = body === null ? 'could not be decoded' : faultOfJson(body);
    if (fault === null) {
      this.passOn();
      return;
    }
    // Keep the bytes readable, because the usage that they report still counts.
    this.response.detach(this.held);
    this.fail(invalid(fault));
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  return true;
}

/**
 * Waits until the plan can decide about a response: for its first event if `awaitsEvent`, for the
 * end of plain JSON, and otherwise only for its head.
 */
export function awaitResponse(
  response: GatewayResponse,
  context: RequestContext,
  awaitsEvent: boolean,
  listener: StreamListener,
): void {
  const { error, status } = response;
  if (error !== null && status === 0) {
    listener.failed(response, error);
    return;
  }
  const fault = knownFault(response, context);
  if (fault !== null) {
    response.call?.abort();
    listener.failed(response, fault);
  } else if (awaitsEvent && status < 300 && isEventStream(response))
    response.attach(new FirstEvent(response, listener));
  else if (isHeld(response)) response.attach(new HeldResponse(response, context, listener));
  else listener.decidable(response);
}
