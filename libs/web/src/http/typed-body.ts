import { GatewayError, misspeltName, nearestName, truncated, type ErrorDetail } from '@gw/kernel';
import type { Type } from '@nestjs/common';
import { membersOf } from '../fields/members';
import { heldClass } from '../fields/nested-classes';

/** Maximum number of DTO objects in one body; each is instantiated and validated separately. */
const OBJECTS_MAX = 10_000;
/**
 * Maximum number of unknown members of a body that are compared with known ones. A body with more
 * unknown members has no typing mistake.
 */
const COMPARED_MAX = 64;
/** Maximum number of unknown members, and of lists that are too long, in an error. */
const NAMED_MAX = 10;
/** Maximum number of characters that an error shows of a name that the caller sent. */
const SHOWN_MAX = 128;

export interface TypedBody {
  /**
   * The members that the classes know. Free-form data (objects and lists without a class) is
   * wrapped in functions, which class-transformer and Nest pass on without a copy; they need about
   * ten microseconds for each object that they copy. `withFreeData` unwraps it after the
   * transformation.
   */
  readonly body: unknown;
  /** Lists with more items than their rule allows. They are not in `body`. */
  readonly tooLong: readonly ErrorDetail[];
  /**
   * For a strict class all unknown members, for others those similar to a known one; the first ten.
   */
  readonly unknown: readonly ErrorDetail[];
}

/**
 * Reads a body by its DTO class before validation, because class-validator compares lists with
 * lists, and checks the items of a list before its length. Throws `body_invalid` for more than
 * 10,000 DTO objects.
 */
export function typedBody(body: unknown, type: Type, isStrict: boolean): TypedBody {
  const reading = new Reading(isStrict);
  return { body: reading.typed(body, type, ''), tooLong: reading.tooLong, unknown: reading.unknown };
}

class Reading {
  readonly tooLong: ErrorDetail[] = [];
  readonly unknown: ErrorDetail[] = [];
  private objectsLeft = OBJECTS_MAX;
  private comparedLeft = COMPARED_MAX;

  constructor(private readonly isStrict: boolean) {}

  typed(value: unknown, type: Type, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    this.objectsLeft -= 1;
    if (this.objectsLeft < 0) throw tooManyObjects();
    if (Array.isArray(value))
      return value.map((item, index) => this.typed(item, type, `${path}${String(index)}.`));
    return this.members(value, type, path);
  }

  private members(value: object, type: Type, path: string): object {
    const known = membersOf(type);
    const kept: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      const itemsMax = known.get(name)?.itemsMax;
      if (itemsMax === undefined) this.noteUnknown(name, known.keys(), path);
      else if (itemsMax !== null && Array.isArray(item) && item.length > itemsMax)
        this.noteLength(`${path}${name}`, itemsMax, item.length);
      else
        kept[name] = member(item, heldClass(type, name), (inner, of) =>
          this.typed(inner, of, `${path}${name}.`),
        );
    }
    return kept;
  }

  private noteUnknown(name: string, known: Iterable<string>, path: string): void {
    if (this.unknown.length >= NAMED_MAX || this.comparedLeft === 0) return;
    this.comparedLeft -= 1;
    const meant = this.isStrict ? nearestName(name, known) : misspeltName(name, known);
    if (meant === null && !this.isStrict) return;
    const wayOut = meant === null ? 'remove it.' : `did you mean ${meant}?`;
    this.unknown.push({ path: `${path}${shown(name)}`, message: `is no member of this body; ${wayOut}` });
  }

  private noteLength(path: string, max: number, length: number): void {
    if (this.tooLong.length >= NAMED_MAX) return;
    const name = path.slice(path.lastIndexOf('.') + 1);
    const message = `${name} must contain no more than ${String(max)} elements; it has ${String(length)}.`;
    this.tooLong.push({ path, message });
  }
}

const shown = (name: string): string => (name.length > SHOWN_MAX ? `${truncated(name, SHOWN_MAX)}…` : name);

function member(value: unknown, type: Type | null, typed: (value: unknown, type: Type) => unknown): unknown {
  if (type !== null) return typed(value, type);
  return typeof value === 'object' && value !== null ? () => value : value;
}

/** Puts the free-form data back into the instances. */
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
