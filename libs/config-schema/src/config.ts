import type { LossMode } from '@gw/kernel';
/**
 * A config document as a caller writes it: inline in `x-gw-config`, or saved through the admin API.
 *
 * A node with `strategy` and `targets` chooses among its targets; a node without them is a target
 * itself. Both may have the settings of `InheritedSettings`; `inherit.ts` lists their precedence.
 * Fields of a provider (`azure_resource_name`, `aws_region`, …) are allowed on targets by their
 * prefix.
 */
export type GatewayConfig = TargetConfig | StrategyConfig;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RetrySettings {
  /** Attempts after the first one, 0 to 5. */
  readonly attempts: number;
  /** Replaces 429, 500, 502, 503, 504. An empty list retries only network failures. */
  readonly on_status_codes?: readonly number[];
  /**
   * Waits as long as the provider requests (`Retry-After` and similar headers) instead of the
   * back-off.
   */
  readonly use_retry_after_header?: boolean;
  /** A plural spelling that public documentation uses, with the same meaning. */
  readonly use_retry_after_headers?: boolean;
  /** Maximum of all waits of the request together, in milliseconds, 0 to 60,000. */
  readonly max_wait?: number;
}

/** Settings of the response cache. This library only validates and compiles them. */
export interface CacheSettings {
  readonly mode: 'simple' | 'semantic';
  /** Seconds, 1 to 7,776,000. */
  readonly max_age?: number;
  /** Responses are shared only within one namespace of the workspace. */
  readonly namespace?: string;
  /** Writes the cache without reading it. */
  readonly force_refresh?: boolean;
  /** Equal requests that are in flight at the same time make one call. */
  readonly coalesce?: boolean;
  /** Minimum cosine similarity of a semantic hit, above 0 and up to 1. */
  readonly threshold?: number;
  /**
   * The model that computes the vectors of mode `semantic`. Without it, the mode finds only exact
   * repetitions.
   */
  readonly embeddings?: EmbeddingsConfig;
}

export interface EmbeddingsConfig {
  /** A provider's name, or `@slug` of a saved provider. */
  readonly provider?: string;
  readonly virtual_key?: string;
  readonly api_key?: string;
  readonly model: string;
  /** Length of the vectors, for models that support a choice. */
  readonly dimensions?: number;
  readonly custom_host?: string;
  /** Milliseconds. */
  readonly request_timeout?: number;
  readonly [providerField: string]: unknown;
}

/** Handling of a stream that breaks off. */
export type OnStreamFailure =
  /** The client gets an error event. */
  | 'fail'
  /** The next attempt or target replaces the response, if nothing of it has reached the client. */
  | 'restart'
  /**
   * As `restart`; later, the next attempt or target continues the partial response, if its provider
   * supports that.
   */
  | 'continue';

/**
 * When a target is skipped for a while. At least one of the first three rules is required. The
 * names follow public configs.
 */
export interface BreakerSettings {
  /** Failures within the window. */
  readonly failure_threshold?: number;
  /** Failures in percent of the requests within the window, from `minimum_requests` on. */
  readonly failure_threshold_percentage?: number;
  readonly consecutive_failures?: number;
  /**
   * Milliseconds. A response that takes longer to begin counts as a failure; a stream begins with
   * its first event. This rule and the next one need one of the three rules above.
   */
  readonly slow_call_duration?: number;
  /** Tokens per second. A slower stream counts as a failure. */
  readonly slow_stream_speed?: number;
  /** Replaces "500 and above". Timeouts and network failures always count. */
  readonly failure_status_codes?: readonly number[];
  readonly minimum_requests?: number;
  /** Length of the window, in milliseconds. */
  readonly window?: number;
  /** Milliseconds for which the target is skipped. */
  readonly cooldown_interval?: number;
  /** Concurrent probes after the cooldown; the same number of successes closes the breaker. */
  readonly half_open_requests?: number;
}

/**
 * Slug of a saved guardrail, or an inline guardrail. In an inline guardrail, every member besides
 * the reserved ones is a check id with its parameters (short form), or `checks` lists the checks
 * (long form). This library validates the guardrail; the guardrail stages run it.
 */
export type GuardrailReference = string | JsonObject;

export interface InheritedSettings {
  readonly retry?: RetrySettings;
  readonly cache?: CacheSettings;
  /** Milliseconds for the whole call, headers and body. */
  readonly request_timeout?: number;
  /** Replaces members of the client's JSON body. */
  readonly override_params?: JsonObject;
  /** Adds members that the client's JSON body does not have. */
  readonly default_params?: JsonObject;
  /** Paths to remove from the body: `logprobs`, `messages[*].name`, `tools[0].function.strict`. */
  readonly drop_params?: readonly string[];
  readonly custom_host?: string;
  /** Names of client headers to forward unchanged to the provider. */
  readonly forward_headers?: readonly string[];
  readonly input_guardrails?: readonly GuardrailReference[];
  readonly output_guardrails?: readonly GuardrailReference[];
  /** Inline guardrails, added to the input guardrails of the same node. */
  readonly before_request_hooks?: readonly JsonObject[];
  /** Inline guardrails, added to the output guardrails of the same node. */
  readonly after_request_hooks?: readonly JsonObject[];
  /**
   * False: translated responses include the provider's own members, and streams the verdicts of
   * guardrails.
   */
  readonly strict_open_ai_compliance?: boolean;
  /**
   * An older spelling of `translation.loss`: true is `adapt`, false is `strict`.
   */
  readonly drop_unsupported?: boolean;
  /**
   * How a translation treats parameters that the provider cannot express; wins over
   * `drop_unsupported` of the same node.
   */
  readonly translation?: { readonly loss: LossMode };
  /** Lets a caller list the integrated models through the models route. */
  readonly fetch_integrated_models?: boolean;
  readonly on_stream_failure?: OnStreamFailure;
  /**
   * Whether the provider continues from a last message of the assistant. Absent: the provider's
   * default.
   */
  readonly assistant_prefill?: boolean;
  /** A 2xx response that is HTML, broken JSON or an error counts as a failure. */
  readonly validate_response?: boolean;
}

export interface TargetConfig extends InheritedSettings {
  readonly name?: string;
  readonly weight?: number;
  /**
   * A provider's name, or `@slug` of a saved provider. Absent: the provider that the request names.
   */
  readonly provider?: string;
  /** Slug of a saved provider. Older spelling of `provider: "@slug"`. */
  readonly virtual_key?: string;
  readonly api_key?: string;
  readonly [providerField: string]: unknown;
}

export interface StrategyConfig extends InheritedSettings {
  readonly name?: string;
  readonly weight?: number;
  readonly strategy: StrategySettings;
  readonly targets: readonly GatewayConfig[];
}

/** Settings of a strategy. `StrategyLanguage` declares the other members of each mode. */
export interface StrategySettings {
  readonly mode: string;
  /** Applies to all targets below, except below a strategy with its own. */
  readonly cb_config?: BreakerSettings;
  readonly [member: string]: unknown;
}

export const isStrategyConfig = (config: GatewayConfig): config is StrategyConfig => 'strategy' in config;
