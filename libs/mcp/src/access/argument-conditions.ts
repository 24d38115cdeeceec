import { Pattern } from '@gw/config-schema';
import { canonicalJson, isPointer, pointed, isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * A condition on one argument of a tool. Values are compared without conversion. `prefix` compares
 * text and does not resolve paths. `regex` is RE2 and must match the whole text. `max` and `min`
 * include the bound.
 */
export type ArgumentCondition = { readonly pointer: string } & (
  | { readonly op: 'equals'; readonly value: unknown }
  | { readonly op: 'in'; readonly value: readonly unknown[] }
  | { readonly op: 'prefix'; readonly value: string }
  | { readonly op: 'regex'; readonly value: string }
  | { readonly op: 'max' | 'min'; readonly value: number }
  | { readonly op: 'type'; readonly value: JsonType }
);

/**
 * Result of a condition; `unknown` when the text is too long for the condition's pattern, and when a
 * number may differ from the digits that the server receives.
 */
export type ConditionResult = 'holds' | 'fails' | 'unknown';

/**
 * Judges a condition on parsed arguments. A missing argument, or one of another type, fails the
 * condition.
 */
export function judgeCondition(condition: ArgumentCondition, args: JsonObject): ConditionResult {
  const found = pointed(args, condition.pointer, { items: true });
  if (found === undefined) return 'fails';
  if (condition.op === 'regex') return judgePattern(condition.value, found);
  if (mayBeRounded(found, condition.op)) return 'unknown';
  return holds(condition, found) ? 'holds' : 'fails';
}

function holds(condition: Exclude<ArgumentCondition, { readonly op: 'regex' }>, found: unknown): boolean {
  switch (condition.op) {
    case 'equals':
      return isEqual(found, condition.value);
    case 'in':
      return condition.value.some((value) => isEqual(found, value));
    case 'prefix':
      return typeof found === 'string' && found.startsWith(condition.value);
    case 'max':
      return typeof found === 'number' && found <= condition.value;
    case 'min':
      return typeof found === 'number' && found >= condition.value;
    case 'type':
      return isOfType(found, condition.value);
  }
}

/** Returns whether a value that an operator compares has an integer that a double may have rounded. */
const mayBeRounded = (value: unknown, op: ArgumentCondition['op']): boolean =>
  op === 'equals' || op === 'in' ? hasRounded(value) : isRounded(value);

const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Returns whether a value has such an integer at any depth. */
function hasRounded(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasRounded);
  return isObject(value) ? Object.values(value).some(hasRounded) : isRounded(value);
}

const ROUNDED = 'value must not have integers beyond 2^53; compare such ids as texts';

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && one !== null && canonicalJson(one) === canonicalJson(other));

function judgePattern(source: string, found: unknown): ConditionResult {
  const pattern = wholePattern(source);
  if (typeof found !== 'string') return 'fails';
  if (typeof pattern === 'string' || found.length > pattern.lengthMax) return 'unknown';
  return pattern.test(found) ? 'holds' : 'fails';
}

const wholePattern = (source: string): Pattern | string => Pattern.compile(`^(?:${source})$`);

function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

const VALUES_MAX = 100;
const TEXT_MAX = 1_024;
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX;

/**
 * Checks the value of a condition, by operator. Returns the fault; null when the value is valid.
 */
const VALUE_FAULTS: Readonly<Record<ArgumentCondition['op'], (value: unknown) => string | null>> = {
  equals: (value) => {
    if (value === undefined) return 'value is required for the operator equals';
    return hasRounded(value) ? ROUNDED : null;
  },
  in: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= VALUES_MAX
      ? hasRounded(value)
        ? ROUNDED
        : null
      : `value must be a list of 1 to ${String(VALUES_MAX)} values for the operator in`,
  prefix: (value) => (isText(value) ? null : `value must be a text of 1 to ${String(TEXT_MAX)} characters`),
  regex: (value) => {
    if (!isText(value)) return `value must be a pattern of 1 to ${String(TEXT_MAX)} characters`;
    const pattern = wholePattern(value);
    return typeof pattern === 'string' ? pattern : null;
  },
  max: (value) => (Number.isFinite(value) ? null : 'value must be a number for the operator max'),
  min: (value) => (Number.isFinite(value) ? null : 'value must be a number for the operator min'),
  type: (value) => (TYPES.includes(value) ? null : `value must be one of ${TYPES.join(', ')}`),
};

/** Checks a condition written by an administrator. Returns the fault; null when it is valid. */
export function argumentConditionFault(condition: unknown): string | null {
  if (!isObject(condition)) return 'a condition must be an object';
  const { pointer, op, value } = condition;
  if (typeof pointer !== 'string' || !isPointer(pointer))
    return 'pointer must be a JSON pointer, such as /repo';
  if (typeof op !== 'string' || !Object.hasOwn(VALUE_FAULTS, op))
    return `op must be one of ${Object.keys(VALUE_FAULTS).join(', ')}`;
  return VALUE_FAULTS[op as ArgumentCondition['op']](value);
}
