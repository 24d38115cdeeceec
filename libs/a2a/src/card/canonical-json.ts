import { canonicalJson as canonical, isObject, isWellFormed } from '@gw/kernel';

/** Maximum depth of a value with a canonical form. */
const DEPTH_MAX = 64;

/**
 * Thrown for a value without a canonical form: it is not I-JSON (RFC 7493), or it has more than 64
 * levels.
 */
export class CanonicalFault extends Error {
  override readonly name = 'CanonicalFault';
}

/**
 * Returns the canonical form of a JSON value (JCS, RFC 8785): see the kernel's `canonicalJson`.
 * Throws `CanonicalFault` for values that JCS does not allow.
 */
export function canonicalJson(value: unknown): string {
  assertJson(value, 0);
  return canonical(value);
}

function assertJson(value: unknown, depth: number): void {
  if (depth > DEPTH_MAX) throw new CanonicalFault(`A value has at most ${String(DEPTH_MAX)} levels.`);
  if (typeof value === 'string') return assertText(value);
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CanonicalFault('A number must be finite.');
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) assertJson(item, depth + 1);
    return;
  }
  if (!isObject(value)) throw new CanonicalFault('A value must be JSON.');
  for (const [name, member] of Object.entries(value)) {
    assertText(name);
    if (member !== undefined) assertJson(member, depth + 1);
  }
}

/** Throws for an unpaired surrogate, which UTF-8 cannot encode. */
function assertText(value: string): void {
  if (!isWellFormed(value)) throw new CanonicalFault('A text must be well-formed Unicode.');
}
