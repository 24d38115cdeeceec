import {
  isStrategyConfig,
  type BreakerSettings,
  type GatewayConfig,
  type InheritedSettings,
  type StrategyConfig,
  type Subject,
} from '@gw/config-schema';
import type { Strategy } from '../strategy';
import { compileTarget } from './compile-target';
import type { CompiledConfig, CompiledEdge, CompiledNode, CompiledTarget } from './compiled';
import { inherit } from './inherit';

/** Returns a function that compiles configs with these strategies. */
export function configCompiler(strategies: readonly Strategy[]): (config: GatewayConfig) => CompiledConfig {
  const byMode = new Map(strategies.map((strategy) => [strategy.mode, strategy]));
  return (config) => compileConfig(config, byMode);
}

type Strategies = ReadonlyMap<string, Strategy>;

/**
 * Compiles a valid config (see `ConfigValidator`), once per version. It neither changes nor keeps
 * its input; the result is frozen. A config without settings, `{}`, becomes one target that takes
 * everything from the request.
 */
function compileConfig(config: GatewayConfig, strategies: Strategies): CompiledConfig {
  const own = structuredClone(config);
  const found: Found = { subjects: new Set(), measures: false };
  collectReads(own, strategies, found);
  const context: CompileContext = {
    strategies,
    needsParams: found.subjects.has('params') || found.subjects.has('demand'),
    targets: [],
  };
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
  readonly strategies: Strategies;
  readonly needsParams: boolean;
  readonly targets: CompiledTarget[];
}

/** Settings that a node inherits from the nodes above it. */
interface Above {
  readonly settings: InheritedSettings;
  readonly breaker: BreakerSettings | undefined;
  readonly path: string;
}

interface Found {
  readonly subjects: Set<Subject['from']>;
  measures: boolean;
}

/**
 * Collects what the strategies read of a request and of the statistics of their targets. Ignores
 * targets that no request can reach.
 */
function collectReads(config: GatewayConfig, strategies: Strategies, found: Found): void {
  if (!isStrategyConfig(config)) return;
  const { strategy: settings, targets } = config;
  const strategy = languageOf(config, strategies);
  for (const subject of strategy.subjects?.(settings) ?? []) found.subjects.add(subject.from);
  found.measures ||= strategy.measures?.(settings) === true;
  for (const target of targets.slice(0, strategy.reach)) collectReads(target, strategies, found);
}

/** Returns the manifest of a valid config's strategy, whose mode is therefore known. */
const languageOf = ({ strategy }: StrategyConfig, strategies: Strategies): Strategy =>
  strategies.get(strategy.mode) as Strategy;

function compileNode(config: GatewayConfig, inherited: Above, context: CompileContext): CompiledNode {
  const settings = inherit(inherited.settings, config);
  const { path } = inherited;
  if (!isStrategyConfig(config)) {
    const { needsParams } = context;
    const target = compileTarget(config, { settings, breaker: inherited.breaker, path, needsParams });
    context.targets.push(target);
    return target;
  }
  const { strategy, targets } = config;
  const breaker = strategy.cb_config ?? inherited.breaker;
  const child = (index: number): CompiledNode => {
    const below = { settings, breaker, path: `${path}.targets[${String(index)}]` };
    return compileNode(targets[index] as GatewayConfig, below, context);
  };
  const edges = (): readonly CompiledEdge[] =>
    Object.freeze(
      targets.map((_, index): CompiledEdge => {
        const trail = `${path}: ${strategy.mode} -> targets[${String(index)}]`;
        return Object.freeze({ node: child(index), trail });
      }),
    );
  return languageOf(config, context.strategies).compile({ config, path, child, edges });
}
