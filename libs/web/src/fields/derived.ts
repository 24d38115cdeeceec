import type { Type as Class } from '@nestjs/common';
import { OmitType, PartialType, PickType } from '@nestjs/swagger';
import { Documented, fieldsOf, inheritFields } from './documented-fields';
import { inheritNested } from './nested-classes';
import { EXAMPLES } from './options';

/** Creates a mapped type of `from` that keeps the schemas and nested classes of its fields. */
function derived<D extends Class>(from: Class, type: D, names: readonly PropertyKey[]): D {
  inheritNested(from, type);
  inheritFields(from, type, names);
  return type;
}

const namesOf = (type: Class): string[] => [...fieldsOf(type).keys()];

/**
 * Creates the class of an update: each field may be absent, and null only if the original field may
 * be null.
 */
export const partialOf = <T extends object>(type: Class<T>): Class<Partial<T>> =>
  derived(type, PartialType(type, { skipNullProperties: false }), namesOf(type));

export const pickOf = <T extends object, K extends keyof T>(
  type: Class<T>,
  ...names: K[]
): Class<Pick<T, K>> => derived(type, PickType(type, names), names);

export const omitOf = <T extends object, K extends keyof T>(
  type: Class<T>,
  ...names: K[]
): Class<Omit<T, K>> =>
  derived(
    type,
    OmitType(type, names),
    namesOf(type).filter((name) => !(names as PropertyKey[]).includes(name)),
  );

type Shown<T> = { readonly [K in keyof T]-?: T[K] };

/**
 * Creates a response class from the fields of a request: always present, without bounds and without
 * the description, which is for callers. Declare a field again with `ResponseField` to describe or
 * change it.
 */
export function responseOf<T extends object, B extends object>(
  fields: Class<T>,
  base: Class<B>,
): Class<Shown<T> & B> {
  class Shows extends (base as Class) {}
  for (const [name, schema] of fieldsOf(fields)) {
    Documented({ ...shown(schema), required: true })(Shows.prototype as object, name);
  }
  return Shows as Class<Shown<T> & B>;
}

type Schema = Readonly<Record<string, unknown>>;

const KEPT = ['type', 'format', 'enum', 'isArray', 'nullable', 'anyOf'] as const;

/** Reduces a request schema to the keywords about the value itself. */
function shown(schema: Schema): Schema {
  const { items, additionalProperties } = schema;
  const kept = Object.fromEntries(
    KEPT.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
  );
  const example = exampleOf(schema);
  return {
    ...kept,
    ...(isSchema(items) ? { items: shown(items) } : {}),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: shown(additionalProperties) }
      : additionalProperties === undefined
        ? {}
        : { additionalProperties }),
    ...(example === undefined ? {} : { example }),
  };
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

function exampleOf({ example, enum: values, format, type }: Schema): unknown {
  if (example !== undefined) return example;
  if (Array.isArray(values)) return (values as unknown[])[0];
  return EXAMPLES[String(format ?? type)];
}
