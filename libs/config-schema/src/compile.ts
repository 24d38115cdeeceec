import type {
  CompiledBranch,
  CompiledConfig,
  CompiledEdge,
  CompiledNode,
  CompiledRetry,
  CompiledTarget,
} from './compiled';
import { compileQuery, testsOf, type Subject } from './conditions';
import {
  isStrategyConfig,
  type ConditionConfig,
  type GatewayConfig,
  type GuardrailReference,
  type InheritedSettings,
  type JsonObject,
  type RetrySettings,
  type StrategyConfig,
  type TargetConfig,
} from './config';
import { parseParamPath } from './param-path';
import { isProviderField } from './schema';

/**
 * What a target takes from the nodes above it. The nearest node wins.
 *
 * | Setting | Parent to child |
 * |---|---|
 * | `override_params`, `default_params` | merged member by member (not deep), the child's member wins |
 * | `drop_params` | the child's paths are added to the parent's |
 * | `retry`, `cache` | the child's object replaces the parent's whole |
 * | `request_timeout`, `custom_host`, `forward_headers` | the child's value replaces the parent's |
 * | `strict_open_ai_compliance`, `fetch_integrated_models` | the child's value replaces the parent's |
 * | `input_guardrails` with `before_request_hooks` | if the child has either, its own replace the parent's |
 * | `output_guardrails` with `after_request_hooks` | the same |
 * | `provider`, `virtual_key`, `api_key`, provider fields, `name`, `weight` | never inherited |
 */
function inherit(parent: InheritedSettings, child: InheritedSettings): InheritedSettings {
  const replaced = REPLACED.map((key) => [key, child[key] ?? parent[key]] as const);
  const own = {
    override_params: merged(parent.override_params, child.override_params),
    default_params: merged(parent.default_params, child.default_params),
    drop_params: united(parent.drop_params, child.drop_params),
    input_guardrails: joined(child.input_guardrails, child.before_request_hooks) ?? parent.input_guardrails,
    output_guardrails: joined(child.output_guardrails, child.after_request_hooks) ?? parent.output_guardrails,
  };
  const set = [...replaced, ...Object.entries(own)].filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as InheritedSettings;
}

const merged = (parent: JsonObject | undefined, child: JsonObject | undefined): JsonObject | undefined =>
  parent || child ? { ...parent, ...child } : undefined;

const united = (
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): readonly string[] | undefined =>
  parent || child ? [...new Set([...(parent ?? []), ...(child ?? [])])] : undefined;

/** Undefined when neither list is set; an empty list is a setting. */
function joined(
  guardrails: readonly GuardrailReference[] | undefined,
  hooks: readonly JsonObject[] | undefined,
): readonly GuardrailReference[] | undefined {
  return guardrails || hooks ? [...(guardrails ?? []), ...(hooks ?? [])] : undefined;
}

const REPLACED = [
  'retry',
  'cache',
  'request_timeout',
  'custom_host',
  'forward_headers',
  'strict_open_ai_compliance',
  'fetch_integrated_models',
] as const satisfies readonly (keyof InheritedSettings)[];

const RETRY_STATUS_CODES: readonly number[] = Object.freeze([429, 500, 502, 503, 504]);
const NO_RETRY: CompiledRetry = Object.freeze({
  attempts: 0,
  onStatusCodes: RETRY_STATUS_CODES,
  useRetryAfterHeader: false,
});

/**
 * Compiles a valid config (see `validateConfig`), once for each version of it. Never changes or keeps its input; the result is
 * frozen. A config without any setting, `{}`, is one target that takes everything from the request.
 */
export function compileConfig(config: GatewayConfig): CompiledConfig {
  const own = structuredClone(config);
  const subjects = new Set<Subject['from']>();
  collectSubjects(own, subjects);
  const context: CompileContext = { needsParams: subjects.has('params'), targets: [] };
  const root = compileNode(own, {}, 'config', context);
  return Object.freeze({
    root,
    targets: Object.freeze(context.targets),
    needsParams: context.needsParams,
    needsModel: subjects.has('model'),
  });
}

interface CompileContext {
  readonly needsParams: boolean;
  readonly targets: CompiledTarget[];
}

