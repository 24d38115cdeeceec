import { parseHashField, type Subject } from '@gw/config-schema';
import type { CompiledTarget } from './compile/compiled';
import { read } from './evaluate';
import type { RequestFacts } from './types';

/** Maximum length of a text that distinguishes callers. */
const TEXT_LENGTH_MAX = 1024;

/**
 * Hashes a text to a number from 0 to below 1, equal on every gateway and evenly distributed
 * (cyrb53, 53 bits).
 */
export function unitHash(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return ((low >>> 11) * 4_294_967_296 + (high >>> 0)) / 9_007_199_254_740_992;
}

/** Returns the parts of a request that the hash fields name. Skips invalid fields. */
export const hashFieldsOf = (fields: readonly string[] | undefined): readonly Subject[] =>
  Object.freeze((fields ?? []).map(parseHashField).filter((subject) => typeof subject !== 'string'));

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/**
 * Joins the values of the fields as text; null when the request has none of them. Objects and lists
 * do not distinguish callers.
 */
export function fieldsOf(fields: readonly Subject[], facts: RequestFacts, nowMs: number): string | null {
  let found = false;
  let text = '';
  for (const field of fields) {
    const value = read(field, facts, nowMs);
    const part = isScalar(value) ? String(value).slice(0, TEXT_LENGTH_MAX) : null;
    found ||= part !== null;
    // The length distinguishes "a" + "bc" from "ab" + "c".
    text += part === null ? '-' : `${String(part.length)}:${part}`;
  }
  return found ? text : null;
}

/**
 * Returns the key of the endpoint behind a target, under which everything learnt about it is
 * stored.
 * `scope` is the workspace, because `@slug` means another credential in each. `named` is what the
 * request adds when the target leaves the provider or credential open. The key may be sent to
 * Redis, so the caller must hash a credential in `named`.
 */
export const endpointKey = (scope: string, target: CompiledTarget, named: string): string =>
  `${scope}/${target.endpoint}/${named}`;
