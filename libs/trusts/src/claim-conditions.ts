import { Pattern } from '@gw/config-schema';
import type { ClaimCondition } from '@gw/contracts';
import { isPointer, pointed } from '@gw/kernel';

/**
 * Whether a condition holds for a token's claims. A claim that is missing, an object or a list
 * meets no condition.
 */
export function holds({ claim, op, value }: ClaimCondition, claims: unknown): boolean {
  const found = pointed(claims, claim);
  if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean') return false;
  const text = String(found);
  switch (op) {
    case 'equals':
      return text === value;
    case 'in':
      return value.includes(text) && typeof value !== 'string';
    case 'glob-end':
      return typeof value === 'string' && text.startsWith(value.slice(0, -1));
    case 'regex': {
      const pattern = Pattern.compile(`^(?:${String(value)})$`);
      return typeof pattern !== 'string' && pattern.test(text);
    }
  }
}

/** Returns why a condition is invalid; null when it is valid. */
export function conditionFault({ claim, op, value }: ClaimCondition): string | null {
  if (!isPointer(claim)) return 'claim must be a JSON pointer, such as /sub';
  if (op === 'in') {
    const isList =
      Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
    return isList ? null : 'value must be a list of strings for the operator in';
  }
  if (typeof value !== 'string' || value === '') return 'value must be a string';
  if (op === 'glob-end' && !/^[^*]+\*$/.test(value))
    return 'value must end in its only *, behind other characters';
  if (op !== 'regex') return null;
  const pattern = Pattern.compile(`^(?:${value})$`);
  return typeof pattern === 'string' ? pattern : null;
}
