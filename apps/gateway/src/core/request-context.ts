import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { CacheControls } from '@gw/cache';
import type { CompiledConfig } from '@gw/routing';
import type { DecisionRecord } from '@gw/contracts';
import { GatewayError, type Share } from '@gw/kernel';
import type { JsonObject, ShallowScan } from '@gw/providers';
import type { GatewayResponse } from '../attempt/gateway-response';
import { RequestAttempts } from '../attempt/request-attempts';
import type { RefusedKey } from '../auth/ended-keys';
import type { GatewayPrincipal } from '../auth/principals';
import { parsedBytes } from '../bodies/read-whole';
import type { SpooledBody } from '../bodies/spool/spooled-body';
import type { RequestCache } from '../cache/request-cache';
import type { RequestGuardrails } from '../guardrails/request-guardrails';
import type { RequestHedge } from '../hedge/request-hedge';
import type { RequestIdempotency } from '../idempotency/request-idempotency';
import type { RequestLimits } from '../limits/request-limits';
import type { RequestMcp } from '../mcp/request-mcp';
import type { RequestAgent } from '../agents/request-agent';
import type { RequestPrompt } from '../prompts/request-prompt';
import type { ClientUpgrade } from '../realtime/client-upgrade';
import type { RequestSession } from '../realtime/request-session';
import { RequestReply } from '../reply/request-reply';
import type { Route } from '../routes/route-table';
import { RequestUsage } from '../usage/request-usage';
import type { Faults, Guard } from './faults';

/** The `x-gw-*` headers of a request, read once. Null when not sent. */
export interface GatewayHeaders {
  readonly apiKey: string | null;
  /**
   * The proof of a token that was sent as `Authorization: DPoP`, empty without the header; null for
   * other credentials.
   */
  readonly proof: string | null;
  /** Whether the headers are Portkey's, which the workspace must accept. */
  readonly isOfPortkey: boolean;
  readonly provider: string | null;
  readonly virtualKey: string | null;
  readonly config: string | null;
  readonly customHost: string | null;
  readonly forwardHeaders: readonly string[] | null;
  readonly requestTimeoutMs: number | null;
  /** Takes precedence over the target's `strict_open_ai_compliance`. */
  readonly strictOpenAi: boolean | null;
  readonly explain: boolean;
  /** `x-gw-models-endpoint`: the caller requests the list of integrated models. */
  readonly modelsEndpoint: boolean;
  readonly logBodies: boolean;
  readonly cache: CacheControls;
  /** A provider key that the caller sent in `Authorization` or in the provider's own header. */
  readonly providerKey: string | null;
}

/**
 * One client request: the facts that the first stages read from it, and a slot for each feature
 * that acts on it. Only the feature's folder writes its slot. A null slot means that the request
 * does not use the feature, and costs nothing. `slots.spec.ts` lists the folders that write each
 * field. A stage may rely on what earlier stages have set.
 */
export class RequestContext implements Guard {
  readonly startedAt = performance.now();
  readonly startedWallMs = Date.now();

  // Slots that every request fills
  readonly attempts = new RequestAttempts();
  readonly reply = new RequestReply();
  readonly usage = new RequestUsage();

  // Slots of features that the request may use
  prompt: RequestPrompt | null = null;
  guardrails: RequestGuardrails | null = null;
  /** Null when no limit applies to the request. */
  limits: RequestLimits | null = null;
  /** Null when the request has no `Idempotency-Key`. */
  idempotency: RequestIdempotency | null = null;
  cache: RequestCache | null = null;
  /** Null unless an MCP server is called. */
  mcp: RequestMcp | null = null;
  /** Null unless an agent is called. */
  agent: RequestAgent | null = null;
  /** Null when no second call is in flight. */
  hedge: RequestHedge | null = null;
  /** Null unless the request was upgraded to a WebSocket. */
  session: RequestSession | null = null;

  // In-flight requests
  before: RequestContext | null = null;
  after: RequestContext | null = null;
  /**
   * Bytes of the response when the in-flight record was last written; -1 when it was not written.
   */
  notedBytes = -1;
  /** Calls that guardrail checks made for this request, whose cost its own record includes. */
  checks: readonly RequestContext[] = NO_CHECKS;

