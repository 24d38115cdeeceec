export {
  isStrategyConfig,
  type CacheSettings,
  type ConditionConfig,
  type GatewayConfig,
  type GuardrailReference,
  type InheritedSettings,
  type JsonObject,
  type RetrySettings,
  type Strategy,
  type StrategyConfig,
  type TargetConfig,
} from './config';
export {
  type CompiledBranch,
  type CompiledConditional,
  type CompiledConfig,
  type CompiledEdge,
  type CompiledFallback,
  type CompiledLoadbalance,
  type CompiledNode,
  type CompiledRetry,
  type CompiledTarget,
} from './compiled';
export { compileConfig } from './compile';
export { toNumber, type CompiledQuery, type Scalar, type Subject, type SubjectTest } from './conditions';
export { CONFIG_LIMITS } from './limits';
export { EVERY_ITEM, parseParamPath, type ParamPath, type PathSegment } from './param-path';
export { Pattern } from './pattern';
export { CONFIG_SCHEMA } from './schema';
export {
  configInvalid,
  parseConfig,
  validateConfig,
  type ConfigErrorDetail,
  type ConfigResult,
  type ValidateConfigOptions,
} from './validate';
export { holdMetadata, readMetadataSchema, type MetadataSchema } from './metadata-schema';
