/**
 * The config document as a caller writes it: inline in `x-gw-config`, or saved through the admin API.
 *
 * A node with `strategy` and `targets` chooses among its targets; a node without them is a target itself. Both may carry the
 * settings of `InheritedSettings`; the table of who wins is in `compile.ts`. Fields of a provider (`azure_resource_name`,
 * `aws_region`, …) are allowed on targets by their prefix.
 */
export type GatewayConfig = TargetConfig | StrategyConfig;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RetrySettings {
  /** Tries after the first one, 0 to 5. */
  readonly attempts: number;
  /** Replaces 429, 500, 502, 503, 504. An empty list retries on no status, only on network failures. */
  readonly on_status_codes?: readonly number[];
  /** Wait as long as the provider's Retry-After says, instead of the back-off. */
  readonly use_retry_after_header?: boolean;
  /** The plural spelling of public documentation; means the same. */
  readonly use_retry_after_headers?: boolean;
}

/** Validated and carried in the compiled target; the response cache acts on it. */
export interface CacheSettings {
  readonly mode: 'simple' | 'semantic';
  /** Seconds, 1 to 7,776,000. */
  readonly max_age?: number;
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
  readonly strict_open_ai_compliance?: boolean;
  /** Lets a caller list the integrated models through the models route. */
  readonly fetch_integrated_models?: boolean;
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
  readonly strategy: Strategy;
  readonly targets: readonly GatewayConfig[];
}

export type Strategy =
  | { readonly mode: 'single' }
  | { readonly mode: 'loadbalance' }
  | {
      readonly mode: 'fallback';
      /** Only these statuses move on. Absent: everything but 2xx does. Network failures always do. */
      readonly on_status_codes?: readonly number[];
    }
  | {
      readonly mode: 'conditional';
      readonly conditions: readonly ConditionConfig[];
      /** Name of the target for a request that matches no condition. */
      readonly default?: string;
    };

export interface ConditionConfig {
  /** See `conditions.ts` for the language. An empty query matches every request. */
  readonly query: JsonObject;
  /** Name of one of the targets beside this strategy. */
  readonly then: string;
}

export const isStrategyConfig = (config: GatewayConfig): config is StrategyConfig => 'strategy' in config;
