import { GatewayError } from '@gw/kernel';
import fc from 'fast-check';
import type { JsonObject } from '../call';

/** Returns a value with one of its inner values replaced; `steps` selects which. */
export function mutated(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  const names = Object.keys(value);
  const name = names[step % (names.length + 1)];
  if (name === undefined) return replacement;
  const inner = mutated((value as JsonObject)[name], rest, replacement);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === name ? inner : item));
  return { ...value, [name]: inner };
}

/** Generates the position of a value to replace, and the replacement. */
export const mutation = fc.tuple(
  fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/**
 * Runs `run` and returns its result; null for an error of the gateway. Any other error fails the
 * test.
 */
export function tolerated<T>(run: () => T): T | null {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}
