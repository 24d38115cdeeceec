import { isObject } from '@gw/kernel';
import fc, { type Arbitrary } from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, unknown>>;

/** Narrows to `readonly unknown[]`; `Array.isArray` narrows to `any[]`. */
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const UUID = '018f0000-0000-7000-8000-000000000000';

/**
 * Strings that break careless handling of databases, paths, templates, numbers, prototypes and
 * Unicode.
 */
export const HOSTILE_TEXTS: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\u202e', '\u2028', '\r\nx: 1', '💥'.repeat(64), 'ﬀ', 'İ'],
  ...["' OR 1=1--", '"; DROP TABLE users', '%', '_', '\\', '%%%', '$1', '{{x}}', '{{>x}}', '${x}', '{"a":1}'],
  ...['../..', '..%2f', '%00', '%', '//', '.', '~', '@', '@@', '#', '?', '*', 'null', 'undefined', 'NaN'],
  ...['__proto__', 'constructor', 'toString', '-1', '0', '1e309', '9223372036854775808', '0x10', '1.5'],
  ...[UUID, UUID.toUpperCase(), '2026-02-30T00:00:00Z', '+275760-09-13T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...[
    'a'.repeat(256),
    'a'.repeat(70_000),
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'http://[::1]:1/',
  ],
];

const HOSTILE_NUMBERS = [
  ...[-1, 0, 0.5, -0, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e308, 5e-324, Number.MAX_SAFE_INTEGER],
];

/** Any JSON value, including very unlikely ones. */
export const hostile: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: { b: { c: [{}] } } }),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.constant(Object.fromEntries([['__proto__', { isAdmin: true }]])),
  fc.array(fc.constantFrom(...HOSTILE_TEXTS), { maxLength: 5 }),
  fc.dictionary(
    fc.constantFrom('a', 'id', 'constructor', 'type'),
    fc.constantFrom<unknown>(1, 'x', null, []),
  ),
  fc.constant(Array.from({ length: 2_000 }, (_unused, index) => index)),
  fc.constant(JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown),
);

/** Describes how hostile values replace valid ones, at any depth. */
export interface Mischief {
  /** Percentage of hostile values. */
  readonly percent: number;
  /** Ids and slugs from earlier responses. */
  readonly known: readonly string[];
  /** Usual values of fields by name, such as the workspace of the calls. */
  readonly named: Readonly<Record<string, string>>;
}

/**
 * Generates values for a schema of the document, as far as its keywords define them. Replaces some
 * with hostile values.
 */
export function valuesOf(
  schema: Schema,
  schemas: Schemas,
  mischief: Mischief,
  depth = 0,
): Arbitrary<unknown> {
  const valid = validOf(schema, schemas, mischief, depth);
  const { percent } = mischief;
  return percent === 0
    ? valid
    : fc.oneof({ arbitrary: valid, weight: 100 - percent }, { arbitrary: hostile, weight: percent });
}

function validOf(schema: Schema, schemas: Schemas, mischief: Mischief, depth: number): Arbitrary<unknown> {
  const inner = (value: unknown): Arbitrary<unknown> =>
    depth > 6 ? fc.constant(null) : valuesOf(isObject(value) ? value : {}, schemas, mischief, depth + 1);
  const { $ref, enum: values, example } = schema;
  if (typeof $ref === 'string') return inner(schemas[$ref.split('/').at(-1) ?? '']);
  const union = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray) as
    unknown[] | undefined;
  if (union) return fc.oneof(...union.map(inner));
  if (isList(values)) return fc.constantFrom(...values);
  const { type } = schema;
  const types = (isList(type) ? type : [type]).map((one) => ofType(String(one), schema, inner, mischief));
  const shown = example === undefined ? [] : [{ arbitrary: fc.constant(example), weight: 3 * types.length }];
  return fc.oneof(...types, ...shown);
}

function ofType(
  type: string,
  schema: Schema,
  inner: (schema: unknown) => Arbitrary<unknown>,
  mischief: Mischief,
): Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000 } = schema as { readonly minimum?: number; readonly maximum?: number };
  switch (type) {
    case 'object':
      return fieldsOf(schema, inner, mischief);
    case 'array':
      return fc.array(inner(schema['items']), { minLength: Number(schema['minItems'] ?? 0), maxLength: 3 });
    case 'string':
      return textsOf(schema, mischief);
    case 'integer':
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.maxSafeInteger().map((value) => within(value, minimum, maximum)),
      );
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return hostile;
  }
}

const within = (value: number, minimum: number, maximum: number): number =>
  minimum + (Math.abs(value) % Math.max(1, maximum - minimum + 1));

// Shared, because creating such a generator costs more than the call that uses it.
const WORDS = fc.stringMatching(/^[a-z][a-z0-9-]{2,15}$/);
const NAMES = fc.stringMatching(/^[a-z]{1,8}$/);
const TEXT_MAX = 24;
const TEXTS = Array.from({ length: TEXT_MAX + 1 }, (_unused, maxLength) =>
  fc.string({ unit: 'grapheme', minLength: Math.min(1, maxLength), maxLength }),
);

function textsOf({ format, maxLength }: Schema, { known }: Mischief): Arbitrary<unknown> {
  const ids = known.length === 0 ? [] : [fc.constantFrom(...known)];
  if (format === 'uuid') return fc.oneof(fc.uuid(), ...ids);
  if (format === 'email') return fc.uuid().map((name) => `${name}@example.com`);
  if (format === 'date-time') {
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString());
  }
  const most = Math.min(TEXT_MAX, Number(maxLength ?? TEXT_MAX));
  const word = WORDS.map((text) => text.slice(0, most));
  return fc.oneof(word, word, TEXTS[most] ?? WORDS, ...ids);
}

/** Generates all required members and some of the others. */
function fieldsOf(
  schema: Schema,
  inner: (schema: unknown) => Arbitrary<unknown>,
  mischief: Mischief,
): Arbitrary<unknown> {
  const { properties, required, additionalProperties } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) {
    const needed = Array.isArray(required) ? (required as string[]) : [];
    return someOf(properties, needed, inner, mischief);
  }
  const values = isObject(additionalProperties) ? inner(additionalProperties) : fc.jsonValue({ maxDepth: 2 });
  return fc.dictionary(NAMES, values, { maxKeys: 3 });
}

/**
 * Generates the required fields and up to three others. A field in `named` usually gets its usual
 * value.
 */
export function someOf(
  fields: Readonly<Record<string, unknown>>,
  needed: readonly string[],
  inner: (schema: unknown) => Arbitrary<unknown>,
  { named }: Mischief,
): Arbitrary<Record<string, unknown>> {
  const always = Object.keys(fields).filter((name) => needed.includes(name) || Object.hasOwn(named, name));
  const others = Object.keys(fields).filter((name) => !always.includes(name));
  const valueOf = (name: string): Arbitrary<unknown> =>
    Object.hasOwn(named, name)
      ? fc.oneof(
          { arbitrary: fc.constant(named[name]), weight: 9 },
          { arbitrary: inner(fields[name]), weight: 1 },
        )
      : inner(fields[name]);
  return fc
    .subarray(others, { maxLength: Math.min(3, others.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries([...always, ...chosen].map((name) => [name, valueOf(name)]))),
    );
}
