import type { CacheSettings, GuardrailReference, JsonObject } from './config';
import type { CompiledQuery } from './conditions';
import type { ParamPath } from './param-path';

/** A config made ready for requests: inheritance applied, queries and paths parsed, frozen to the last leaf. */
export interface CompiledConfig {
  readonly root: CompiledNode;
  /** Every target that a request can reach, in document order. */
  readonly targets: readonly CompiledTarget[];
  /** A condition reads `params.…`, so routing needs the parsed body. */
  readonly needsParams: boolean;
  /** A condition reads `model`. */
  readonly needsModel: boolean;
}

/** Strategy `single` leaves no node: its first target stands in its place. */
export type CompiledNode = CompiledTarget | CompiledFallback | CompiledLoadbalance | CompiledConditional;

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
  /** Null: the request's header or the gateway's default decides. */
  readonly strictOpenAiCompliance: boolean | null;
  /** With the `x-gw-models-endpoint` header, the models route lists the integrated models. */
  readonly fetchIntegratedModels: boolean;
  readonly weight: number;
  readonly cache: CacheSettings | null;
  readonly inputGuardrails: readonly GuardrailReference[];
  readonly outputGuardrails: readonly GuardrailReference[];
  /** As written: `azure_resource_name`, `aws_region`, … */
  readonly providerFields: JsonObject;
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
}

/** Ways out of a strategy node. `trail` is the line for the decision record: `config: fallback -> targets[1]`. */
export interface CompiledEdge {
  readonly node: CompiledNode;
  readonly trail: string;
}

export interface CompiledFallback {
  readonly kind: 'fallback';
  readonly path: string;
  readonly edges: readonly CompiledEdge[];
  /** Null: everything but 2xx moves on. */
  readonly onStatusCodes: readonly number[] | null;
}

export interface CompiledLoadbalance {
  readonly kind: 'loadbalance';
  readonly path: string;
  /** Targets of weight 0 are kept; they are never picked. */
  readonly edges: readonly CompiledEdge[];
  /** Running sums of the weights; the last one is above 0. */
  readonly cumulativeWeights: readonly number[];
}

export interface CompiledConditional {
  readonly kind: 'conditional';
  readonly path: string;
  readonly branches: readonly CompiledBranch[];
  readonly otherwise: CompiledBranch | null;
}

export interface CompiledBranch {
  /** For the decision record: `config.strategy.conditions[0] -> premium`. */
  readonly label: string;
  readonly query: CompiledQuery;
  readonly edge: CompiledEdge;
}
