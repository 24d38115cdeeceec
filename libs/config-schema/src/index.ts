export { decidesAddress, holdsAddress, mayNotBeForwarded } from './addresses';
export {
  isStrategyConfig,
  type BalanceAlgorithm,
  type BreakerSettings,
  type CacheSettings,
  type ConditionConfig,
  type EmbeddingsConfig,
  type GatewayConfig,
  type GuardrailReference,
  type InheritedSettings,
  type JsonObject,
  type OnStreamFailure,
  type RetrySettings,
  type StickySettings,
  type Strategy,
  type StrategyConfig,
  type TargetConfig,
} from './config';
export {
  type CompiledBranch,
  type CompiledBranchNode,
  type CompiledBreaker,
  type CompiledCache,
  type CompiledCanary,
  type CompiledConditional,
  type CompiledConfig,
  type CompiledEdge,
  type CompiledEmbeddings,
  type CompiledFallback,
  type CompiledHedge,
  type CompiledLoadbalance,
  type CompiledNode,
  type CompiledRetry,
  type CompiledSticky,
  type CompiledTarget,
} from './compiled';
export { compileConfig } from './compile';
export { toNumber, type CompiledQuery, type Scalar, type SubjectTest } from './conditions';
export { detail, schemaDetail } from './details';
export { CONFIG_LIMITS } from './limits';
export { EVERY_ITEM, parseParamPath, type ParamPath, type PathSegment } from './param-path';
export { Pattern, patternOfRule } from './pattern';
export { patternsFault } from './pattern-budget';
export { CONFIG_SCHEMA, isProviderField } from './schema';
export { savedGuardrail } from './rules';
export { WEEKDAYS, type Subject } from './subjects';
export type { Path, Report } from './report';
export {
  configInvalid,
  parseConfig,
  validateConfig,
  type ConfigErrorDetail,
  type ConfigResult,
  type ValidateConfigOptions,
} from './validate';
export { holdMetadata, readMetadataSchema, type MetadataSchema } from './metadata-schema';
