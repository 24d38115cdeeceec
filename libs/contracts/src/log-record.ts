import type { LogFields } from './log-fields';

/** Tokens as the provider reports them. `inputTokens` includes cached ones, `outputTokens` includes reasoning ones. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens` that the provider keeps for an hour, at a higher price. Absent: none. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens: number;
  readonly inputAudioTokens: number;
  readonly outputAudioTokens: number;
}

/** Why an attempt ended. */
export type AttemptEnd =
  | 'answered'
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'interrupted'
  /** The provider answered with a redirect. */
  | 'redirected'
  | 'refused'
  | 'client_closed'
  | 'skipped'
  /** A guardrail denied the request, or withheld the answer. */
  | 'denied'
  /** The other one of a hedged pair answered first. */
  | 'cancelled';

export interface AttemptRecord {
  /** JSON path of the target: `config`, `config.targets[1].targets[0]`. */
  readonly target: string;
  readonly provider: string;
  /** Slug of the saved provider, or null when the request named its own. */
  readonly credential: string | null;
  readonly model: string | null;
  /** 0 is the first try of this target. */
  readonly retry: number;
  readonly status: number | null;
  readonly end: AttemptEnd;
  /** Public text, such as the rule that skipped the target. */
  readonly reason: string | null;
  /** From the start of the request, whole milliseconds with fractions. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Which one of a hedged pair this is. Absent: the attempt was not hedged. */
  readonly hedge?: 'first' | 'second';
  /** Paths of the client's body that the provider does not take and was not sent: the first 50, then how many more. Absent: none. */
  readonly dropped?: readonly string[];
}

