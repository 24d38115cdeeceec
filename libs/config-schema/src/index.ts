export { decidesAddress, holdsAddress, mayNotBeForwarded } from './addresses';
export {
  isStrategyConfig,
  type BreakerSettings,
  type CacheSettings,
  type EmbeddingsConfig,
  type GatewayConfig,
  type GuardrailReference,
  type InheritedSettings,
  type JsonObject,
  type OnStreamFailure,
  type RetrySettings,
  type StrategyConfig,
  type StrategySettings,
  type TargetConfig,
} from './config';
export {
  compileQuery,
  testsOf,
  toNumber,
  type CompiledQuery,
  type Scalar,
  type SubjectTest,
} from './conditions';
export { detail, schemaDetail } from './details';
export { CONFIG_LIMITS } from './bounds';
export { EVERY_ITEM, parseParamPath, type ParamPath, type PathSegment } from './param-path';
export { Pattern, patternOfRule } from './pattern';
export { patternsFault } from './pattern-budget';
export { configSchema, HASH_FIELDS, isProviderField, SHORT_TEXT, STATUS_CODES } from './schema';
export type { StrategyLanguage } from './strategy-language';
export { checkHashFields } from './strategy-rules';
export { savedGuardrail } from './rules';
export { DEMANDS, type Demand, parseHashField, WEEKDAYS, type Subject } from './subjects';
export type { ConfigNode, Path, Report } from './report';
export {
  configInvalid,
  configValidator,
  type ConfigValidator,
  type ConfigErrorDetail,
  type ConfigResult,
  type ValidateConfigOptions,
} from './validate';
export { applyMetadataSchema, readMetadataSchema, type MetadataSchema } from './metadata-schema';
