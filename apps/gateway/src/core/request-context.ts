import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { CacheControls } from '@gw/cache';
import type { CompiledConfig } from '@gw/config-schema';
import type { DecisionRecord } from '@gw/contracts';
import { GatewayError, type Share } from '@gw/kernel';
import type { JsonObject, ShallowScan } from '@gw/providers';
import type { GatewayResponse } from '../attempt/gateway-response';
import { RequestAttempts } from '../attempt/request-attempts';
import type { RefusedKey } from '../auth/ended-keys';
import type { Principal } from '../auth/principals';
import { parsedBytes } from '../bodies/read-whole';
import type { SpooledBody } from '../bodies/spool/spooled-body';
import type { RequestCache } from '../cache/request-cache';
import type { RequestGuardrails } from '../guardrails/request-guardrails';
import type { RequestHedge } from '../hedge/request-hedge';
import type { RequestIdempotency } from '../idempotency/request-idempotency';
import type { RequestLimits } from '../limits/request-limits';
import type { RequestPrompt } from '../prompts/request-prompt';
import type { ClientUpgrade } from '../realtime/client-upgrade';
import type { RequestSession } from '../realtime/request-session';
import { RequestReply } from '../reply/request-reply';
import type { Route } from '../routes/route-table';
import { RequestUsage } from '../usage/request-usage';

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
 * One client request: what the first stages have read of it, and a slot for each feature that acts on it. Only the folder of a
 * feature writes its slot; a slot that is null costs a request nothing, because it does not use the feature. `slots.spec.ts` names
 * the folders that write each field. A stage may rely on what the stages before it have set.
 */
export class RequestContext {
  readonly startedAt = performance.now();
  readonly startedWallMs = Date.now();

  // Slots that every request fills
  readonly attempts = new RequestAttempts();
  readonly reply = new RequestReply();
  readonly usage = new RequestUsage();

  // Slots of features that the request may use
  prompt: RequestPrompt | null = null;
  guardrails: RequestGuardrails | null = null;
  /** Null: nothing limits the request. */
  limits: RequestLimits | null = null;
  /** Null: it has no `Idempotency-Key`. */
  idempotency: RequestIdempotency | null = null;
  cache: RequestCache | null = null;
  /** Null: no second call is in flight. */
  hedge: RequestHedge | null = null;
  /** Null: it was not upgraded to a WebSocket. */
  session: RequestSession | null = null;

  // In-flight requests
  before: RequestContext | null = null;
  after: RequestContext | null = null;
  /** Bytes of the response when the request was written down as in flight; -1: it was not. */
  notedBytes = -1;
  /** Calls that checks have made for it, and whose cost its own record has. */
  checks: readonly RequestContext[] = NO_CHECKS;

  // Read by accept
  gw!: GatewayHeaders;
  metadata: Readonly<Record<string, string>> = NO_METADATA;
  traceId = '';
  spanId: string | null = null;
  parentSpanId: string | null = null;
  spanName: string | null = null;

  // Found by authenticate
  principal: Principal | null = null;
  /** A key that is known, or was, and may not be used here; there is no principal then. */
  refusedKey: RefusedKey | null = null;

  // Read by receive
  /** The whole body; empty when there is none or it is spooled. */
  body: Buffer = EMPTY;
  /** The workspace's share of body memory; null: nothing is counted. */
  memory: Share | null = null;
  /** Bytes that the request holds of it; given back when the request is settled. */
  heldBytes = 0;
  /** Set for a body too large for memory. */
  spooled: SpooledBody | null = null;
  /** Gives back the disk that the body holds; called once, when the request is settled. */
  release: (() => void) | null = null;
  scan: ShallowScan | null = null;
  private parsed: JsonObject | null = null;

  // Found by resolve
  config: CompiledConfig | null = null;
  configSource: DecisionRecord['config'] = NO_CONFIG;
  /** Of a saved config. */
  configId: string | null = null;

  /** The request for one of whose checks this call is made; null: it is a client's own. */
  madeFor: RequestContext | null = null;
  /** The response that the client gets; null until an attempt was good enough, or all have failed. */
  answer: GatewayResponse | null = null;
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

  /** Makes it a call of a check of `request`: with its caller, metadata and trace, and headers of its own. */
  callFor(request: RequestContext, gw: GatewayHeaders): void {
    this.madeFor = request;
    this.gw = gw;
    this.principal = request.principal;
    this.metadata = request.metadata;
    this.traceId = request.traceId;
    this.parentSpanId = request.spanId;
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

/** The parts of a request that decide where something is sent, and as what. */
export type RequestView = Pick<
  RequestContext,
  | 'gw'
  | 'metadata'
  | 'body'
  | 'spooled'
  | 'scan'
  | 'principal'
  | 'config'
  | 'configSource'
  | 'startedWallMs'
  | 'method'
  | 'query'
  | 'route'
  | 'upgrade'
  | 'json'
  | 'isParsed'
> & {
  readonly req: Pick<IncomingMessage, 'rawHeaders' | 'headers'>;
  readonly attempts: Pick<RequestAttempts, 'partial'>;
};

export interface LeaveListener {
  clientGone(): void;
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
const NO_METADATA: Readonly<Record<string, string>> = Object.freeze({});
const NO_CONFIG: DecisionRecord['config'] = Object.freeze({ source: 'none', slug: null, versionId: null });
