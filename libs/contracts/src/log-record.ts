import type { Loss } from '@gw/kernel';
import type { LogFields } from './log-fields';

/**
 * Tokens as the provider reports them. `inputTokens` includes cached tokens, `outputTokens`
 * includes reasoning tokens.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /**
   * The part of `cacheWriteTokens` that the provider keeps for an hour, at a higher price. Absent:
   * none.
   */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens: number;
  readonly inputAudioTokens: number;
  readonly outputAudioTokens: number;
}

/** How an attempt ended. */
export type AttemptEnd =
  /** The provider responded with a status below 400. */
  | 'answered'
  /** The provider responded with a status of 400 or above. */
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'interrupted'
  /** The provider responded with a redirect. */
  | 'redirected'
  /** The gateway sent nothing, because it does not allow the custom host. */
  | 'refused'
  | 'client_closed'
  /** The gateway sent nothing for another reason, such as a limit of the target; see `reason`. */
  | 'skipped'
  /** A guardrail denied the request, or withheld the response. */
  | 'denied'
  /** The other request of a hedged pair got a response first. */
  | 'cancelled';

export interface AttemptRecord {
  /** JSON path of the target: `config`, `config.targets[1].targets[0]`. */
  readonly target: string;
  readonly provider: string;
  /** Slug of the saved provider. Null: the request contained its own credential. */
  readonly credential: string | null;
  readonly model: string | null;
  /** 0 for the first attempt of this target. */
  readonly retry: number;
  readonly status: number | null;
  readonly end: AttemptEnd;
  /** Public text, such as the rule that skipped the target. */
  readonly reason: string | null;
  /** Milliseconds since the start of the request, with fractions. */
  readonly startedMs: number;
  readonly durationMs: number;
  /**
   * Milliseconds that the gateway waited before this attempt: back-off, or the `retry-after` of the
   * provider. Absent: none.
   */
  readonly waitedMs?: number;
  /** Which request of a hedged pair this is. Absent: the attempt was not hedged. */
  readonly hedge?: 'first' | 'second';
  /**
   * Members of the client's body that a translation could not express for this provider: at most
   * 100 entries. Absent: none.
   */
  readonly losses?: readonly Loss[];
  /** Number of losses beyond those in `losses`. Absent: 0. */
  readonly moreLosses?: number;
}

/** An event that influenced routing, besides the config itself. */
export interface RoutingEvent {
  /** JSON path of the target or strategy. */
  readonly target: string;
  readonly event:
    /** Skipped because its breaker is open. */
    | 'breaker_open'
    /** Attempted to test whether it has recovered. */
    | 'breaker_probe'
    /** Attempted although its breaker is open, because no other target was left. */
    | 'breaker_bypassed'
    /** Its breaker opened or closed because of this request. */
    | 'breaker_opened'
    | 'breaker_closed'
    /** Moved to the end because its credential was refused recently. */
    | 'credential_failing'
    /** Skipped because it is rate limited. */
    | 'rate_limited'
    /** Attempted instead of a retry, because another target of the same choice was rate limited. */
    | 'rotated'
    /** Not retried because the workspace's retry budget is used up. */
    | 'retry_budget_spent'
    /** Not retried because the wait would exceed the bound of all waits. */
    | 'wait_budget_spent'
    /**
     * Not followed by another call, or not hedged, because the request has reached its maximum
     * number of calls.
     */
    | 'call_limit_reached'
    /** Got a second request because the first one was slow. */
    | 'hedged'
    /** Not hedged because hedging has reached its cost limit for now. */
    | 'hedge_budget_spent'
    /** Called to continue a stream that broke off. */
    | 'stream_continued';
}

export interface LimitState {
  readonly scope: 'api_key' | 'workspace' | 'provider' | 'integration' | 'policy';
  readonly id: string;
  readonly type: string;
  readonly limit: number;
  readonly used: number;
  readonly resetAt: string | null;
  readonly verdict: 'admitted' | 'refused';
}

/** The reason for a charge. */
export type ChargeLine = 'primary' | 'retry' | 'fallback' | 'hedge' | 'guardrail' | 'embedding' | 'tool';

/**
 * The charge for one response of a provider. The durable state of every budget is the sum of these
 * records.
 */
