import type { ErrorDetail } from '@gw/kernel';
import { Pattern } from './pattern';

/** The rule for one key of the metadata. `values` null: any value; `fallback` null: no default. */
interface MetadataRule {
  readonly name: string;
  readonly required: boolean;
  readonly values: ReadonlySet<string> | null;
  readonly pattern: Pattern | null;
  readonly minLength: number;
  readonly maxLength: number;
  readonly fallback: string | null;
}

/** A valid metadata schema, ready to be applied. */
export type MetadataSchema = readonly MetadataRule[];

type Fields = Readonly<Record<string, unknown>>;

const PROPERTIES_MAX = 64;
const VALUES_MAX = 1_000;
const KEYS = new Set([
  '$schema',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
]);
const RULE_KEYS = new Set([
  'type',
  'title',
  'description',
  'enum',
  'pattern',
  'default',
  'minLength',
  'maxLength',
  'examples',
]);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the supported subset of JSON Schema (draft 7): an object of strings that allows further
 * members. Patterns have RE2 syntax and run in linear time. Reports every other keyword, because
 * ignoring it would suggest that it is enforced.
 */
export function readMetadataSchema(
  value: unknown,
  path: string,
): { readonly schema: MetadataSchema; readonly faults: readonly ErrorDetail[] } {
  if (!isFields(value)) return { schema: [], faults: [{ path, message: 'must be a JSON Schema' }] };
  const faults: ErrorDetail[] = unknownMembers(value, KEYS, path);
  if (value['type'] !== 'object') faults.push({ path: `${path}.type`, message: 'must be object' });
  if (value['additionalProperties'] !== true) {
    faults.push({ path: `${path}.additionalProperties`, message: 'must be true' });
  }
  const properties = value['properties'] ?? {};
  const required = value['required'] ?? [];
  if (!isFields(properties) || Object.keys(properties).length > PROPERTIES_MAX) {
    faults.push({
      path: `${path}.properties`,
      message: `must be an object of at most ${String(PROPERTIES_MAX)}`,
    });
    return { schema: [], faults };
  }
  if (!isTexts(required) || required.length > PROPERTIES_MAX) {
    faults.push({ path: `${path}.required`, message: 'must be a list of names' });
    return { schema: [], faults };
  }
  const names = new Set([...Object.keys(properties), ...required]);
  const schema = [...names].map((name) => {
    const at = `${path}.properties.${name}`;
    return ruleOf(
      name,
      Object.hasOwn(properties, name) ? properties[name] : { type: 'string' },
      required,
      at,
      faults,
    );
  });
  return { schema, faults };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const unknownMembers = (value: Fields, known: ReadonlySet<string>, path: string): ErrorDetail[] =>
  Object.keys(value)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `${path}.${name}`, message: 'is not supported here' }));

function ruleOf(
  name: string,
  value: unknown,
  required: readonly string[],
  path: string,
  faults: ErrorDetail[],
): MetadataRule {
  const fields = isFields(value) ? value : {};
  faults.push(...unknownMembers(fields, RULE_KEYS, path));
  if (fields['type'] !== 'string') faults.push({ path: `${path}.type`, message: 'must be string' });
  const values = fields['enum'];
  if (values !== undefined && !(isTexts(values) && values.length > 0 && values.length <= VALUES_MAX)) {
    faults.push({ path: `${path}.enum`, message: `must be a list of 1 to ${String(VALUES_MAX)} texts` });
  }
  const rule: MetadataRule = {
    name,
    required: required.includes(name),
    values: isTexts(values) ? new Set(values) : null,
    pattern: patternOf(fields['pattern'], `${path}.pattern`, faults),
    minLength: lengthOf(fields['minLength'], 0, `${path}.minLength`, faults),
    maxLength: lengthOf(fields['maxLength'], Infinity, `${path}.maxLength`, faults),
    fallback: typeof fields['default'] === 'string' ? fields['default'] : null,
  };
  if (
    fields['default'] !== undefined &&
    (rule.fallback === null || brokenRule(rule, rule.fallback) !== null)
  ) {
    faults.push({ path: `${path}.default`, message: 'must be a string that the schema allows' });
  }
  return rule;
}

function patternOf(value: unknown, path: string, faults: ErrorDetail[]): Pattern | null {
  if (value === undefined) return null;
  const pattern = typeof value === 'string' ? Pattern.compile(value) : 'must be a string';
  if (typeof pattern !== 'string') return pattern;
  faults.push({ path, message: pattern });
  return null;
}

function lengthOf(value: unknown, fallback: number, path: string, faults: ErrorDetail[]): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  faults.push({ path, message: 'must be a whole number from 0' });
  return fallback;
}

function brokenRule({ values, pattern, minLength, maxLength }: MetadataRule, text: string): string | null {
  if (values && !values.has(text)) return `must be one of ${[...values].slice(0, 20).join(', ')}`;
  // JSON Schema counts code points.
  const { length } = [...text];
  if (length < minLength) return `must have at least ${String(minLength)} characters`;
  if (length > maxLength) return `must have at most ${String(maxLength)} characters`;
  return pattern && !pattern.test(text) ? `must match ${pattern.source}` : null;
}

/**
 * Adds defaults to metadata and reports keys that are missing and values that are not allowed.
 * Returns the given object itself when no default was added.
 */
export function applyMetadataSchema(
  schema: MetadataSchema,
  given: Readonly<Record<string, string>>,
  path: string,
): { readonly metadata: Readonly<Record<string, string>>; readonly faults: readonly ErrorDetail[] } {
  let metadata = given;
  const faults: ErrorDetail[] = [];
  for (const rule of schema) {
    const value = Object.hasOwn(metadata, rule.name) ? metadata[rule.name] : undefined;
    if (value === undefined) {
      if (rule.fallback !== null) metadata = { ...metadata, [rule.name]: rule.fallback };
      else if (rule.required) faults.push({ path: `${path}.${rule.name}`, message: 'is required' });
      continue;
    }
    const message = brokenRule(rule, value);
    if (message !== null) faults.push({ path: `${path}.${rule.name}`, message });
  }
  return { metadata, faults };
}
