import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type {
  AttemptRecord,
  DecisionRecord,
  LimitState,
  LogRecord,
  PriceLine,
  PromptRecord,
  RoutingEvent,
  SessionRecord,
  Usage,
} from '@gw/contracts';
import type { CacheControls, StoredAnswer } from '@gw/cache';
import type { CompiledConfig } from '@gw/config-schema';
import { GatewayError, type Share } from '@gw/kernel';
import type { Reservation } from '@gw/limits';
import type { JsonObject, MadeObject, ShallowScan } from '@gw/providers';
import { parsedBytes } from '../bodies/read-whole';
import type { SpooledBody } from '../bodies/spool/spooled-body';
import type { BatchOutput, PricedEarlier } from '../usage/use';
import type { MadeCharge } from '../usage/use';
import type { SessionParts } from '../usage/use';
import type { ClientUpgrade } from '../realtime/client-upgrade';
import type { SessionPart } from '../realtime/metering/session-meter';
import type { Route } from '../routes/route-table';
import type { RefusedKey } from '../auth/ended-keys';
import type { Principal } from '../auth/principals';
import type { Answer } from '../attempt/answer';
import type { Upstream } from './upstream';
import type { StreamPace } from '../attempt/stream-pace';
import type { CacheUse } from '../cache/cache-use';
import type { FirstAnswer } from '../idempotency/first-answer';
import type { RequestGuardrails } from '../guardrails/request-guardrails';
import type { ExtraUse } from '../usage/use';
import type { Reply } from '../reply/reply';

/** The `x-gw-*` headers of a request, read once. Null: not sent. */
export interface GatewayHeaders {
  readonly apiKey: string | null;
  readonly provider: string | null;
  readonly virtualKey: string | null;
  readonly config: string | null;
  readonly customHost: string | null;
  readonly forwardHeaders: readonly string[] | null;
  readonly requestTimeoutMs: number | null;
  /** What `strict_open_ai_compliance` of the target gives way to. */
  readonly strictOpenAi: boolean | null;
  readonly explain: boolean;
  /** `x-gw-models-endpoint`: the caller asks for the integrated models. */
  readonly modelsEndpoint: boolean;
  readonly logBodies: boolean;
  readonly cache: CacheControls;
  /** A provider key that the caller brought in `Authorization` or in the provider's own header. */
  readonly providerKey: string | null;
}

/**
 * One client request and what each stage has learnt about it. Stages fill it in the pipeline's order; a stage may rely on
 * what the ones before it have set.
 */
export class RequestContext {
  readonly startedAt = performance.now();
  readonly startedWallMs = Date.now();
  /** Its neighbours among the in-flight requests. */
  before: RequestContext | null = null;
  after: RequestContext | null = null;
  /** Of the answer, when the request was written down as in flight; -1: it was not. */
  notedBytes = -1;
  /** Calls that checks have made for it, whose cost its own record says. */
  checks: readonly RequestContext[] = NO_CHECKS;

  // accept
  gw!: GatewayHeaders;
  metadata: Readonly<Record<string, string>> = NO_METADATA;
  traceId = '';
  spanId: string | null = null;
  parentSpanId: string | null = null;
  spanName: string | null = null;

  // receive
  /** The whole body; empty when there is none or it is spooled. */
  body: Buffer = EMPTY;
  /** What body memory gives to its workspace; null: nothing is counted. */
  memory: Share | null = null;
  /** What the request holds of it, in bytes; given back when the request is settled. */
  heldBytes = 0;
  /** Set for a body too large for memory. */
  spooled: SpooledBody | null = null;
  /** Gives back what the body holds of the disk; called once, when the request is settled. */
  release: (() => void) | null = null;
  scan: ShallowScan | null = null;
  private parsed: JsonObject | null = null;

  // validate
  /** The saved prompt that the body was made of. */
  prompt: PromptRecord | null = null;
  /** The answer of a request that asks for no more than the rendered prompt. */
  rendered: Buffer | null = null;

  // authenticate
  principal: Principal | null = null;
  /** A key that is known, or was, and may not be used here; there is no principal then. */
  refusedKey: RefusedKey | null = null;

  // resolve
  config: CompiledConfig | null = null;
  configSource: DecisionRecord['config'] = NO_CONFIG;
  /** Of a saved config. */
  configId: string | null = null;

  /** The request for one of whose checks this call is made; null: it is a client's own. */
  madeFor: RequestContext | null = null;
  /** The guardrails that judge it; null: there are none. */
  guarding: RequestGuardrails | null = null;