/** Conditions that no request can reach, under the unused targets of a `single`, do not count. */
function collectSubjects(config: GatewayConfig, subjects: Set<Subject['from']>): void {
  if (!isStrategyConfig(config)) return;
  const { strategy, targets } = config;
  if (strategy.mode === 'conditional') {
    for (const { query } of strategy.conditions) {
      testsOf(compileQuery(query, ignore)).forEach(({ subject }) => subjects.add(subject.from));
    }
  }
  const reachable = strategy.mode === 'single' ? targets.slice(0, 1) : targets;
  for (const target of reachable) collectSubjects(target, subjects);
}

const ignore = (): void => undefined;

function compileNode(
  config: GatewayConfig,
  parent: InheritedSettings,
  path: string,
  context: CompileContext,
): CompiledNode {
  const settings = inherit(parent, config);
  if (!isStrategyConfig(config)) {
    const target = compileTarget(config, settings, path, context.needsParams);
    context.targets.push(target);
    return target;
  }
  const { strategy, targets } = config;
  const child = (target: GatewayConfig, index: number): CompiledNode =>
    compileNode(target, settings, `${path}.targets[${String(index)}]`, context);
  if (strategy.mode === 'single') return child(targets[0] as GatewayConfig, 0);
  const edges = Object.freeze(
    targets.map((target, index): CompiledEdge => {
      const trail = `${path}: ${strategy.mode} -> targets[${String(index)}]`;
      return Object.freeze({ node: child(target, index), trail });
    }),
  );
  switch (strategy.mode) {
    case 'fallback':
      return Object.freeze({
        kind: 'fallback',
        path,
        edges,
        onStatusCodes: strategy.on_status_codes ? Object.freeze([...strategy.on_status_codes]) : null,
      });
    case 'loadbalance':
      return Object.freeze({ kind: 'loadbalance', path, edges, cumulativeWeights: runningSums(targets) });
    case 'conditional':
      return compileConditional(config, strategy.conditions, strategy.default, path, edges);
  }
}

function runningSums(targets: readonly GatewayConfig[]): readonly number[] {
  let sum = 0;
  return Object.freeze(targets.map(({ weight }) => (sum += weight ?? 1)));
}

function compileConditional(
  config: StrategyConfig,
  conditions: readonly ConditionConfig[],
  fallbackName: string | undefined,
  path: string,
  edges: readonly CompiledEdge[],
): CompiledNode {
  const branch = (name: string, label: string, query: JsonObject): CompiledBranch | null => {
    const edge = edges[config.targets.findIndex((target) => target.name === name)];
    if (!edge) return null;
    return Object.freeze({
      label: `${path}.strategy.${label} -> ${name}`,
      query: compileQuery(query, ignore),
      edge,
    });
  };
  return Object.freeze({
    kind: 'conditional',
    path,
    branches: Object.freeze(
      conditions
        .map(({ query, then }, index) => branch(then, `conditions[${String(index)}]`, query))
        .filter((compiled) => compiled !== null),
    ),
    otherwise: fallbackName === undefined ? null : branch(fallbackName, 'default', {}),
  });
}

function compileTarget(
  config: TargetConfig,
  settings: InheritedSettings,
  path: string,
  needsParams: boolean,
): CompiledTarget {
  const params = compileParams(settings);
  return deepFreeze({
    kind: 'target',
    path,
    name: config.name ?? null,
    provider: config.provider ?? null,
    virtualKey: config.virtual_key ?? null,
    apiKey: config.api_key ?? null,
    weight: config.weight ?? 1,
    providerFields: Object.fromEntries(Object.entries(config).filter(([key]) => isProviderField(key))),
    ...compileSettings(settings),
    ...params,
    needsBody: params.hasParamRules || needsParams,
  });
}

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
  customHost: settings.custom_host ?? null,
  requestTimeoutMs: settings.request_timeout ?? null,
  retry: compileRetry(settings.retry),
  forwardHeaders: [...new Set(settings.forward_headers?.map((name) => name.toLowerCase()))],
  strictOpenAiCompliance: settings.strict_open_ai_compliance ?? null,
  fetchIntegratedModels: settings.fetch_integrated_models ?? false,
  cache: settings.cache ?? null,
  inputGuardrails: settings.input_guardrails ?? [],
  outputGuardrails: settings.output_guardrails ?? [],
});

function compileRetry(retry: RetrySettings | undefined): CompiledRetry {
  if (!retry) return NO_RETRY;
  return {
    attempts: retry.attempts,
    onStatusCodes: retry.on_status_codes ?? RETRY_STATUS_CODES,
    useRetryAfterHeader: retry.use_retry_after_header ?? retry.use_retry_after_headers ?? false,
  };
}

/** For values that are the compiled config's own: plain data, as deep as a config may nest. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