export interface ChargeRecord {
  readonly line: ChargeLine;
  readonly provider: string;
  /** 1e-8 USD. Null: unpriced. */
  readonly cost: number | null;
  readonly tokens: number;
  /** 1 for the response that the client received. */
  readonly requests: 0 | 1;
  /** `estimated`: the provider reported no usage, or an implausible one. */
  readonly flags: readonly ('estimated' | 'unpriced')[];
  /**
   * Name of a resource that one request creates and later requests may report again. All
   * records with the same name are charged once, with the highest of their values. Starts with the
   * kind (`batch`, `response`, `thread.run`) and a space.
   */
  readonly once?: string;
  /**
   * Counters of the charged budgets: key, start of the period by the counter's clock (Unix
   * milliseconds), and the name of the gateway that counts it.
   */
  readonly counters: readonly (readonly [key: string, period: number, holder?: string])[];
}

/** Maximum number of names in one record. */
export const ONCE_MAX = 128;

/** Returns whether a charge is for a batch, which has a lower price. */
export const isOfBatch = ({ once }: ChargeRecord): boolean => once?.startsWith('batch ') === true;

/** How a WebSocket session ended. */
export interface SessionRecord {
  readonly closedBy: 'client' | 'provider' | 'gateway';
  /**
   * Close code of RFC 6455. 1005: a close frame without a code; 1006: the connection ended without
   * a close frame.
   */
  readonly code: number;
  /** At most 123 bytes. */
  readonly reason: string;
  readonly clientMessages: number;
  readonly providerMessages: number;
}

/** A request to an MCP server. */
export interface McpRecord {
  /**
   * Slug of the server, or of the toolset when the request reached no server; `-`: all servers of
   * the workspace.
   */
  readonly server: string;
  /**
   * Slug of the toolset whose address was called; `-`: all servers. Absent: the server's own
   * address.
   */
  readonly toolset?: string;
  /** Name that the client used, when it is not `name`. */
  readonly shownName?: string;
  /** Method of MCP, such as `tools/call`. */
  readonly method: string;
  /**
   * The server's own name of the tool or prompt, or the URI of the resource. Null: none was found.
   */
  readonly name: string | null;
  /** Revision of MCP that the client speaks. */
  readonly revision: string;
  /** Name and version that the client reports. */
  readonly client: string | null;
  /** Whether the result reports that the tool failed. */
  readonly isError: boolean;
  /** SHA-256 of the arguments as canonical JSON, hex; null for requests without arguments. */
  readonly argumentsDigest: string | null;
  /** Number of the server's requests for input to which the client responded. */
  readonly inputs: number;
  /**
   * Id of the request as its client wrote it, at most 128 characters. Absent in records of earlier
   * releases.
   */
  readonly requestId?: string;
  /** A name for the client's session that does not grant access to it. Absent without a session. */
  readonly session?: string;
  /** Code of the JSON-RPC error that the client received. Absent: it received none. */
  readonly errorCode?: number;
  /** Id of the approval that the call used, waits for, or that rejected it. Absent: none. */
  readonly approvalId?: string;
}

/** A request to an agent (A2A). */
export interface AgentRecord {
  /** Slug of the agent. */
  readonly agent: string;
  /** Operation by its method of A2A 1.0, such as `SendMessage`. */
  readonly operation: string;
  /** Version of A2A and binding that the client speaks. */
  readonly version: '0.3' | '1.0';
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  /** Version of A2A that the agent speaks. */
  readonly agentVersion: '0.3' | '1.0';
  /** Id of the skill that the message names; null for none. */
  readonly skill: string | null;
  readonly taskId: string | null;
  readonly contextId: string | null;
  /** Last state of the task that the agent reported, as A2A 1.0 names it; null for none. */
  readonly state: string | null;
  /** Number of stream events forwarded to the client. */
  readonly events: number;
  /** Number of artifacts that the agent sent, and the bytes of their parts as JSON. */
  readonly artifacts: number;
  readonly artifactBytes: number;
  /** Number of parts of the client's message, by kind. */
  readonly parts: { readonly text: number; readonly file: number; readonly data: number };
}

/** The saved prompt from which the request was rendered. */
export interface PromptRecord {
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  /** Starts at 1. */
  readonly version: number;
}

/**
 * The embeddings call that created the vector of a semantic cache lookup. A request makes it once
 * for all its attempts; `DecisionRecord.charges` lists every call.
 */
