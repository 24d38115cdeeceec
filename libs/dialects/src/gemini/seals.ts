import type { Seal } from '../call';
import { carriedSeal, isCarriable, readSeal } from '../values/seals';

/** Beginning of the base64 text of a carried seal: the prefix `gw1.` of `carriedSeal`. */
const CARRIER_BASE64 = 'Z3cxL';
const REDACTED = 'redacted.';
/** Maximum number of characters of a carrier; carried seals have at most 64 KiB before base64. */
const CARRIER_MAX = 128 * 1024;

/**
 * Value that Gemini 3 models accept instead of a lost signature; see Google's guide to thought
 * signatures.
 */
export const SKIP_SIGNATURE = 'skip_thought_signature_validator';

/**
 * Writes a seal as `thoughtSignature` for a Gemini client; undefined when a foreign seal is too
 * long to carry.
 */
export function thoughtSignature(seal: Seal): string | undefined {
  if (seal.by === 'google') return seal.value;
  const value = seal.redacted === true ? `${REDACTED}${seal.value}` : seal.value;
  if (!isCarriable(seal, 'google')) return undefined;
  return Buffer.from(carriedSeal({ by: seal.by, value }, 'google'), 'utf8').toString('base64');
}

/** Reads a `thoughtSignature` that a Gemini client sends back. */
export function readThoughtSignature(text: string): Seal {
  const native: Seal = { by: 'google', value: text };
  if (!text.startsWith(CARRIER_BASE64) || text.length > CARRIER_MAX) return native;
  const seal = readSeal(Buffer.from(text, 'base64').toString('utf8'), 'google');
  if (seal.by === 'google') return native;
  return seal.value.startsWith(REDACTED)
    ? { by: seal.by, value: seal.value.slice(REDACTED.length), redacted: true }
    : seal;
}
