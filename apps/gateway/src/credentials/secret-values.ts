import type { SecretUse } from '@gw/contracts';
import type { Credential } from '@gw/providers';
import { SecretError } from '@gw/secret-managers';

const CONFIGURATIONS = 'configurations.';
/** What can stand in a header and in a path: a saved credential is held to the same rule when it is saved. */
const VISIBLE = /^[\x21-\x7e]+$/;

/** The credential with the secrets in their fields. Throws `SecretError` for a value that its field can't hold. */
export function withSecrets(
  credential: Credential,
  uses: readonly SecretUse[],
  values: readonly string[],
): Credential {
  let { apiKey } = credential;
  const configurations: Record<string, unknown> = { ...credential.configurations };
  for (const [index, { target, format }] of uses.entries()) {
    const value = valueOf(values[index] ?? '', format);
    if (target === 'key') apiKey = value;
    else configurations[target.slice(CONFIGURATIONS.length)] = value;
  }
  return { apiKey, configurations };
}

/** Spaces around a secret, such as the line break that an editor leaves, are no part of it. */
function valueOf(text: string, format: SecretUse['format']): string {
  const value = (format === 'json' ? textOf(text) : text).trim();
  if (!VISIBLE.test(value)) {
    throw new SecretError('invalid', 'The secret is empty, or has spaces or control characters.');
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
  throw new SecretError('invalid', 'The secret is no text in JSON.');
}
