import type { JsonObject } from '@gw/providers';
import { isObject } from '../../http/json-body';
import { kindOf, quoted, type Violations } from './violations';

/** Checks a value that is there; an absent one and null are the object's affair. Never changes anything. */
export type Rule = (value: unknown, path: string, found: Violations) => void;

export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const range = (min: number, max: number): string =>
  max === Infinity ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;

export const integer = (min: number, max = Infinity): Rule => {
  const rule = `must be a whole number ${range(min, max)}`;
  return (value, path, found) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return;
    found.add(path, rule, kindOf(value));
  };
};

export const number = (min: number, max: number): Rule => {
  const rule = `must be a number ${range(min, max)}`;
  return (value, path, found) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) found.add(path, rule, kindOf(value));
  };
};

export const text: Rule = (value, path, found) => {
  if (typeof value !== 'string') found.add(path, 'must be a string', kindOf(value));
};

export const flag: Rule = (value, path, found) => {
  if (typeof value !== 'boolean') found.add(path, 'must be true or false', kindOf(value));
};

export const anyObject: Rule = (value, path, found) => {
  if (!isObject(value)) found.add(path, 'must be an object', kindOf(value));
};

export const oneOf = (...names: readonly string[]): Rule => {
  const rule = `must be one of ${names.join(', ')}`;
  return (value, path, found) => {
    if (typeof value !== 'string' || !names.includes(value)) found.add(path, rule, quoted(value));
  };
};

/** `most` items at most, each of which must keep `rule`. */
export const list = (rule: Rule, most = Infinity): Rule => {
  return (value, path, found) => {
    if (!Array.isArray(value)) {
      found.add(path, 'must be an array', kindOf(value));
      return;
    }
    if (value.length > most) {
      found.add(path, `must have at most ${String(most)} items`, `an array of ${String(value.length)}`);
      return;
    }
    for (let i = 0; i < value.length && !found.isFull; i += 1) rule(value[i], below(path, String(i)), found);
  };
};

interface ObjectOptions {
  /** Fields that must be there and not null. */
  readonly required?: readonly string[];
  /** What the fields must keep together. */
  readonly together?: (body: JsonObject, path: string, found: Violations) => void;
}

/** An object; fields without a rule pass, and so does an absent or null one that is not required. */
export const object = (fields: Readonly<Record<string, Rule>>, options: ObjectOptions = {}): Rule => {
  const rules = Object.entries(fields);
  const { required = [], together } = options;
  return (value, path, found) => {
    if (!isObject(value)) {
      found.add(path, 'must be an object', kindOf(value));
      return;
    }
    for (const name of required) {
      if (isAbsent(value[name])) found.add(below(path, name), 'is required', kindOf(value[name]));
    }
    for (const [name, rule] of rules) {
      const field = value[name];
      if (!isAbsent(field)) rule(field, below(path, name), found);
    }
    together?.(value, path, found);
  };
};

const PAIRS_MAX = 16;
const KEY_CHARACTERS_MAX = 64;
const VALUE_CHARACTERS_MAX = 512;

/** Characters are code points: an emoji is one. */
const isLonger = (value: string, most: number): boolean => value.length > most && [...value].length > most;

/** Up to 16 pairs; keys of up to 64, values of up to 512 characters. */
export const metadata: Rule = (value, path, found) => {
  if (!isObject(value)) {
    found.add(path, 'must be an object', kindOf(value));
    return;
  }
  const pairs = Object.entries(value);
  if (pairs.length > PAIRS_MAX) {
    found.add(path, `must have at most ${String(PAIRS_MAX)} pairs`, `an object of ${String(pairs.length)}`);
    return;
  }
  for (const [key, item] of pairs) {
    const at = below(path, key.slice(0, KEY_CHARACTERS_MAX));
    if (isLonger(key, KEY_CHARACTERS_MAX))
      found.add(at, `must have a key of at most ${String(KEY_CHARACTERS_MAX)} characters`, lengthOf(key));
    if (typeof item !== 'string') found.add(at, 'must be a string', kindOf(item));
    else if (isLonger(item, VALUE_CHARACTERS_MAX))
      found.add(at, `must have at most ${String(VALUE_CHARACTERS_MAX)} characters`, lengthOf(item));
  }
};

const lengthOf = (value: string): string => `${String([...value].length)} characters long`;
