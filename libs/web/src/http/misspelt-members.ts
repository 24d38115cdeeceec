import { misspeltName, type ErrorDetail } from '@gw/kernel';
import { getMetadataStorage } from 'class-validator';
import { withoutMarks } from './object-names';

/** Unknown members that are compared, over the whole body: more of them are no slip of the hand. */
const COMPARED_MAX = 64;

/**
 * Members of a body that its DTO classes do not know, and that are spelt almost like one which they know. Such a member would be
 * dropped, and the caller would believe that it was set. `body`: after the transformation, so that each part has its class.
 */
export function misspeltMembers(body: object): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  let left = COMPARED_MAX;
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${path}${String(index)}.`);
      return;
    }
    const known = membersOf(value);
    if (known.size === 0) return;
    for (const [name, item] of Object.entries(value)) {
      if (known.has(name)) visit(item, `${path}${name}.`);
      else if (left > 0) {
        left -= 1;
        const meant = misspeltName(name, known);
        if (meant !== null) faults.push(faultOf(`${path}${withoutMarks(name)}`, meant));
      }
    }
  };
  visit(body, '');
  return faults;
}

const faultOf = (path: string, meant: string): ErrorDetail => ({
  path,
  message: `is no member of this body; did you mean ${meant}?`,
});

/** Of a class with rules. None for a plain object, whose members are data. */
function membersOf(value: object): ReadonlySet<string> {
  const constructor = Object.getPrototypeOf(value) === null ? Object : value.constructor;
  if (constructor === Object) return NONE;
  let known = KNOWN.get(constructor);
  if (!known) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(constructor, '', false, false);
    known = new Set(rules.map(({ propertyName }) => propertyName));
    KNOWN.set(constructor, known);
  }
  return known;
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN = new WeakMap<object, ReadonlySet<string>>();