  // Set by the front door
  /** The key that a Gemini client sent in its query; the front door has removed it from `query`. */
  queryKey: string | null = null;

  // Read by accept
  gw!: GatewayHeaders;
  metadata: Readonly<Record<string, string>> = NO_METADATA;
  traceId = '';
  spanId: string | null = null;
  parentSpanId: string | null = null;
  spanName: string | null = null;

  // Found by authenticate
  principal: GatewayPrincipal | null = null;
  /** A known key that may not be used on this path, or that has ended; `principal` is then null. */
  refusedKey: RefusedKey | null = null;

  // Read by receive
  /** The whole body; empty when the request has no body or the body is spooled. */
  body: Buffer = EMPTY;
  /** The workspace's share of body memory; null when it is not counted. */
  memory: Share | null = null;
  /** Bytes of `memory` that the request holds; freed when the request is settled. */
  heldBytes = 0;
  /** Set for a body too large for memory. */
  spooled: SpooledBody | null = null;
  /** Frees the disk space of the spooled body; called once, when the request is settled. */
  release: (() => void) | null = null;
  scan: ShallowScan | null = null;
  private parsed: JsonObject | null = null;

  // Found by resolve
  config: CompiledConfig | null = null;
  configSource: DecisionRecord['config'] = NO_CONFIG;
  /** Id of the saved config; null for an inline config or none. */
  configId: string | null = null;

  /**
   * For a call made by a guardrail check, the request that is checked; null for a client's own
   * request.
   */
  madeFor: RequestContext | null = null;
  /** The response for the client; null until an attempt succeeded or all have failed. */
  response: GatewayResponse | null = null;
  settled = false;

  /**
   * Milliseconds of each stage in pipeline order, with `settle` last; negative when the stage did
   * not run.
   */
  readonly stageMs = [-0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5];
  /** True for one of several requests whose responses share `res`. */
  isPart = false;
  /**
   * True once the client has disconnected: nothing more can be sent, and no further call should be
   * made.
   */
  clientGone = false;
  /** Ends the request early; null for requests that are answered at once. */
  containment: Containment | null = null;
  private leaveListener: LeaveListener | null = null;

  constructor(
    readonly id: string,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly method: string,
    /** URL as the client sent it, with the query. */
    readonly url: string,
    /** The query with its leading `?`, or empty. */
    readonly query: string,
    /** For a saved prompt, replaced by the actual route once the prompt is rendered. */
    public route: Route,
    /** Set for a WebSocket request; `res` carries the response unless the upgrade is accepted. */
    readonly upgrade: ClientUpgrade | null = null,
  ) {
    // A 'close' without a finished response means that the client disconnected. Without this
    // listener a paused upstream would hold its socket forever.
    res.on('close', () => {
      if (!res.writableFinished) this.guard(() => this.abandon());
    });
  }

  guard(work: () => unknown): void {
    const { containment } = this;
    if (containment === null) {
      work();
      return;
    }
    try {
      const pending = work();
      if (pending instanceof Promise)
        pending.catch((thrown: unknown) => {
          containment.contain(this, thrown);
        });
    } catch (thrown) {
      containment.contain(this, thrown);
    }
  }

  report(thrown: unknown): void {
    this.containment?.faults.ofRequest(this, thrown);
  }

  /** Ends work on the request, because nothing more can be sent. */
  abandon(): void {
    this.clientGone = true;
    this.leaveListener?.clientGone();
  }

  /** Sets the listener of the work in progress; there is at most one. */
  whenClientGone(listener: LeaveListener | null): void {
    this.leaveListener = listener;
    if (listener && this.clientGone) listener.clientGone();
  }

  /**
   * Adds a listener for a task within the work in progress and keeps the listener of that work.
   * Returns a function that removes the added listener.
   */
  alsoWhenClientGone(listener: LeaveListener): () => void {
    const before = this.leaveListener;
    const both: LeaveListener = {
      clientGone: () => {
        listener.clientGone();
        before?.clientGone();
      },
    };
    this.whenClientGone(both);
    return () => {
      if (this.leaveListener === both) this.leaveListener = before;
    };
  }

  elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /**
   * Makes this context a call of a check of `request`: it shares the caller, metadata and trace,
   * and has its own headers.
   */
  becomeCallFor(request: RequestContext, gw: GatewayHeaders): void {
    this.actOnBehalfOf(request);
    this.containment = request.containment;
    this.madeFor = request;
    this.gw = gw;
  }

  /**
   * Makes this context a request that the gateway itself makes for the caller of `request`, in the
   * same trace.
   */
  actOnBehalfOf(request: RequestContext): void {
    this.principal = request.principal;
    this.metadata = request.metadata;
    this.traceId = request.traceId;
    this.parentSpanId = request.spanId;
  }

  /**
   * Makes this context one message of a request with several: it shares the trace and, unless
   * `principal` is given, the caller, and has its own body.
   */
  becomePartOf(whole: RequestContext, body: Buffer, principal = whole.principal): void {
    this.isPart = true;
    this.gw = whole.gw;
    this.principal = principal;
    this.metadata = whole.metadata;
    this.traceId = whole.traceId;
    this.parentSpanId = whole.parentSpanId;
    this.body = body;
  }

  /** Replaces the client's body. */
  replaceBody(body: Buffer, parsed: JsonObject, scan: ShallowScan): void {
    this.body = body;
    this.parsed = parsed;
    this.scan = scan;
  }

  /** Replaces the received bytes, for example by ones that the log may store. */
  replaceBytes(body: Buffer): void {
    this.body = body;
  }

  /** True once the whole body was parsed as JSON. */
  get isParsed(): boolean {
    return this.parsed !== null;
  }

  /**
   * The body as a JSON object, parsed at most once. Throws `body_invalid`, `body_too_large` when it
   * has too many members, and `unavailable` when there is no memory for it.
   */
  json(parse: (body: Buffer) => JsonObject): JsonObject {
    if (this.parsed === null) {
      this.reserveMemory(parsedBytes(this.body));
      this.parsed = parse(this.body);
    }
    return this.parsed;
  }

  /**
   * Reserves bytes of the workspace's share of body memory. Throws `unavailable` when the share is
   * full.
   */
  reserveMemory(bytes: number): void {
    if (this.memory === null) return;
    if (!this.memory.take(bytes)) throw bodyMemoryFull();
    this.heldBytes += bytes;
  }

  /** Frees all held memory above `bytes`. */
  freeMemoryAbove(bytes: number): void {
    const more = Math.max(0, this.heldBytes - bytes);
    this.memory?.give(more);
    this.heldBytes -= more;
  }

  /**
   * Frees memory and disk space; called when the request no longer needs its body. Nothing that
   * arrives afterwards is counted, because nothing would free it.
   */
  releaseBody(): void {
    this.freeMemoryAbove(0);
    this.memory = null;
    this.release?.();
  }
}

/** The parts of a request that decide where it is sent, and in which form. */
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

/** Ends requests early. */
export interface Containment {
  readonly faults: Pick<Faults, 'ofRequest'>;
  /**
   * Ends a request because of an event elsewhere; without `error`, because the gateway stops. Never
   * throws.
   */
  interrupt(context: RequestContext, error?: GatewayError): void;
  /** Reports the exception and ends the request. Never throws. */
  contain(context: RequestContext, thrown: unknown): void;
}

export interface Stage {
  /**
   * Throws `GatewayError` to end the request with it. Returns a promise only when it has to wait.
   */
  run(context: RequestContext): void | Promise<void>;
}

const bodyMemoryFull = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      "Bodies of requests and responses hold the workspace's share of the gateway's memory; send the request again later.",
    headers: { 'retry-after': '1' },
  });

const EMPTY = Buffer.alloc(0);
const NO_CHECKS: readonly RequestContext[] = Object.freeze([]);
const NO_METADATA: Readonly<Record<string, string>> = Object.freeze({});
const NO_CONFIG: DecisionRecord['config'] = Object.freeze({ source: 'none', slug: null, versionId: null });
