import type { GuardrailReference, JsonObject, OnStreamFailure } from './config';
import type { ParamPath } from './param-path';
import type { StrategyLanguage } from './strategy-language';

/** A config made ready for requests: inheritance applied, queries and paths parsed, frozen to the last leaf. */
export interface CompiledConfig {
  readonly root: CompiledNode;
  /** Every target that a request can reach, in document order. */
  readonly targets: readonly CompiledTarget[];
  /** A condition or a hash field reads `params.…`, so routing needs the parsed body. */
  readonly needsParams: boolean;
  /** A condition reads `model`. */
  readonly needsModel: boolean;
  /** A strategy chooses by what was measured of the targets, so that has to be reported. */
  readonly needsStatistics: boolean;
  /** A target has a circuit breaker. */
  readonly hasBreakers: boolean;
  /** A target has guardrails of its own. */
  readonly hasGuardrails: boolean;
}

/** Strategy `single` leaves no node: its first target takes its place. */
export type CompiledNode = CompiledTarget | CompiledStrategy;

/** A node that chooses one of its edges. */
export interface CompiledStrategy {
  readonly kind: 'strategy';
  /** The manifest that has compiled the node, and that chooses by it. */
  readonly strategy: StrategyLanguage;
  readonly path: string;
  readonly edges: readonly CompiledEdge[];
}

export interface CompiledTarget {
  readonly kind: 'target';
  /** JSON path: `config`, `config.targets[0].targets[1]`. */
  readonly path: string;
  readonly name: string | null;
  /** A provider's name, `@slug` of a saved provider, or null: the one that the request names. */
  readonly provider: string | null;
  /** Slug without `@`; counts when `provider` is null. */
  readonly virtualKey: string | null;
  readonly apiKey: string | null;
  readonly customHost: string | null;
  readonly requestTimeoutMs: number | null;
  readonly retry: CompiledRetry;
  /** Null: nothing to do. */
  readonly overrideParams: JsonObject | null;
  readonly defaultParams: JsonObject | null;
  readonly dropParams: readonly ParamPath[];
  /** Lower case. */
  readonly forwardHeaders: readonly string[];
  /** The request's header wins. Null: true. */
  readonly strictOpenAiCompliance: boolean | null;
  /** What a translation cannot express is left out where the answer can do without it. */
  readonly dropUnsupported: boolean;
  /** With the `x-gw-models-endpoint` header, the models route lists the integrated models. */
  readonly fetchIntegratedModels: boolean;
  readonly weight: number;
  readonly cache: CompiledCache | null;
  readonly breaker: CompiledBreaker | null;
  readonly onStreamFailure: OnStreamFailure;
  /** Whether it goes on from a last message of the assistant. Null: as its provider does. */
  readonly assistantPrefill: boolean | null;
  /** A 2xx answer of a JSON route that is not the JSON of a success has failed. */
  readonly validateResponse: boolean;
  readonly inputGuardrails: readonly GuardrailReference[];
  readonly outputGuardrails: readonly GuardrailReference[];
  /** As written: `azure_resource_name`, `aws_region`, … */
  readonly providerFields: JsonObject;
  /**
   * Fingerprint of where the target sends to and with what: provider, credential, address, provider fields and the model that it
   * sets. Targets that agree in it, of one workspace, share what was learnt. 22 characters; tells nothing of the credential.
   */
  readonly endpoint: string;
  /** `overrideParams`, `defaultParams` or `dropParams` has something to do. */
  readonly hasParamRules: boolean;
  /** The body must be parsed before this target is tried: for its parameter rules, or for a condition of the config. */
  readonly needsBody: boolean;
}

export interface CompiledRetry {
  /** Tries after the first one, 0 to 5. */
  readonly attempts: number;
  readonly onStatusCodes: readonly number[];
  readonly useRetryAfterHeader: boolean;
  /** All waits of one request together, milliseconds. */
  readonly waitBudgetMs: number;
}

export interface CompiledCache {
  readonly mode: 'simple' | 'semantic';
  /** Null: the cache's default. */
  readonly maxAgeSeconds: number | null;
  readonly namespace: string | null;
  readonly forceRefresh: boolean;
  readonly coalesce: boolean;
  /** Least cosine similarity of a semantic hit. */
  readonly threshold: number;
  /** Null: mode `semantic` finds exact repetitions only. */
  readonly embeddings: CompiledEmbeddings | null;
}

export interface CompiledEmbeddings {
  /** Inherits nothing; its path is `<path of the node>.cache.embeddings`. */
  readonly target: CompiledTarget;
  readonly model: string;
  readonly dimensions: number | null;
}

export interface CompiledBreaker {
  /** Fingerprint of the rules: breakers of different rules are different breakers. 8 characters. */
  readonly id: string;
  /** Null: this rule does not apply; so for the next four. */
  readonly failures: number | null;
  readonly failurePercentage: number | null;
  readonly consecutiveFailures: number | null;
  readonly slowCallMs: number | null;
  /** Tokens a second. */
  readonly slowStreamSpeed: number | null;
  /** Null: 500 and above. */
  readonly statusCodes: readonly number[] | null;
  readonly requestsMin: number;
  readonly windowMs: number;
  readonly cooldownMs: number;
  readonly probesMax: number;
}

/** Ways out of a strategy node. `trail` is the line for the decision record: `config: fallback -> targets[1]`. */
export interface CompiledEdge {
  readonly node: CompiledNode;
  readonly trail: string;
}
