import type { CompiledTarget, Subject } from '@gw/config-schema';
import { read } from './evaluate';
import type { RequestFacts } from './types';

/** Of a longer text only this much tells callers apart. */
const TEXT_LENGTH_MAX = 1024;

/**
 * A number from 0 to below 1 that is the same for the same text on every gateway, and evenly spread over texts: cyrb53, 53 bits.
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

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The values of the fields as text, or null when the request has none of them. Objects and lists do not distinguish callers. */
export function fieldsOf(fields: readonly Subject[], facts: RequestFacts, nowMs: number): string | null {
  let found = false;
  let text = '';
  for (const field of fields) {
    const value = read(field, facts, nowMs);
    const part = isScalar(value) ? String(value).slice(0, TEXT_LENGTH_MAX) : null;
    found ||= part !== null;
    // The length keeps "a" + "bc" and "ab" + "c" apart.
    text += part === null ? '-' : `${String(part.length)}:${part}`;
  }
  return found ? text : null;
}

/**
 * Name of the endpoint behind a target, for everything that is learnt of it: `scope` is the workspace, since `@slug` means another
 * credential in each; `named` is what the request itself adds where the target leaves provider or credential open. May be sent to
 * Redis, so a credential in `named` must be hashed by the caller.
 */
export const endpointKey = (scope: string, target: CompiledTarget, named: string): string =>
  `${scope}/${target.endpoint}/${named}`;