export interface CacheEmbedding {
  readonly provider: string;
  readonly credential: string | null;
  readonly model: string | null;
  readonly inputTokens: number | null;
  /** 1e-8 USD, included in the request's cost. Null: unknown. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/** The result of the cache lookup. */
export interface CacheRecord {
  /** `DISABLED`, `HIT`, `MISS`, `REFRESH`, `SEMANTIC HIT` or `SEMANTIC MISS`. */
  readonly status: string;
  /** Cache key of the exact-match entry. Null: there was no lookup. */
  readonly key: string | null;
  /** Cosine similarity of a semantic hit. */
  readonly similarity?: number;
  /** The failure that may have prevented a hit. */
  readonly failure?: 'store_unavailable' | 'embeddings_failed';
  /** The response comes from the call of another request that was in flight. */
  readonly shared?: true;
  /** Cost of the avoided call, in 1e-8 USD. Absent: no call was avoided, or the cost is unknown. */
  readonly savedCost?: number;
  readonly embedding?: CacheEmbedding;
}

/**
 * The result of one guardrail for one attempt. Contains the number and kind of findings, never
 * their text.
 */
export interface GuardrailRecord {
  readonly stage: 'input' | 'output';
  /** Slug, or the name of an inline guardrail. */
  readonly id: string;
  readonly versionId: string | null;
  readonly verdict: boolean;
  /** Whether a failed verdict ends the request. */
  readonly deny: boolean;
  /** Whether it ran in the background of the request. */
  readonly async: boolean;
  /** Whether it only observes. */
  readonly monitor: boolean;
  readonly transformed: boolean;
  readonly durationMs: number;
  readonly checks: readonly GuardrailCheckRecord[];
  /**
   * Feedback that the guardrail's actions add to the request's trace. Null: none for this verdict.
   */
  readonly feedback: {
    readonly value: number;
    readonly weight: number;
    readonly metadata: Readonly<Record<string, unknown>>;
  } | null;
}

export interface GuardrailCheckRecord {
  readonly id: string;
  readonly verdict: boolean;
  readonly transformed: boolean;
  readonly durationMs: number;
  /** Why the check could not decide. Null: it decided. */
  readonly error: string | null;
}

/** A stage of a request whose time is recorded. */
export type TimedStage =
  'accept' | 'authenticate' | 'receive' | 'validate' | 'resolve' | 'admit' | 'attempt' | 'reply' | 'settle';

/**
 * Why the request was routed and handled as it was. Stored with the log, returned for
 * `x-gw-explain: 1`.
 */
export interface DecisionRecord {
  readonly config: {
    /** `guardrail`: a check called a model after its request had ended. */
    readonly source: 'header' | 'key' | 'workspace' | 'guardrail' | 'none';
    readonly slug: string | null;
    readonly versionId: string | null;
  };
  readonly strategy: readonly string[];
  readonly matchedCondition: string | null;
  readonly attempts: readonly AttemptRecord[];
  /** At most 50. Absent: none. */
  readonly routing?: readonly RoutingEvent[];
  readonly limits: readonly LimitState[];
  /** Absent: no budget was charged, and `cost` of the record covers everything. */
  readonly charges?: readonly ChargeRecord[];
  /** At most 100. */
  readonly guardrails: readonly GuardrailRecord[];
  readonly cache: CacheRecord;
  readonly price: {
    readonly source: string;
    readonly model: string | null;
    readonly lines: readonly PriceLine[];
  } | null;
  /** Absent: the request was not upgraded to a WebSocket. */
  readonly session?: SessionRecord;
  /** Absent: the request named no prompt. */
  readonly prompt?: PromptRecord;
  /** Absent: no MCP server was called. */
  readonly mcp?: McpRecord;
  /** Absent: no agent was called. */
  readonly agent?: AgentRecord;
  /**
   * Whether this was the first request with its `Idempotency-Key` or a repetition. Absent: it had
   * no key.
   */
  readonly idempotency?: 'first' | 'replayed';
  /**
   * Present if the gateway's clock was far off: its time. The log is then stored under the time of
   * its arrival.
   */
  readonly clockSkewed?: { readonly createdAt: string };
  /** Milliseconds by `TimedStage`; records of another release may have other stages. */
  readonly stages: Readonly<Record<string, number>>;
}

export interface PriceLine {
  readonly unit: string;
  readonly quantity: number;
  /** 1e-8 USD per million units, an integer. */
  readonly pricePerMillion: number;
  /** 1e-8 USD, an integer. */
  readonly cost: number;
}

/**
 * One request to the data plane, including denied and failed ones. Times are ISO 8601 in UTC; money
 * is in integers of 1e-8 USD. `LOG_FIELDS` declares the members that have columns of their own.
 */
export interface LogRecord extends LogFields {
  /** Marks a record that was sent before and now adds late verdicts. Absent: the first record. */
  readonly amends?: true;
  /**
   * A UUID (`uuidv7`) that the gateway generates, never a caller's request id. A store keeps one
   * record per id and time.
   */
  readonly id: string;
  readonly createdAt: string;
  readonly usage: Usage | null;
  readonly decision: DecisionRecord;
}
