/**
 * The config document as a caller writes it: inline in `x-gw-config`, or saved through the admin API.
 *
 * A node with `strategy` and `targets` chooses among its targets; a node without them is a target itself. Both may carry the
 * settings of `InheritedSettings`; the table of who wins is in `inherit.ts`. Fields of a provider (`azure_resource_name`,
 * `aws_region`, …) are allowed on targets by their prefix.
 */
export type GatewayConfig = TargetConfig | StrategyConfig;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RetrySettings {
  /** Tries after the first one, 0 to 5. */
  readonly attempts: number;
  /** Replaces 429, 500, 502, 503, 504. An empty list retries on no status, only on network failures. */
  readonly on_status_codes?: readonly number[];
  /** Wait as long as the provider says (Retry-After and its kin), instead of the back-off. */
  readonly use_retry_after_header?: boolean;
  /** The plural spelling of public documentation; means the same. */
  readonly use_retry_after_headers?: boolean;
  /** Milliseconds that all waits of the request together may take, 0 to 60,000. */
  readonly max_wait?: number;
}

/** Validated and compiled here; the response cache acts on it. */
export interface CacheSettings {
  readonly mode: 'simple' | 'semantic';
  /** Seconds, 1 to 7,776,000. */
  readonly max_age?: number;
  /** Answers are shared only within one namespace of the workspace. */
  readonly namespace?: string;
  /** Never read, always write. */
  readonly force_refresh?: boolean;
  /** Requests that are the same and in flight together make one call. */
  readonly coalesce?: boolean;
  /** Least cosine similarity of a semantic hit, above 0 to 1. */
  readonly threshold?: number;
  /** Who computes the vectors of mode `semantic`. Without it that mode finds exact repetitions only. */
  readonly embeddings?: EmbeddingsConfig;
}

export interface EmbeddingsConfig {
  /** A provider's name, or `@slug` of a saved provider. */
  readonly provider?: string;
  readonly virtual_key?: string;
  readonly api_key?: string;
  readonly model: string;
  /** Length of the vectors, where the model lets one choose. */
  readonly dimensions?: number;
  readonly custom_host?: string;
  /** Milliseconds. */
  readonly request_timeout?: number;
  readonly [providerField: string]: unknown;
}

/** What becomes of a stream that breaks off. */
export type OnStreamFailure =
  /** The client gets an error event. */
  | 'fail'
  /** As long as nothing of it reached the client, the next try or target answers instead. */
  | 'restart'
  /** As `restart`; later, the next try or target goes on from the partial answer, where its provider takes one. */
  | 'continue';

/** When a target is left alone for a while. At least one of the first four rules is needed. Spelled as in public configs. */
export interface BreakerSettings {
  /** Failures within the window. */
  readonly failure_threshold?: number;
  /** Failures in percent of the requests within the window, once there are `minimum_requests`. */
  readonly failure_threshold_percentage?: number;
  readonly consecutive_failures?: number;
  /**
   * Milliseconds: an answer that took longer to begin counts as a failure, a stream begins with its first event. Needs one of the three
   * rules above next to it; so does the next one.
   */
  readonly slow_call_duration?: number;
  /** Tokens a second: a stream that brought fewer counts as a failure. */
  readonly slow_stream_speed?: number;
  /** Replaces "500 and above". Timeouts and network failures always count. */
  readonly failure_status_codes?: readonly number[];
  readonly minimum_requests?: number;
  /** Milliseconds that are looked back on. */
  readonly window?: number;
  /** Milliseconds for which the target is left alone. */
  readonly cooldown_interval?: number;
  /** Probes at a time after the cooldown; as many successes close the breaker. */
  readonly half_open_requests?: number;
}

/**
 * Slug of a saved guardrail, or a guardrail written out. Written out, every member besides the reserved ones is a check id with
 * its parameters (short form), or `checks` lists them (long form). Validated and carried in the compiled target; the guardrail
 * stages act on it.
 */
export type GuardrailReference = string | JsonObject;

export interface InheritedSettings {
  readonly retry?: RetrySettings;
  readonly cache?: CacheSettings;
  /** Whole call in milliseconds, headers and body. */
  readonly request_timeout?: number;
  /** Merged over the client's JSON body; wins over the client. */
  readonly override_params?: JsonObject;
  /** Fills what the client's JSON body leaves out. */
  readonly default_params?: JsonObject;
  /** Paths removed from the body: `logprobs`, `messages[*].name`, `tools[0].function.strict`. */
  readonly drop_params?: readonly string[];
  readonly custom_host?: string;
  /** Names of client headers that are sent to the provider as they came. */
  readonly forward_headers?: readonly string[];
  readonly input_guardrails?: readonly GuardrailReference[];
  readonly output_guardrails?: readonly GuardrailReference[];
  /** Guardrails written out; they join the input guardrails of the same node. */
  readonly before_request_hooks?: readonly JsonObject[];
  /** Guardrails written out; they join the output guardrails of the same node. */
  readonly after_request_hooks?: readonly JsonObject[];
  /** False: answers that are translated show the provider's own members, and streams the verdicts of guardrails. */
  readonly strict_open_ai_compliance?: boolean;
  /** What a translation to the provider cannot express and the answer can do without is left out, instead of refused. */
  readonly drop_unsupported?: boolean;
  /** Lets a caller list the integrated models through the models route. */
  readonly fetch_integrated_models?: boolean;
  readonly on_stream_failure?: OnStreamFailure;
  /** Whether the provider goes on from a last message of the assistant. Absent: what is known of the provider. */
  readonly assistant_prefill?: boolean;
  /** A 2xx answer that is HTML, broken JSON or an error counts as a failure. */
  readonly validate_response?: boolean;
}

export interface TargetConfig extends InheritedSettings {
  readonly name?: string;
  readonly weight?: number;
  /** A provider's name, or `@slug` of a saved provider. Absent: the one that the request names. */
  readonly provider?: string;
  /** Slug of a saved provider, the older spelling of `provider: "@slug"`. */
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

/** Settings of a strategy. Its manifest says what else they have; see `StrategyLanguage`. */
export interface StrategySettings {
  readonly mode: string;
  /** Holds for all targets below, unless a strategy further down has its own. */
  readonly cb_config?: BreakerSettings;
  readonly [member: string]: unknown;
}

export const isStrategyConfig = (config: GatewayConfig): config is StrategyConfig => 'strategy' in config;
