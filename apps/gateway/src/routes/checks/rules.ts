import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { between, list as listSchema, names, ref, request, type Schema } from '../openapi/schema';
import { kindOf, quoted, type Violations } from './violations';

/**
 * Checks a value that is present; the object rule handles absent and null values. Never modifies
 * the value.
 */
type Check = (value: unknown, path: string, found: Violations) => void;

/** A check together with its JSON Schema for the OpenAPI document. */
export interface Rule extends Check {
  readonly schema: Schema;
  /** The name and the content of the schema that `schema` refers to, for a named rule. */
  readonly definition?: readonly [name: string, schema: Schema];
}

export const rule = (schema: Schema, check: Check): Rule => Object.assign(check, { schema });

/** Gives the rule a name of its own in the document. */
export const named = (name: string, own: Rule): Rule =>
  Object.assign(documented(own, {}, ref(name)), { definition: [name, own.schema] as const });

/** Adds members to the rule's schema, such as `description` and `default`. */
export const documented = (own: Rule, more: Schema, schema: Schema = own.schema): Rule =>
  rule({ ...schema, ...more }, (value, path, found) => own(value, path, found));

/** Returns the named schemas of these rules for the document. */
export const definitionsOf = (...rules: readonly Rule[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(rules.flatMap(({ definition }) => (definition ? [definition] : [])));

export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const range = (min: number, max: number): string =>
  max === Infinity ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;

export const integer = (min: number, max = Infinity): Rule => {
  const message = `must be a whole number ${range(min, max)}`;
  return rule(between('integer', min, max === Infinity ? undefined : max), (value, path, found) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return;
    found.add(path, message, kindOf(value));
  });
};

export const number = (min: number, max: number): Rule => {
  const message = `must be a number ${range(min, max)}`;
  return rule(between('number', min, max), (value, path, found) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) found.add(path, message, kindOf(value));
  });
};

export const text: Rule = rule({ type: 'string' }, (value, path, found) => {
  if (typeof value !== 'string') found.add(path, 'must be a string', kindOf(value));
});

export const flag: Rule = rule({ type: 'boolean' }, (value, path, found) => {
  if (typeof value !== 'boolean') found.add(path, 'must be true or false', kindOf(value));
});

export const anyObject: Rule = rule({ type: 'object' }, (value, path, found) => {
  if (!isObject(value)) found.add(path, 'must be an object', kindOf(value));
});

export const oneOf = (...words: readonly string[]): Rule => {
  const message = `must be one of ${words.join(', ')}`;
  return rule(names(...words), (value, path, found) => {
    if (typeof value !== 'string' || !words.includes(value)) found.add(path, message, quoted(value));
  });
};

/** Accepts an array of at most `most` items, each of which must pass `item`. */
export const list = (item: Rule, most = Infinity): Rule => {
  const schema = listSchema(item.schema, most === Infinity ? undefined : most);
  return rule(schema, (value, path, found) => {
    if (!Array.isArray(value)) {
      found.add(path, 'must be an array', kindOf(value));
      return;
    }
    if (value.length > most) {
      found.add(path, `must have at most ${String(most)} items`, `an array of ${String(value.length)}`);
      return;
    }
    for (let i = 0; i < value.length && !found.isFull; i += 1) item(value[i], below(path, String(i)), found);
  });
};

interface ObjectOptions {
  /** Fields that must be present and not null. */
  readonly required?: readonly string[];
  /** Checks rules between fields. */
  readonly together?: (body: JsonObject, path: string, found: Violations) => void;
  /** The schema of these rules for the document. */
  readonly togetherSchema?: Schema;
}

/**
 * Accepts an object. Fields without a rule pass, and so does an absent or null field that is not
 * required.
 */
export const object = (fields: Readonly<Record<string, Rule>>, options: ObjectOptions = {}): Rule => {
  const rules = Object.entries(fields);
  const { required = [], together, togetherSchema } = options;
  const properties = Object.fromEntries(rules.map(([name, { schema }]) => [name, schema]));
  return rule({ ...request(properties, required), ...togetherSchema }, (value, path, found) => {
    if (!isObject(value)) {
      found.add(path, 'must be an object', kindOf(value));
      return;
    }
    for (const name of required) {
      if (isAbsent(value[name])) found.add(below(path, name), 'is required', kindOf(value[name]));
    }
    for (const [name, own] of rules) {
      const field = value[name];
      if (!isAbsent(field)) own(field, below(path, name), found);
    }
    together?.(value, path, found);
  });
};

const PAIRS_MAX = 16;
const KEY_CHARACTERS_MAX = 64;
const VALUE_CHARACTERS_MAX = 512;

/** Counts characters as code points: an emoji is one. */
const isLonger = (value: string, most: number): boolean => value.length > most && [...value].length > most;

/** Accepts up to 16 pairs, with keys of up to 64 and values of up to 512 characters. */
const pairs: Rule = rule(
  {
    type: 'object',
    description: 'Up to 16 pairs; keys of up to 64 and values of up to 512 characters.',
    maxProperties: PAIRS_MAX,
    propertyNames: { maxLength: KEY_CHARACTERS_MAX },
    additionalProperties: { type: 'string', maxLength: VALUE_CHARACTERS_MAX },
  },
  (value, path, found) => {
    if (!isObject(value)) {
      found.add(path, 'must be an object', kindOf(value));
      return;
    }
    const entries = Object.entries(value);
    if (entries.length > PAIRS_MAX) {
      found.add(
        path,
        `must have at most ${String(PAIRS_MAX)} pairs`,
        `an object of ${String(entries.length)}`,
      );
      return;
    }
    for (const [key, item] of entries) {
      const at = below(path, key.slice(0, KEY_CHARACTERS_MAX));
      if (isLonger(key, KEY_CHARACTERS_MAX))
        found.add(at, `must have a key of at most ${String(KEY_CHARACTERS_MAX)} characters`, lengthOf(key));
      if (typeof item !== 'string') found.add(at, 'must be a string', kindOf(item));
      else if (isLonger(item, VALUE_CHARACTERS_MAX))
        found.add(at, `must have at most ${String(VALUE_CHARACTERS_MAX)} characters`, lengthOf(item));
    }
  },
);
export const metadata = named('Metadata', pairs);

const lengthOf = (value: string): string => `${String([...value].length)} characters long`;
