import { seal, unseal, type Keyring } from '@gw/kernel';

/** Seals a JSON value as a text that begins with `prefix`. `boundTo` names its owner. */
export const sealToken = (ring: Keyring, prefix: string, value: unknown, boundTo: string): string =>
  prefix + seal(ring, JSON.stringify(value), boundTo);

/**
 * Opens a text of `sealToken`. Returns null for another owner or key, a modified text, and a text
 * of more than `lengthMax` characters.
 */
export function openToken(
  ring: Keyring,
  text: string,
  {
    prefix,
    boundTo,
    lengthMax,
  }: { readonly prefix: string; readonly boundTo: string; readonly lengthMax: number },
): unknown {
  if (text.length > lengthMax || !text.startsWith(prefix)) return null;
  const sealed = text.slice(prefix.length);
  const parts = sealed.split('.', 5);
  if (parts.length !== 4 || !parts.slice(2).every(isCanonical)) return null;
  try {
    return JSON.parse(unseal(ring, sealed, boundTo).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

/**
 * Returns whether the text is the canonical base64 of its bytes. Several texts decode to the same
 * bytes, and `sealToken` creates only the canonical one.
 */
const isCanonical = (base64: string): boolean =>
  Buffer.from(base64, 'base64url').toString('base64url') === base64;
