import { createHash } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns `length` base62 characters that depend only on the text. */
export function base62(text: string, length: number): string {
  const digest = createHash('sha256').update(text).digest();
  let characters = '';
  for (const byte of digest) characters += BASE62[byte % 62] ?? '';
  return characters.slice(0, length);
}

/** Returns an id for a call of a provider without ids; a replayed response gets the same one. */
export const madeCallId = (responseId: string, candidate: number, part: number): string =>
  `call_${base62(`${responseId}\n${String(candidate)}\n${String(part)}`, 24)}`;

/** Returns the given id of a call, or a made one where the provider gave none or an empty one. */
export const callIdOf = (given: string, responseId: string, candidate: number, part: number): string =>
  given === '' ? madeCallId(responseId, candidate, part) : given;

/**
 * Returns an id that a dialect accepts: unchanged if it is valid, else one that depends only on the
 * id, so that any gateway maps it the same way in the next request.
 */
export function validId(
  id: string,
  rule: { readonly valid: RegExp; readonly prefix: string; readonly length: number },
): string {
  if (rule.valid.test(id)) return id;
  return rule.prefix + base62(id, rule.length - rule.prefix.length);
}

export const ANTHROPIC_ID = { valid: /^[A-Za-z0-9_-]{1,256}$/, prefix: 'call_', length: 40 } as const;
export const BEDROCK_ID = { valid: /^[A-Za-z0-9_-]{1,64}$/, prefix: 'call_', length: 40 } as const;
export const MISTRAL_ID = { valid: /^[A-Za-z0-9]{9}$/, prefix: 'm', length: 9 } as const;
