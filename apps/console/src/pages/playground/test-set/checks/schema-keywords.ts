import { checkWords as text } from '../../../../messages/en/test-sets';
import { isJson, type Json } from '../../../../ui/body/conversation';

/** Kind of schemas that a keyword contains: one, a list, by name, or none (null). */
export type Holds = 'schema' | 'list' | 'names' | null;

interface Checking {
  /** The schema that contains the keyword. */
  readonly schema: Json;
  readonly check: (schema: unknown, value: unknown, at: string) => string | null;
  readonly resolve: (reference: string) => unknown;
}

/**
 * Returns why a value does not match; null or undefined when it matches or the keyword does not
 * apply to it.
 */
type Fault = (rule: never, value: unknown, at: string, checking: Checking) => string | null | undefined;

interface Keyword {
  readonly holds: Holds;
  readonly isValid: (rule: unknown) => boolean;
  /** Check of a value; absent when another keyword reads this one. */
  readonly fault?: (
    rule: unknown,
    value: unknown,
    at: string,
    checking: Checking,
  ) => string | null | undefined;
}

/** Keywords without an effect on validation. `format` is an annotation too. */
export const NOTES: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'format'],
  ...['$schema', '$id', '$comment', 'strict'],
]);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isJson,
};

const isSchema = (rule: unknown): boolean => typeof rule === 'boolean' || isJson(rule);
const isCount = (rule: unknown): boolean => Number.isSafeInteger(rule) && (rule as number) >= 0;
const isNumber = (rule: unknown): boolean => typeof rule === 'number';
const isText = (rule: unknown): boolean => typeof rule === 'string';
const isTexts = (rule: unknown): boolean => Array.isArray(rule) && rule.every(isText);
const isType = (rule: unknown): boolean =>
  [rule].flat().every((name) => typeof name === 'string' && Object.hasOwn(TYPES, name));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, sorted(item)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
};
/** Canonical text of a value: equal for equal values, whatever the order of their members. */
const written = (value: unknown): string => JSON.stringify(sorted(value));

const inner = (at: string, name: string | number): string =>
  typeof name === 'number' ? `${at}[${String(name)}]` : `${at}.${name}`;

function keyword(holds: Holds, isValid: Keyword['isValid'], fault?: Fault): Keyword {
  return { holds, isValid, ...(fault === undefined ? {} : { fault: fault as Keyword['fault'] }) };
}

/** Keyword that bounds a number, or the size of a text, list or object. */
const bound = (
  isValid: Keyword['isValid'],
  measure: (value: unknown) => number | null,
  holdsTo: (measured: number, rule: number) => boolean,
  name: string,
): Keyword =>
  keyword(null, isValid, (rule: number, value, at) => {
    const measured = measure(value);
    return measured === null || holdsTo(measured, rule) ? null : text.bound(at, name, rule);
  });

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const lengthOf = (value: unknown): number | null => (typeof value === 'string' ? [...value].length : null);
const itemsOf = (value: unknown): number | null => (Array.isArray(value) ? value.length : null);
const membersOf = (value: unknown): number | null => (isJson(value) ? Object.keys(value).length : null);
const atLeast = (measured: number, rule: number): boolean => measured >= rule;
const atMost = (measured: number, rule: number): boolean => measured <= rule;

function firstFault<T>(entries: Iterable<T>, fault: (entry: T) => string | null): string | null {
  for (const entry of entries) {
    const found = fault(entry);
    if (found !== null) return found;
  }
  return null;
}

const matches = (rules: readonly unknown[], value: unknown, at: string, { check }: Checking): number =>
  rules.filter((rule) => check(rule, value, at) === null).length;

/** Supported keywords; a schema with any other keyword is refused. */
export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: keyword(null, isType, (rule: string | readonly string[], value, at) =>
    [rule].flat().some((name) => TYPES[name]?.(value) === true) ? null : text.type(at, [rule].flat()),
  ),
  enum: keyword(null, Array.isArray, (rule: readonly unknown[], value, at) =>
    new Set(rule.map(written)).has(written(value)) ? null : text.enum(at),
  ),
  const: keyword(
    null,
    () => true,
    (rule: unknown, value, at) => (written(rule) === written(value) ? null : text.enum(at)),
  ),
  required: keyword(null, isTexts, (rule: readonly string[], value, at) => {
    const missing = isJson(value) ? rule.find((name) => !Object.hasOwn(value, name)) : undefined;
    return missing === undefined ? null : text.required(at, missing);
  }),
  properties: keyword('names', isJson, (rule: Json, value, at, { check }) =>
    isJson(value)
      ? firstFault(Object.entries(rule), ([name, schema]) =>
          Object.hasOwn(value, name) ? check(schema, value[name], inner(at, name)) : null,
        )
      : null,
  ),
  additionalProperties: keyword('schema', isSchema, (rule: unknown, value, at, { schema, check }) => {
    const named = isJson(schema['properties']) ? schema['properties'] : {};
    return isJson(value)
      ? firstFault(Object.keys(value), (name) =>
          Object.hasOwn(named, name) ? null : check(rule, value[name], inner(at, name)),
        )
      : null;
  }),
  prefixItems: keyword('list', Array.isArray, (rule: readonly unknown[], value, at, { check }) =>
    Array.isArray(value)
      ? firstFault(value.slice(0, rule.length).entries(), ([place, item]) =>
          check(rule[place], item, inner(at, place)),
        )
      : null,
  ),
  items: keyword('schema', isSchema, (rule: unknown, value, at, { schema, check }) => {
    const from = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].length : 0;
    return Array.isArray(value)
      ? firstFault(value.entries(), ([place, item]) =>
          place < from ? null : check(rule, item, inner(at, place)),
        )
      : null;
  }),
  allOf: keyword('list', Array.isArray, (rule: readonly unknown[], value, at, { check }) =>
    firstFault(rule, (schema) => check(schema, value, at)),
  ),
  anyOf: keyword('list', Array.isArray, (rule: readonly unknown[], value, at, checking) =>
    matches(rule, value, at, checking) > 0 ? null : text.anyOf(at),
  ),
  oneOf: keyword('list', Array.isArray, (rule: readonly unknown[], value, at, checking) =>
    matches(rule, value, at, checking) === 1 ? null : text.oneOf(at),
  ),
  not: keyword('schema', isSchema, (rule: unknown, value, at, { check }) =>
    check(rule, value, at) === null ? text.notAllowed(at) : null,
  ),
  $ref: keyword(null, isText, (rule: string, value, at, { check, resolve }) =>
    check(resolve(rule), value, at),
  ),
  $defs: keyword('names', isJson),
  definitions: keyword('names', isJson),
  minimum: bound(isNumber, numberOf, atLeast, 'minimum'),
  maximum: bound(isNumber, numberOf, atMost, 'maximum'),
  exclusiveMinimum: bound(isNumber, numberOf, (value, rule) => value > rule, 'exclusiveMinimum'),
  exclusiveMaximum: bound(isNumber, numberOf, (value, rule) => value < rule, 'exclusiveMaximum'),
  minLength: bound(isCount, lengthOf, atLeast, 'minLength'),
  maxLength: bound(isCount, lengthOf, atMost, 'maxLength'),
  minItems: bound(isCount, itemsOf, atLeast, 'minItems'),
  maxItems: bound(isCount, itemsOf, atMost, 'maxItems'),
  minProperties: bound(isCount, membersOf, atLeast, 'minProperties'),
  maxProperties: bound(isCount, membersOf, atMost, 'maxProperties'),
};