  // admit
  /** Refusals; what was admitted says `reservation`. */
  limits: LimitState[] = [];
  /** In the limits of the caller; null: nothing limits it. */
  reservation: Reservation | null = null;

  // attempt
  /** Keeps the answer for the requests that repeat this one under its `Idempotency-Key`. */
  firstAnswer: FirstAnswer | null = null;
  /** The answer that this request repeats under its `Idempotency-Key`; no attempt is made then. */
  replayed: StoredAnswer | null = null;
  readonly attempts: AttemptRecord[] = [];
  /** Where the second call of a route that makes two went; null: there was none. */
  followed: string | null = null;
  /** Calls to providers so far. */
  calls = 0;
  strategy: readonly string[] = [];
  matchedCondition: string | null = null;
  /** What else routing took into account; complete once the attempts are over. */
  routing: readonly RoutingEvent[] = NO_EVENTS;
  /** What the client will get; null until an attempt was good enough, or all have failed. */
  answer: Answer | null = null;
  /** The upstream of the call in flight; null: none, or the answer has been picked. */
  requested: Upstream | null = null;
  /** The first call of a hedged pair while the second, which is `requested`, is in flight as well; null: there is none. */
  alongside: Upstream | null = null;
  /** The upstream of the call in flight when the client left before an answer was picked. */
  left: Upstream | null = null;
  /** What the cache did for the try that was begun last; null: there was none. */
  cacheUse: CacheUse | null = null;
  /** A stored answer was not good enough for the plan, so its repetition is not answered from the cache. */
  asksAnew = false;
  waitedMs = 0;
  /** Counted as busy with this request, until its answer is over; null where no strategy of the config asks for that. */
  busyEndpoint: string | null = null;
  /** Of an answer that is a stream, where the config has a use for it. */
  pace: StreamPace | null = null;
  /** The provider was sent a request for usage that the client has not requested and must not see. */
  hidesUsage = false;
  /** Set while the answer is a stream that another try could go on with. */
  openStream: OpenStream | null = null;
  /** What the client has of an answer that broke off, and the next try goes on from. */
  partial: string | null = null;
  /** Use of calls besides the one that answered; null: there was none. */
  extraUse: ExtraUse[] | null = null;

  // reply
  reply: Reply | null = null;
  /** What went wrong on our side of the answer; also the client's error when there was no answer. */
  failure: GatewayError | null = null;
  outcome: LogRecord['outcome'] = 'ok';
  status = 0;
  streamed = false;
  firstByteAt: number | null = null;
  responseBytes = 0;
  /** Bytes of a session's messages from the client, or of a spooled body; `body` is counted by its own length. */
  receivedBytes = 0;
  /** How the session ended, for a request that was upgraded to a WebSocket. */
  session: SessionRecord | null = null;
  /** Reads the answer's usage and model once it has gone by. */
  meter: {
    usage(): Usage | null;
    model(): string | null;
    /** The body as text, or its beginning where it was not kept whole; null: it is no JSON. */
    body?(): Buffer | null;
    /** Of a batch's output. */
    output?(): BatchOutput | null;
    /** Of a stream. */
    made?(): MadeObject | null;
    /** Of a stream whose end was not seen: what it said of its input. */
    begun?(): Usage | null;
    /** Of a session: what it is charged beyond what was charged already, if it ends now. */
    rest?(): readonly SessionPart[];
    /** Of a stream: a part of the output has ended, so that its usage may follow. */
    finished?(): boolean;
    /** Where there is something to wait for before the two can tell. Never rejects. */
    prepare?(): Promise<void>;
  } | null = null;

  // settle
  usage: Usage | null = null;
  price: {
    readonly source: string;
    readonly model: string | null;
    readonly lines: readonly PriceLine[];
  } | null = null;
  cost: number | null = null;
  /** What the answer is taken to have used, where it reported no usage; `cost` is an estimate then. */
  estimatedTokens: number | null = null;
  /** What the parts of a session were charged already. */
  parts: SessionParts | null = null;
  /** Of attempts whose answers no client got, then of the answer; null: the record's `cost` says it all. */
  charges: MadeCharge[] | null = null;
  /** The use is that of what other requests tell of too, which is charged once under its name; null: it is the request's own. */
  earlier: readonly PricedEarlier[] | null = null;
  /** What it has begun, whose use later answers tell; its own charge is a part of that. */
  begun: string | null = null;
  settled = false;

