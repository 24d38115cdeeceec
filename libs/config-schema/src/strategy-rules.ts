import { compileQuery } from './conditions';
import { isObject } from './names';
import type { ConfigNode as Node, Path, Report } from './report';
import { isProviderField } from './schema';
import { parseHashField } from './subjects';

/** `mode` and `cb_config` stand beside every mode. */
const MEMBERS_BY_MODE: Readonly<Record<string, readonly string[]>> = {
  single: [],
  loadbalance: ['algorithm', 'sticky'],
  fallback: ['on_status_codes'],
  conditional: ['conditions', 'default'],
  canary: ['percentage', 'hash_fields'],
  hedge: ['hedge_delay', 'hedge_percentage'],
};
const OWN_MEMBERS = Object.values(MEMBERS_BY_MODE).flat();

/** What the schema cannot say of a strategy with its targets. */
export function checkStrategy(
  node: Node,
  strategy: Node,
  targets: readonly unknown[],
  path: Path,
  report: Report,
): void {
  checkMisplaced(node, strategy, path, report);
  checkBreaker(strategy, path, report);
  switch (strategy['mode']) {
    case 'loadbalance':
      checkWeights(targets, path, report);
      checkSticky(strategy, path, report);
      break;
    case 'conditional':
      checkNames(targets, path, report);
      checkConditions(strategy, targets, path, report);
      break;
    case 'canary':
      checkCanary(strategy, targets, path, report);
      break;
    case 'hedge':
      checkHedge(targets, path, report);
  }
}

/** Some rule must be able to open it. */
const OPENING_RULES = ['failure_threshold', 'failure_threshold_percentage', 'consecutive_failures'];

function checkBreaker(strategy: Node, path: Path, report: Report): void {
  const rules = strategy['cb_config'];
  if (!isObject(rules) || OPENING_RULES.some((rule) => rules[rule] !== undefined)) return;
  report([...path, 'strategy', 'cb_config'], 'empty', `needs one of ${OPENING_RULES.join(', ')}`, rules);
}

function checkSticky(strategy: Node, path: Path, report: Report): void {
  const { sticky, algorithm } = strategy;
  if (!isObject(sticky)) return;
  const here = [...path, 'strategy', 'sticky'];
  checkHashFields(sticky['hash_fields'], [...here, 'hash_fields'], report);
  if (sticky['enabled'] === true && algorithm !== undefined && algorithm !== 'weighted') {
    report(here, 'conflict', 'cannot stand beside an algorithm other than weighted', sticky);
  }
}

function checkCanary(strategy: Node, targets: readonly unknown[], path: Path, report: Report): void {
  const here = [...path, 'strategy'];
  checkHashFields(strategy['hash_fields'], [...here, 'hash_fields'], report);
  if (strategy['percentage'] === undefined) {
    report([...here, 'percentage'], 'required', 'is required in mode canary', undefined);
  }
  if (targets.length > 0 && targets.length !== 2) {
    report([...path, 'targets'], 'canary_targets', 'must be two: what runs, and what is tried out', targets);
  }
}

function checkHedge(targets: readonly unknown[], path: Path, report: Report): void {
  if (targets.length > 2) {
    report([...path, 'targets'], 'hedge_targets', 'must be one or two in mode hedge', targets);
  }
  targets.forEach((target, index) => {
    if (!isObject(target) || target['strategy'] === undefined) return;
    const message = 'must be a plain target; put the other strategy around this one';
    report([...path, 'targets', index, 'strategy'], 'hedge_targets', message, target['strategy']);
  });
}

function checkHashFields(fields: unknown, path: Path, report: Report): void {
  if (!Array.isArray(fields)) return;
  fields.forEach((text: unknown, index) => {
    const parsed = typeof text === 'string' ? parseHashField(text) : null;
    if (typeof parsed === 'string') report([...path, index], 'subject', parsed, text);
  });
}

/** What is written, but would do nothing. */
function checkMisplaced(node: Node, strategy: Node, path: Path, report: Report): void {
  for (const key of Object.keys(node)) {
    if (key === 'provider' || key === 'virtual_key' || key === 'api_key' || isProviderField(key)) {
      report(
        [...path, key],
        'misplaced',
        'has no effect beside a strategy; set it on the targets',
        node[key],
      );
    }
  }
  const mode = strategy['mode'];
  if (typeof mode !== 'string' || !Object.hasOwn(MEMBERS_BY_MODE, mode)) return;
  for (const key of OWN_MEMBERS) {
    if (strategy[key] !== undefined && !MEMBERS_BY_MODE[mode]?.includes(key)) {
      report([...path, 'strategy', key], 'misplaced', `has no effect in mode ${mode}`, strategy[key]);
    }
  }
}

/** Only a conditional refers to targets by name; elsewhere names are labels. */
function checkNames(targets: readonly unknown[], path: Path, report: Report): void {
  const names = new Set<unknown>();
  targets.forEach((target, index) => {
    const name = isObject(target) ? target['name'] : undefined;
    if (typeof name === 'string' && names.has(name)) {
      report([...path, 'targets', index, 'name'], 'unique', 'is the name of another target here', name);
    }
    names.add(name);
  });
}

function checkWeights(targets: readonly unknown[], path: Path, report: Report): void {
  const weights = targets.map((target) => (isObject(target) ? (target['weight'] ?? 1) : 1));
  if (weights.length > 0 && weights.every((weight) => weight === 0)) {
    report([...path, 'targets'], 'weights', 'needs at least one weight above 0', targets);
  }
}

function checkConditions(strategy: Node, targets: readonly unknown[], path: Path, report: Report): void {
  const here = [...path, 'strategy'];
  const { conditions, default: fallback } = strategy;
  const names = new Set(targets.map((target) => (isObject(target) ? target['name'] : undefined)));
  const checkName = (name: unknown, at: Path): void => {
    if (typeof name === 'string' && !names.has(name)) {
      report(at, 'unknown_target', 'names none of the targets here', name);
    }
  };
  checkName(fallback, [...here, 'default']);
  if (conditions === undefined) {
    report([...here, 'conditions'], 'required', 'is required in mode conditional', undefined);
  }
  if (!Array.isArray(conditions)) return;
  conditions.forEach((condition: unknown, index) => {
    if (!isObject(condition)) return;
    checkName(condition['then'], [...here, 'conditions', index, 'then']);
    const query = condition['query'];
    if (isObject(query)) {
      compileQuery(query, (at, ...failure) => {
        report([...here, 'conditions', index, 'query', ...at], ...failure);
      });
    }
  });
}
