import { GatewayError } from '@gw/kernel';
import type { Type } from '@nestjs/common';
import { heldClass } from '../fields/nested-classes';
import { marked } from './object-names';

/** Objects of DTO classes in one body: each is made, and its rules are checked, one by one. */
const OBJECTS_MAX = 10_000;

/**
 * The body with its free data (objects and lists that no DTO class describes) put behind functions, which class-transformer and Nest
 * hand on as they are: both take some ten microseconds for each object that they copy, and a body may have hundreds of thousands.
 * `withFreeData` undoes it, after the transformation. Throws `body_invalid` for more than 10,000 objects that a class describes.
 */
export function withoutFreeData(body: unknown, metatype: Type): unknown {
  let left = OBJECTS_MAX;
  const typed = (value: unknown, type: Type): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    left -= 1;
    if (left < 0) throw tooManyObjects();
    if (Array.isArray(value)) return value.map((item) => typed(item, type));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [marked(name), member(item, heldClass(type, name))]),
    );
  };
  const member = (value: unknown, type: Type | null): unknown => {
    if (type !== null) return typed(value, type);
    return typeof value === 'object' && value !== null ? () => value : value;
  };
  return typed(body, metatype);
}

/** Puts the free data back into the instances. */
export function withFreeData(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === 'function') Reflect.set(value, name, (item as () => unknown)());
    else withFreeData(item);
  }
}

const tooManyObjects = (): GatewayError =>
  new GatewayError('body_invalid', {
    message: `The request body has more than ${String(OBJECTS_MAX)} objects in its lists; send it in parts.`,
  });
