import {
  CONFIG_LIMITS,
  isProviderField,
  parseParamPath,
  type BreakerSettings,
  type CacheSettings,
  type EmbeddingsConfig,
  type InheritedSettings,
  type JsonObject,
  type RetrySettings,
  type TargetConfig,
} from '@gw/config-schema';
import { createHash } from 'node:crypto';
import type { CompiledBreaker, CompiledCache, CompiledRetry, CompiledTarget } from './compiled';

const RETRY_STATUS_CODES: readonly number[] = Object.freeze([429, 500, 502, 503, 504]);
const NO_RETRY: CompiledRetry = Object.freeze({
  attempts: 0,
  onStatusCodes: RETRY_STATUS_CODES,
  useRetryAfterHeader: false,
  waitBudgetMs: CONFIG_LIMITS.waitBudgetMsMax,
});

/**
 * Default similarity of a semantic hit. Lower values find more and return wrong responses more
 * often.
 */
const THRESHOLD = 0.95;

/** The inputs of a target besides its own members. */
export interface TargetContext {
  readonly settings: InheritedSettings;
  readonly breaker: BreakerSettings | undefined;
  readonly path: string;
  readonly needsParams: boolean;
}

export function compileTarget(config: TargetConfig, context: TargetContext): CompiledTarget {
  const { settings, breaker, path, needsParams } = context;
  const params = compileParams(settings);
  const own = {
    provider: config.provider ?? null,
    virtualKey: config.virtual_key ?? null,
    apiKey: config.api_key ?? null,
    customHost: settings.custom_host ?? null,
    providerFields: Object.fromEntries(Object.entries(config).filter(([key]) => isProviderField(key))),
  };
  return deepFreeze({
    kind: 'target',
    path,
    name: config.name ?? null,
    weight: config.weight ?? 1,
    ...own,
    endpoint: fingerprint([own, params.overrideParams?.['model'] ?? null], 22),
    ...compileSettings(settings),
    cache: compileCache(settings.cache, path),
    breaker: compileBreaker(breaker),
    ...params,
    needsBody: params.hasParamRules || needsParams,
  });
}

/** Uses SHA-256, so that a credential in the value cannot be recovered. */
const fingerprint = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);

type ParamRules = Pick<CompiledTarget, 'overrideParams' | 'defaultParams' | 'dropParams' | 'hasParamRules'>;

function compileParams(settings: InheritedSettings): ParamRules {
  const overrideParams = membersOrNull(settings.override_params);
  const defaultParams = membersOrNull(settings.default_params);
  const dropParams = (settings.drop_params ?? [])
    .map(parseParamPath)
    .filter((path) => typeof path !== 'string');
  const hasParamRules = overrideParams !== null || defaultParams !== null || dropParams.length > 0;
  return { overrideParams, defaultParams, dropParams, hasParamRules };
}

const membersOrNull = (params: JsonObject | undefined): JsonObject | null =>
  params && Object.keys(params).length > 0 ? params : null;

const compileSettings = (settings: InheritedSettings) => ({
  requestTimeoutMs: settings.request_timeout ?? null,
  retry: compileRetry(settings.retry),
  forwardHeaders: [...new Set(settings.forward_headers?.map((name) => name.toLowerCase()))],
  strictOpenAiCompliance: settings.strict_open_ai_compliance ?? null,
  loss: settings.translation?.loss ?? null,
  fetchIntegratedModels: settings.fetch_integrated_models ?? false,
  onStreamFailure: settings.on_stream_failure ?? 'fail',
  assistantPrefill: settings.assistant_prefill ?? null,
  validateResponse: settings.validate_response ?? false,
  inputGuardrails: settings.input_guardrails ?? [],
  outputGuardrails: settings.output_guardrails ?? [],
});

function compileRetry(retry: RetrySettings | undefined): CompiledRetry {
  if (!retry) return NO_RETRY;
  return {
    attempts: retry.attempts,
    onStatusCodes: retry.on_status_codes ?? RETRY_STATUS_CODES,
    useRetryAfterHeader: retry.use_retry_after_header ?? retry.use_retry_after_headers ?? false,
    waitBudgetMs: retry.max_wait ?? CONFIG_LIMITS.waitBudgetMsMax,
  };
}

function compileCache(cache: CacheSettings | undefined, path: string): CompiledCache | null {
  if (!cache) return null;
  const { embeddings } = cache;
  return {
    mode: cache.mode,
    maxAgeSeconds: cache.max_age ?? null,
    namespace: cache.namespace ?? null,
    forceRefresh: cache.force_refresh ?? false,
    coalesce: cache.coalesce ?? false,
    threshold: cache.threshold ?? THRESHOLD,
    embeddings: embeddings
      ? {
          target: compileEmbeddings(embeddings, `${path}.cache.embeddings`),
          model: embeddings.model,
          dimensions: embeddings.dimensions ?? null,
        }
      : null,
  };
}

function compileEmbeddings(config: EmbeddingsConfig, path: string): CompiledTarget {
  const { custom_host: customHost, request_timeout: timeoutMs, model, dimensions, ...target } = config;
  const settings = {
    override_params: { model, ...(dimensions === undefined ? {} : { dimensions }) },
    ...(customHost === undefined ? {} : { custom_host: customHost }),
    ...(timeoutMs === undefined ? {} : { request_timeout: timeoutMs }),
  };
  return compileTarget(target, { settings, breaker: undefined, path, needsParams: false });
}

function compileBreaker(rules: BreakerSettings | undefined): CompiledBreaker | null {
  if (!rules) return null;
  const compiled = {
    failures: rules.failure_threshold ?? null,
    failurePercentage: rules.failure_threshold_percentage ?? null,
    consecutiveFailures: rules.consecutive_failures ?? null,
    slowCallMs: rules.slow_call_duration ?? null,
    slowStreamSpeed: rules.slow_stream_speed ?? null,
    statusCodes: rules.failure_status_codes ?? null,
    requestsMin: rules.minimum_requests ?? 5,
    windowMs: rules.window ?? 60_000,
    cooldownMs: rules.cooldown_interval ?? 30_000,
    probesMax: rules.half_open_requests ?? 1,
  };
  return { id: fingerprint(compiled, 8), ...compiled };
}

/** Freezes plain data of the compiled config recursively. The nesting of a config is bounded. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
