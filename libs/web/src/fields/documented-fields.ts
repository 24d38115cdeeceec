import type { Type as Class } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

/** Schemas of the fields that a class itself declares, by name. */
const DECLARED = new WeakMap<object, Map<string, Schema>>();

/** Documents a field, and stores its schema for classes and views derived from the class. */
export const Documented =
  (schema: Schema): PropertyDecorator =>
  (target, name) => {
    ApiProperty(schema)(target, name);
    declare(target.constructor, String(name), schema);
  };

function declare(type: object, name: string, schema: Schema): void {
  const fields = DECLARED.get(type) ?? new Map<string, Schema>();
  DECLARED.set(type, fields.set(name, { ...fields.get(name), ...schema }));
}

const CACHE = new WeakMap<object, ReadonlyMap<string, Schema>>();

/**
 * Returns the schemas of all fields of a class, inherited ones first. A repeated declaration
 * extends the inherited one.
 */
export function fieldsOf(type: Class): ReadonlyMap<string, Schema> {
  const cached = CACHE.get(type);
  if (cached) return cached;
  const parent: unknown = Object.getPrototypeOf(type);
  const fields = new Map(typeof parent === 'function' && parent.prototype ? fieldsOf(parent as Class) : []);
  for (const [name, schema] of DECLARED.get(type) ?? []) {
    fields.set(name, { ...fields.get(name), ...schema });
  }
  CACHE.set(type, fields);
  return fields;
}

/** Copies the schemas of a class's fields to a mapped type of the class. */
export function inheritFields(from: Class, derived: Class, names: readonly PropertyKey[]): void {
  for (const [name, schema] of fieldsOf(from)) if (names.includes(name)) declare(derived, name, schema);
}
