import { isObject } from '@gw/kernel';
import { ACTION_NAMES, type GuardrailCheckEntry } from './document';
import { listOf, type JsonObject } from './json';

/**
 * A guardrail in its saved form, with the path of each check in the form in which it was written.
 */
export interface Arranged {
  readonly document: JsonObject;
  /** Path of each check, and of its parameters. */
  readonly places: readonly CheckPlace[];
  readonly actionsPath: readonly string[];
}

export interface CheckPlace {
  readonly check: readonly (string | number)[];
  readonly parameters: readonly (string | number)[];
}

const OTHER_NAMES = new Set<string>([...ACTION_NAMES, 'id', 'type', 'guardrail_version_id', 'checks']);

/** Returns a saved guardrail unchanged, with the paths of its checks. */
export function arrangeSaved(document: JsonObject): Arranged {
  const places = listOf(document['checks']).map((_, index) => ({
    check: ['checks', index],
    parameters: ['checks', index, 'parameters'],
  }));
  return { document, places, actionsPath: ['actions'] };
}

/**
 * Converts an inline guardrail of a config to the saved form. It lists its checks in `checks`, or
 * each member that is not an action is a check id with the parameters of the check.
 */
export function arrangeInline(value: JsonObject): Arranged {
  const actions = Object.fromEntries(
    ACTION_NAMES.flatMap((name) => (name in value ? [[name, value[name]]] : [])),
  );
  const listed = listOf(value['checks']);
  const short = Object.keys(value).filter((key) => !OTHER_NAMES.has(key));
  const places: CheckPlace[] = [
    ...listed.map((_, index) => ({ check: ['checks', index], parameters: ['checks', index, 'parameters'] })),
    ...short.map((id) => samePlace([id])),
  ];
  const checks = [...listed, ...short.map((id) => shortCheck(id, value[id]))];
  return { document: { checks, actions }, places, actionsPath: [] };
}

const samePlace = (path: readonly string[]): CheckPlace => ({ check: path, parameters: path });

function shortCheck(id: string, value: unknown): GuardrailCheckEntry | { id: string; parameters: unknown } {
  if (!isObject(value)) return { id, parameters: value };
  const { is_enabled: isEnabled, ...parameters } = value;
  return { id, parameters, ...(isEnabled === undefined ? {} : { is_enabled: isEnabled as boolean }) };
}
