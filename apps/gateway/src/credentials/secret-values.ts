import type { SecretUse } from '@gw/contracts';
import { isVisibleAscii, VendorError } from '@gw/kernel';
import type { Credential } from '@gw/providers';

const CONFIGURATIONS = 'configurations.';

/**
 * Puts the secrets into the credential's fields. Throws `VendorError` when a value is not valid for
 * its field.
 */
export function withSecrets(
  credential: Credential,
  uses: readonly SecretUse[],
  values: readonly string[],
): Credential {
  let { apiKey } = credential;
  const configurations: Record<string, unknown> = { ...credential.configurations };
  for (const [index, { target, format }] of uses.entries()) {
    const text = values[index] ?? '';
    const object = target === 'key' || format === 'json' ? null : objectText(text);
    const value = object ?? valueOf(text, format);
    if (target === 'key') apiKey = value;
    else configurations[target.slice(CONFIGURATIONS.length)] = value;
  }
  return { apiKey, configurations };
}

/** Returns the text of an object, such as a key file, in one line; null for any other text. */
function objectText(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Trims white space around a secret, such as the line break that an editor adds. */
function valueOf(text: string, format: SecretUse['format']): string {
  const value = (format === 'json' ? textOf(text) : text).trim();
  if (!isVisibleAscii(value)) {
    throw new VendorError('invalid', 'The secret is empty, or contains spaces or control characters.');
  }
  return value;
}

function textOf(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'string') return value;
  throw new VendorError('invalid', 'The secret is not a JSON string.');
}