  /** Milliseconds of each stage, by the pipeline's order and `settle` last; negative: it did not run. */
  readonly stageMs = [-0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5];
  /** The client has gone: nothing more can be sent, and nothing more should be requested. */
  clientGone = false;
  private leaveListener: LeaveListener | null = null;

  constructor(
    readonly id: string,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly method: string,
    /** As the client sent it, with the query. */
    readonly url: string,
    /** With its leading `?`, or empty. */
    readonly query: string,
    /** Of a saved prompt: what it turns out to be, once it is rendered. */
    public route: Route,
    /** Set for a request that asks for a WebSocket; `res` answers it unless the upgrade is accepted. */
    readonly upgrade: ClientUpgrade | null = null,
  ) {
    // 'close' without a finished answer is the client leaving; a paused upstream would otherwise hold its socket for ever.
    res.on('close', () => {
      if (!res.writableFinished) this.abandon();
    });
  }

  /** Nothing more can be sent: work on the request ends. */
  abandon(): void {
    this.clientGone = true;
    this.leaveListener?.clientGone();
  }

  /** At most one listener: that of the work in progress. */
  whenClientGone(listener: LeaveListener | null): void {
    this.leaveListener = listener;
    if (listener && this.clientGone) listener.clientGone();
  }

  elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Puts another body in the place of the client's. */
  replaceBody(body: Buffer, parsed: JsonObject, scan: ShallowScan): void {
    this.body = body;
    this.parsed = parsed;
    this.scan = scan;
  }

  /** Something has read the whole body as JSON. */
  get isParsed(): boolean {
    return this.parsed !== null;
  }

  /**
   * The body as a JSON object, parsed at most once. Throws `body_invalid`, `body_too_large` for one of too many members, and
   * `unavailable` when there is no memory for it.
   */
  json(parse: (body: Buffer) => JsonObject): JsonObject {
    if (this.parsed === null) {
      this.hold(parsedBytes(this.body));
      this.parsed = parse(this.body);
    }
    return this.parsed;
  }

  /** Takes more of the workspace's share of body memory. Throws `unavailable` when there is no more. */
  hold(bytes: number): void {
    if (this.memory === null) return;
    if (!this.memory.take(bytes)) throw bodyMemoryFull();
    this.heldBytes += bytes;
  }

  /** Gives back what it holds beyond so much. */
  keep(bytes: number): void {
    const more = Math.max(0, this.heldBytes - bytes);
    this.memory?.give(more);
    this.heldBytes -= more;
  }

  /** Once, when nothing of the request is needed any more. */
  giveBack(): void {
    this.keep(0);
    this.release?.();
  }
}

/** What of a request decides where something is sent, and as what. */
export type RequestView = Pick<
  RequestContext,
  | 'gw'
  | 'metadata'
  | 'body'
  | 'spooled'
  | 'scan'
  | 'principal'
  | 'partial'
  | 'config'
  | 'configSource'
  | 'hidesUsage'
  | 'startedWallMs'
  | 'method'
  | 'query'
  | 'route'
  | 'upgrade'
  | 'json'
  | 'isParsed'
> & { readonly req: Pick<IncomingMessage, 'rawHeaders' | 'headers'> };

export interface LeaveListener {
  clientGone(): void;
}

/** A stream that is being handed on, and that `on_stream_failure: continue` watches. One of the calls ends it. */
export interface OpenStream {
  /** It came to its end. */
  completed(): void;
  /** It broke off, and nothing can go on from what the client has. */
  lost(reason: string): void;
  /** The client left. */
  left(): void;
  /** This answer, or what is left of it, does not go to the client. */
  drop(answer: Answer): void;
  /** It broke off. `done` follows; then `answer` is another stream that goes on from `text`, or the same one as before. */
  goOnFrom(text: string, reason: string, done: () => void): void;
}

export interface Stage {
  /** Throws `GatewayError` to end the request with it. Returns a promise only when it has to wait. */
  run(context: RequestContext): void | Promise<void>;
}

const bodyMemoryFull = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      "Request bodies hold the workspace's share of the gateway's memory; send the request again later.",
    headers: { 'retry-after': '1' },
  });

const EMPTY = Buffer.alloc(0);
const NO_CHECKS: readonly RequestContext[] = Object.freeze([]);
const NO_EVENTS: readonly RoutingEvent[] = Object.freeze([]);
const NO_METADATA: Readonly<Record<string, string>> = Object.freeze({});
const NO_CONFIG: DecisionRecord['config'] = Object.freeze({ source: 'none', slug: null, versionId: null });
