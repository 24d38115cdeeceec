import type { Type as Class } from '@nestjs/common';

const NESTED = new WeakMap<object, Map<string, () => Class>>();

/** Records that a member of a DTO class holds instances of another class, or a list of them. */
export const Holds =
  (type: () => Class): PropertyDecorator =>
  ({ constructor }, name) => {
    const members = NESTED.get(constructor) ?? new Map<string, () => Class>();
    NESTED.set(constructor, members.set(String(name), type));
  };

/** Returns the class of a member; null for a plain value or free-form JSON. */
export function heldClass(holder: Class, name: string): Class | null {
  let at: unknown = holder;
  while (typeof at === 'function') {
    const type = NESTED.get(at)?.get(name);
    if (type) return type();
    at = Object.getPrototypeOf(at);
  }
  return null;
}

/** Copies the nested classes of a class to a class derived from it. */
export function inheritNested<D extends Class>(from: Class, derived: D): D {
  const members = new Map<string, () => Class>();
  for (let at: unknown = from; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    for (const [name, type] of NESTED.get(at) ?? []) if (!members.has(name)) members.set(name, type);
  }
  NESTED.set(derived, members);
  return derived;
}