/** Something that routing took into account besides the config itself. */
export interface RoutingEvent {
  /** JSON path of the target, or of the strategy, that it is about. */
  readonly target: string;
  readonly event:
    /** Passed over: its breaker is open. */
    | 'breaker_open'
    /** Tried to see whether it is well again. */
    | 'breaker_probe'
    /** Tried although its breaker is open, since nothing else was left. */
    | 'breaker_bypassed'
    /** Its breaker opened, or closed, with this request. */
    | 'breaker_opened'
    | 'breaker_closed'
    /** Put last: its credential was refused lately. */
    | 'credential_failing'
    /** Passed over: it is rate limited. */
    | 'rate_limited'
    /** Tried in place of a repetition, since its neighbour was rate limited. */
    | 'rotated'
    /** Not repeated: the process has no retries left for now. */
    | 'retry_budget_spent'
    /** Not repeated: the wait is longer than waits may be. */
    | 'wait_budget_spent'
    /** Not followed by another call, or not given a second one: the request has made as many as it may. */
    | 'call_limit_reached'
    /** Got a second request, since the first one took long. */
    | 'hedged'
    /** Got no second request: those have cost what they may for now. */
    | 'hedge_budget_spent'
    /** Called to continue a stream that had broken off. */
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

/** What a charge represents. */
export type ChargeLine = 'primary' | 'retry' | 'fallback' | 'hedge' | 'guardrail';

/** What one answer of a provider was charged to. The durable record of every budget is the sum of these. */
export interface ChargeRecord {
  readonly line: ChargeLine;
  readonly provider: string;
  /** 1e-8 USD; null: unpriced. */
  readonly cost: number | null;
  readonly tokens: number;
  /** 1 for the answer that the client got. */
  readonly requests: 0 | 1;
  /** `estimated`: the provider did not count, or could not mean what it counted. */
  readonly flags: readonly ('estimated' | 'unpriced')[];
  /**
   * What an earlier request has made, and any later one may ask for. The records that name it charge together the most that any of them says. Begins
   * with the kind of it (`batch`, `response`, `thread.run`) and a space.
   */
  readonly once?: string;
  /** Budgets' counters, the period of each by the counter's own clock (Unix milliseconds), and the name of the gateway that counts it there. */
  readonly counters: readonly (readonly [key: string, period: number, holder?: string])[];
}

/** Names that one record charges once. */
export const ONCE_MAX = 128;

/** Whether a charge is of a batch, which is sold at a discount. */
export const isOfBatch = ({ once }: ChargeRecord): boolean => once?.startsWith('batch ') === true;

/** How a WebSocket session ended. */
export interface SessionRecord {
  readonly closedBy: 'client' | 'provider' | 'gateway';
  /** Close code as RFC 6455 has it; 1005: a close frame without one, 1006: the connection was gone without a close frame. */
  readonly code: number;
  /** At most 123 bytes. */
  readonly reason: string;
  readonly clientMessages: number;
  readonly providerMessages: number;
}

/** The saved prompt that the request was made of. */
export interface PromptRecord {
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  /** 1 is the first. */
  readonly version: number;
}

/** The call for a vector that a look-up by meaning took. */
export interface CacheEmbedding {
  readonly provider: string;
  readonly credential: string | null;
  readonly model: string | null;
  readonly inputTokens: number | null;
  /** 1e-8 USD, part of the request's cost; null: not known. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/** What the response cache did for the answer. */
export interface CacheRecord {
  /** `DISABLED`, `HIT`, `MISS`, `REFRESH`, `SEMANTIC HIT` or `SEMANTIC MISS`. */
  readonly status: string;
  /** Cache key of the exact-match entry; null if there was no lookup. */
  readonly key: string | null;
  /** Cosine of a semantic hit. */
  readonly similarity?: number;
  /** Why a miss might have been a hit. */
  readonly failure?: 'store_unavailable' | 'embeddings_failed';
  /** The answer is that of another request's call, which was under way. */
  readonly shared?: true;
  /** What asking the provider would have cost, 1e-8 USD. Absent: nothing was saved, or it is not known. */
  readonly savedCost?: number;
  readonly embedding?: CacheEmbedding;
}

/** What one guardrail made of one attempt. Says how often and what kind of thing was found, never what. */
export interface GuardrailRecord {
  readonly stage: 'input' | 'output';
  /** Slug, or a name for one that is written out. */
  readonly id: string;
  readonly versionId: string | null;
  readonly verdict: boolean;
  /** Its failed verdict ends the request. */
  readonly deny: boolean;
  /** It ran in the background of the request. */
  readonly async: boolean;
  /** It only watches. */
  readonly monitor: boolean;
  readonly transformed: boolean;
  readonly durationMs: number;
  readonly checks: readonly GuardrailCheckRecord[];
  /** Of the request's trace, as the guardrail's actions have it; null: none for this verdict. */
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
  /** Why it could not decide; null: it could. */
  readonly error: string | null;
}

/** Why the request went where it went. Stored with the log, returned on `x-gw-explain: 1`. */
export interface DecisionRecord {
  readonly config: {
    /** `guardrail`: a check called a model, after the request that it judged was over. */
    readonly source: 'header' | 'key' | 'workspace' | 'guardrail' | 'none';
    readonly slug: string | null;
    readonly versionId: string | null;
  };
  readonly strategy: readonly string[];
  readonly matchedCondition: string | null;
  readonly attempts: readonly AttemptRecord[];
  /** At most 50. Absent: nothing of the kind. */
  readonly routing?: readonly RoutingEvent[];
  readonly limits: readonly LimitState[];
  /** Absent: nothing was charged to a budget, and nothing that the record's `cost` does not say. */
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
  /** What an `Idempotency-Key` made of the request. Absent: it had none. */
  readonly idempotency?: 'first' | 'replayed';
  /** The log is stored under the time of its arrival, since its gateway's clock was far off: the time by that clock. */
  readonly clockSkewed?: { readonly createdAt: string };
  /** Milliseconds that each stage took. */
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
 * One request to the data plane, denied and failed ones included. Times are ISO 8601 UTC; money is integers of 1e-8 USD. What is a
 * column of its own is declared in `LOG_FIELDS`.
 */
export interface LogRecord extends LogFields {
  /** The record has come before, and comes once more with the verdicts that were late. Absent: it is the first. */
  readonly amends?: true;
  /** A UUID that the gateway made (`uuidv7`), never a caller's request id: a store keeps one record per id and time. */
  readonly id: string;
  readonly createdAt: string;
  readonly usage: Usage | null;
  readonly decision: DecisionRecord;
}
