import {
  compileQuery,
  SHORT_TEXT,
  CONFIG_LIMITS,
  testsOf,
  type CompiledQuery,
  type JsonObject,
  type Path,
  type Report,
} from '@gw/config-schema';
import type { CompiledEdge, CompiledStrategy } from '../compile/compiled';
import { isObject } from '@gw/kernel';
import { matches } from '../evaluate';
import { faultOf } from '../faults';
import { defineStrategy, type Strategy } from '../strategy';
import type { ChoiceContext } from '../types';

interface ConditionalSettings {
  readonly conditions: readonly {
    /** See `conditions.ts` in `@gw/config-schema`. An empty query matches every request. */
    readonly query: JsonObject;
    /** Name of one of the targets. */
    readonly then: string;
  }[];
  /** Name of the target for a request that matches no condition. */
  readonly default?: string;
}

interface Branch {
  /** Label for the decision record: `config.strategy.conditions[0] -> premium`. */
  readonly label: string;
  readonly query: CompiledQuery;
  readonly edge: CompiledEdge;
}

interface CompiledConditional extends CompiledStrategy {
  readonly branches: readonly Branch[];
  readonly otherwise: Branch | null;
}

const CONDITIONS = {
  type: 'array',
  minItems: 1,
  maxItems: CONFIG_LIMITS.conditionsMax,
  items: {
    type: 'object',
    required: ['query', 'then'],
    properties: { query: { type: 'object' }, then: SHORT_TEXT },
    additionalProperties: false,
  },
};

const settingsOf = (settings: object): ConditionalSettings => settings as ConditionalSettings;

/** Chooses the target of the first condition that a request matches. */
export const conditional: Strategy = defineStrategy<CompiledConditional>({
  mode: 'conditional',
  members: { conditions: CONDITIONS, default: SHORT_TEXT },
  check(settings, targets, path, report) {
    checkNames(targets, path, report);
    checkConditions(settings, targets, path, report);
  },
  patterns: ({ conditions }) => queriesOf(conditions).filter(({ test }) => test.is === 'regex').length,
  subjects: (settings) => queriesOf(settingsOf(settings).conditions).map(({ subject }) => subject),
  compile({ config, path, edges: compileEdges }) {
    const { conditions, default: otherwise } = settingsOf(config.strategy);
    const edges = compileEdges();
    const branch = (name: string, label: string, query: JsonObject): Branch | null => {
      const edge = edges[config.targets.findIndex((target) => target.name === name)];
      if (!edge) return null;
      const compiled = compileQuery(query, ignore);
      return Object.freeze({ label: `${path}.strategy.${label} -> ${name}`, query: compiled, edge });
    };
    const branches = conditions
      .map(({ query, then }, index) => branch(then, `conditions[${String(index)}]`, query))
      .filter((compiled) => compiled !== null);
    return Object.freeze({
      kind: 'strategy',
      strategy: conditional,
      path,
      edges,
      branches: Object.freeze(branches),
      otherwise: otherwise === undefined ? null : branch(otherwise, 'default', {}),
    });
  },
  choose(node, cursor) {
    const branch = branchOf(node, cursor);
    if (branch === null) return null;
    cursor.condition = branch.label;
    return branch.edge;
  },
  fault(node, situation, isChoice) {
    const branch = branchOf(node, situation);
    return branch && faultOf(branch.edge.node, situation, isChoice);
  },
});

/** Returns the first condition that holds, else the default, else null. */
function branchOf(node: CompiledConditional, { facts, runtime }: ChoiceContext): Branch | null {
  const nowMs = runtime.now();
  return node.branches.find(({ query }) => matches(query, facts, nowMs)) ?? node.otherwise;
}

const ignore = (): void => undefined;

/** Returns the tests of all queries; conditions of another shape have none. */
const queriesOf = (conditions: unknown) =>
  (Array.isArray(conditions) ? (conditions as readonly unknown[]) : []).flatMap((condition) =>
    testsOf(compileQuery(isObject(condition) ? condition['query'] : {}, ignore)),
  );

/**
 * Reports duplicate names. Only a conditional refers to targets by name; elsewhere names are
 * labels.
 */
function checkNames(targets: readonly unknown[], path: Path, report: Report): void {
  const names = new Set<unknown>();
  targets.forEach((target, index) => {
    const name = isObject(target) ? target['name'] : undefined;
    if (typeof name === 'string' && names.has(name))
      report(
        [...path, 'targets', index, 'name'],
        'unique',
        'is already the name of another target of this config',
        name,
      );
    names.add(name);
  });
}

function checkConditions(
  { conditions, default: otherwise }: Readonly<Record<string, unknown>>,
  targets: readonly unknown[],
  path: Path,
  report: Report,
): void {
  const here = [...path, 'strategy'];
  const names = new Set(targets.map((target) => (isObject(target) ? target['name'] : undefined)));
  const checkName = (name: unknown, at: Path): void => {
    if (typeof name === 'string' && !names.has(name))
      report(at, 'unknown_target', 'is not the name of a target of this config', name);
  };
  checkName(otherwise, [...here, 'default']);
  if (conditions === undefined)
    report([...here, 'conditions'], 'required', 'is required in mode conditional', undefined);
  if (!Array.isArray(conditions)) return;
  conditions.forEach((condition: unknown, index) => {
    if (!isObject(condition)) return;
    checkName(condition['then'], [...here, 'conditions', index, 'then']);
    const query = condition['query'];
    if (!isObject(query)) return;
    compileQuery(query, (at, ...failure) => {
      report([...here, 'conditions', index, 'query', ...at], ...failure);
    });
  });
}
