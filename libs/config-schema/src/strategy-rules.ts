import { isObject } from '@gw/kernel';
import type { ConfigNode as Node, Path, Report } from './report';
import { isProviderField } from './schema';
import type { StrategyLanguage } from './strategy-language';
import { parseHashField } from './subjects';

/** Strategies by mode. */
export type Strategies = ReadonlyMap<unknown, StrategyLanguage>;

interface StrategyCheck {
  readonly targets: readonly unknown[];
  readonly strategies: Strategies;
  /** Path of the node that has the strategy. */
  readonly path: Path;
  readonly report: Report;
}

/** Checks the rules of a strategy and its targets that the schema cannot express. */
export function checkStrategy(node: Node, settings: Node, check: StrategyCheck): void {
  const { targets, strategies, path, report } = check;
  checkMisplaced(node, settings, check);
  checkBreaker(settings, path, report);
  strategies.get(settings['mode'])?.check?.(settings, targets, path, report);
}

/** Rules of which a breaker needs at least one, because the others cannot open it. */
const OPENING_RULES = ['failure_threshold', 'failure_threshold_percentage', 'consecutive_failures'];

function checkBreaker(settings: Node, path: Path, report: Report): void {
  const rules = settings['cb_config'];
  if (!isObject(rules) || OPENING_RULES.some((rule) => rules[rule] !== undefined)) return;
  report([...path, 'strategy', 'cb_config'], 'empty', `needs one of ${OPENING_RULES.join(', ')}`, rules);
}

/** Reports members that have no effect. `mode` and `cb_config` have an effect in every mode. */
function checkMisplaced(node: Node, settings: Node, { strategies, path, report }: StrategyCheck): void {
  for (const key of Object.keys(node)) {
    if (key === 'provider' || key === 'virtual_key' || key === 'api_key' || isProviderField(key)) {
      const message = 'has no effect next to a strategy; set it on the targets';
      report([...path, key], 'misplaced', message, node[key]);
    }
  }
  const { mode } = settings;
  const own = strategies.get(mode)?.members;
  if (own === undefined) return;
  const others = [...strategies.values()].flatMap(({ members }) => Object.keys(members));
  for (const key of new Set(others)) {
    if (settings[key] !== undefined && !Object.hasOwn(own, key))
      report([...path, 'strategy', key], 'misplaced', `has no effect in mode ${String(mode)}`, settings[key]);
  }
}

/** Reports hash fields that name no part of a request. */
export function checkHashFields(fields: unknown, path: Path, report: Report): void {
  if (!Array.isArray(fields)) return;
  fields.forEach((text: unknown, index) => {
    const parsed = typeof text === 'string' ? parseHashField(text) : null;
    if (typeof parsed === 'string') report([...path, index], 'subject', parsed, text);
  });
}
