import type { LossMode } from '@gw/kernel';
import type {
  GuardrailReference,
  JsonObject,
  OnStreamFailure,
  ParamPath,
  StrategyLanguage,
} from '@gw/config-schema';

/** A config prepared for requests: inheritance applied, queries and paths parsed, deeply frozen. */
export interface CompiledConfig {
  readonly root: CompiledNode;
  /** Every target that a request can reach, in document order. */
  readonly targets: readonly CompiledTarget[];
  /**
   * Whether a condition or a hash field reads `params.…`, so that routing needs the parsed body.
   */
  readonly needsParams: boolean;
  /** Whether a condition reads `model`. */
  readonly needsModel: boolean;
  /**
   * Whether a strategy chooses by measurements of its targets, so that attempts must be recorded.
   */
  readonly needsStatistics: boolean;
  /** Whether a target has a circuit breaker. */
  readonly hasBreakers: boolean;
  /** Whether a target has guardrails of its own. */
  readonly hasGuardrails: boolean;
}

/** A node of the compiled tree. Strategy `single` has no node: its first target replaces it. */
export type CompiledNode = CompiledTarget | CompiledStrategy;

/** A node that chooses one of its edges. */
export interface CompiledStrategy {
  readonly kind: 'strategy';
  /** The manifest that compiled the node and that chooses its edge. */
  readonly strategy: StrategyLanguage;
  readonly path: string;
  readonly edges: readonly CompiledEdge[];
}

export interface CompiledTarget {
  readonly kind: 'target';
  /** The JSON path: `config`, `config.targets[0].targets[1]`. */
  readonly path: string;
  readonly name: string | null;
  /**
   * A provider's name or `@slug` of a saved provider. Null: the provider that the request names.
   */
  readonly provider: string | null;
  /** Slug without `@`. Used only when `provider` is null. */
  readonly virtualKey: string | null;
  readonly apiKey: string | null;
  readonly customHost: string | null;
  readonly requestTimeoutMs: number | null;
  readonly retry: CompiledRetry;
  /** Null when there is nothing to override. */
  readonly overrideParams: JsonObject | null;
  readonly defaultParams: JsonObject | null;
  readonly dropParams: readonly ParamPath[];
  /** Names in lower case. */
  readonly forwardHeaders: readonly string[];
  /** The request's header takes precedence. Null means true. */
  readonly strictOpenAiCompliance: boolean | null;
  /**
   * Handling of parameters that change the response and that the provider cannot express: `strict`
   * refuses the call, `adapt` drops them or moves them to the nearest value. Null: the workspace
   * decides.
   */
  readonly loss: LossMode | null;
  /** Whether the models route lists the integrated models for the `x-gw-models-endpoint` header. */
  readonly fetchIntegratedModels: boolean;
  readonly weight: number;
  readonly cache: CompiledCache | null;
  readonly breaker: CompiledBreaker | null;
  readonly onStreamFailure: OnStreamFailure;
  /**
   * Whether the provider continues from a last message of the assistant. Null: the provider's
   * default.
   */
  readonly assistantPrefill: boolean | null;
  /** Whether a 2xx response of a JSON route fails unless it is the JSON of a success. */
  readonly validateResponse: boolean;
  readonly inputGuardrails: readonly GuardrailReference[];
  readonly outputGuardrails: readonly GuardrailReference[];
  /** As in the config: `azure_resource_name`, `aws_region`, … */
  readonly providerFields: JsonObject;
  /**
   * Fingerprint of provider, credential, address, provider fields and the model that the target
   * sets. Targets of one workspace with the same fingerprint share their statistics. 22 characters,
   * which do not reveal the credential.
   */
  readonly endpoint: string;
  /** Whether `overrideParams`, `defaultParams` or `dropParams` change anything. */
  readonly hasParamRules: boolean;
  /**
   * Whether the body must be parsed before this target is attempted, for its parameter rules or for
   * a condition of the config.
   */
  readonly needsBody: boolean;
}

export interface CompiledRetry {
  /** Attempts after the first one, 0 to 5. */
  readonly attempts: number;
  readonly onStatusCodes: readonly number[];
  readonly useRetryAfterHeader: boolean;
  /** Maximum of all waits of one request together, in milliseconds. */
  readonly waitBudgetMs: number;
}

export interface CompiledCache {
  readonly mode: 'simple' | 'semantic';
  /** Null: the cache's default. */
  readonly maxAgeSeconds: number | null;
  readonly namespace: string | null;
  readonly forceRefresh: boolean;
  readonly coalesce: boolean;
  /** Minimum cosine similarity of a semantic hit. */
  readonly threshold: number;
  /** Null: mode `semantic` finds only exact repetitions. */
  readonly embeddings: CompiledEmbeddings | null;
}

export interface CompiledEmbeddings {
  /** Inherits nothing. Its path is `<path of the node>.cache.embeddings`. */
  readonly target: CompiledTarget;
  readonly model: string;
  readonly dimensions: number | null;
}

export interface CompiledBreaker {
  /** Fingerprint of the rules, 8 characters. Different rules use different breakers. */
  readonly id: string;
  /** Null: this rule does not apply. The same holds for the next four members. */
  readonly failures: number | null;
  readonly failurePercentage: number | null;
  readonly consecutiveFailures: number | null;
  readonly slowCallMs: number | null;
  /** Tokens per second. */
  readonly slowStreamSpeed: number | null;
  /** Null: status 500 and above. */
  readonly statusCodes: readonly number[] | null;
  readonly requestsMin: number;
  readonly windowMs: number;
  readonly cooldownMs: number;
  readonly probesMax: number;
}

/**
 * One choice of a strategy node. `trail` is the line of the decision record, such as `config:
 * fallback -> targets[1]`.
 */
export interface CompiledEdge {
  readonly node: CompiledNode;
  readonly trail: string;
}
