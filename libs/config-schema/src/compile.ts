import type { CompiledBranch, CompiledConfig, CompiledEdge, CompiledNode, CompiledTarget } from './compiled';
import { compileQuery, testsOf } from './conditions';
import {
  isStrategyConfig,
  type BreakerSettings,
  type GatewayConfig,
  type InheritedSettings,
  type JsonObject,
  type Strategy,
  type StrategyConfig,
} from './config';
import { compileTarget } from './compile-target';
import { inherit } from './inherit';
import { parseHashField, type Subject } from './subjects';

const STICKY_TTL_SECONDS = 300;
const HEDGE_PERCENTAGE = 8;

/**
 * Compiles a valid config (see `validateConfig`), once for each version of it. Never changes or keeps its input; the result is
 * frozen. A config without any setting, `{}`, is one target that takes everything from the request.
 */
export function compileConfig(config: GatewayConfig): CompiledConfig {
  const own = structuredClone(config);
  const found: Found = { subjects: new Set(), measures: false };
  look(own, found);
  const context: CompileContext = { needsParams: found.subjects.has('params'), targets: [] };
  const root = compileNode(own, { settings: {}, breaker: undefined, path: 'config' }, context);
  return Object.freeze({
    root,
    targets: Object.freeze(context.targets),
    needsParams: context.needsParams,
    needsModel: found.subjects.has('model'),
    needsStatistics: found.measures,
    hasBreakers: context.targets.some(({ breaker }) => breaker !== null),
    hasGuardrails: context.targets.some(
      ({ inputGuardrails, outputGuardrails }) => inputGuardrails.length + outputGuardrails.length > 0,
    ),
  });
}

interface CompileContext {
  readonly needsParams: boolean;
  readonly targets: CompiledTarget[];
}

/** What a node takes from the nodes above it. */
interface Above {
  readonly settings: InheritedSettings;
  readonly breaker: BreakerSettings | undefined;
  readonly path: string;
}

interface Found {
  readonly subjects: Set<Subject['from']>;
  measures: boolean;
}

/** What of a request, and what of its targets' past, the choices can ask for. What hangs below the unused targets of a `single` does not count. */
function look(config: GatewayConfig, found: Found): void {
  if (!isStrategyConfig(config)) return;
  const { strategy, targets } = config;
  for (const subject of subjectsOf(strategy)) found.subjects.add(subject.from);
  found.measures ||= measures(strategy);
  const reachable = strategy.mode === 'single' ? targets.slice(0, 1) : targets;
  for (const target of reachable) look(target, found);
}

function subjectsOf(strategy: Strategy): readonly Subject[] {
  switch (strategy.mode) {
    case 'conditional':
      return strategy.conditions.flatMap(({ query }) =>
        testsOf(compileQuery(query, ignore)).map(({ subject }) => subject),
      );
    case 'loadbalance':
      return strategy.sticky?.enabled ? hashFields(strategy.sticky.hash_fields) : [];
    case 'canary':
      return hashFields(strategy.hash_fields);
    case 'single':
    case 'fallback':
    case 'hedge':
      return [];
  }
}

const measures = (strategy: Strategy): boolean =>
  strategy.mode === 'hedge' ||
  (strategy.mode === 'loadbalance' && (strategy.algorithm ?? 'weighted') !== 'weighted');

const ignore = (): void => undefined;

const hashFields = (fields: readonly string[] | undefined): readonly Subject[] =>
  Object.freeze((fields ?? []).map(parseHashField).filter((subject) => typeof subject !== 'string'));

function compileNode(config: GatewayConfig, above: Above, context: CompileContext): CompiledNode {
  const settings = inherit(above.settings, config);
  const { path } = above;
  if (!isStrategyConfig(config)) {
    const { needsParams } = context;
    const target = compileTarget(config, { settings, breaker: above.breaker, path, needsParams });
    context.targets.push(target);
    return target;
  }
  const { strategy, targets } = config;
  const breaker = strategy.cb_config ?? above.breaker;
  const child = (target: GatewayConfig, index: number): CompiledNode =>
    compileNode(target, { settings, breaker, path: `${path}.targets[${String(index)}]` }, context);
  if (strategy.mode === 'single') return child(targets[0] as GatewayConfig, 0);
  const edges = Object.freeze(
    targets.map((target, index): CompiledEdge => {
      const trail = `${path}: ${strategy.mode} -> targets[${String(index)}]`;
      return Object.freeze({ node: child(target, index), trail });
    }),
  );
  return compileStrategy(config, strategy, path, edges);
}

function compileStrategy(
  config: StrategyConfig,
  strategy: Exclude<Strategy, { mode: 'single' }>,
  path: string,
  edges: readonly CompiledEdge[],
): CompiledNode {
  switch (strategy.mode) {
    case 'fallback': {
      const onStatusCodes = strategy.on_status_codes ? Object.freeze([...strategy.on_status_codes]) : null;
      return Object.freeze({ kind: 'fallback', path, edges, onStatusCodes });
    }
    case 'loadbalance':
      return compileBalance(config, strategy, path, edges);
    case 'conditional':
      return compileConditional(config, strategy, path, edges);
    case 'canary': {
      const { percentage, hash_fields: fields } = strategy;
      const both = edges as readonly [CompiledEdge, CompiledEdge];
      return Object.freeze({ kind: 'canary', path, edges: both, percentage, fields: hashFields(fields) });
    }
    case 'hedge':
      return Object.freeze({
        kind: 'hedge',
        path,
        edges,
        first: edges[0]?.node as CompiledTarget,
        second: edges.at(-1)?.node as CompiledTarget,
        delayMs: strategy.hedge_delay ?? null,
        percentage: strategy.hedge_percentage ?? HEDGE_PERCENTAGE,
      });
  }
}

function compileBalance(
  { targets }: StrategyConfig,
  { sticky, algorithm }: Extract<Strategy, { mode: 'loadbalance' }>,
  path: string,
  edges: readonly CompiledEdge[],
): CompiledNode {
  const weights = Object.freeze(targets.map(({ weight }) => weight ?? 1));
  let sum = 0;
  return Object.freeze({
    kind: 'loadbalance',
    path,
    edges,
    weights,
    cumulativeWeights: Object.freeze(weights.map((weight) => (sum += weight))),
    algorithm: algorithm ?? 'weighted',
    sticky: sticky?.enabled
      ? Object.freeze({
          fields: hashFields(sticky.hash_fields),
          ttlMs: (sticky.ttl ?? STICKY_TTL_SECONDS) * 1000,
        })
      : null,
  });
}

function compileConditional(
  config: StrategyConfig,
  { conditions, default: otherwise }: Extract<Strategy, { mode: 'conditional' }>,
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
    edges,
    branches: Object.freeze(
      conditions
        .map(({ query, then }, index) => branch(then, `conditions[${String(index)}]`, query))
        .filter((compiled) => compiled !== null),
    ),
    otherwise: otherwise === undefined ? null : branch(otherwise, 'default', {}),
  });
}
