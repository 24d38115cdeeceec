import type { AgentIntegrationEntity } from '@gw/entities';
import { isObject, isSecureUrl, readSigningKey, type AddressPolicy } from '@gw/kernel';
import type { FetchKeys } from '@gw/trusts';
import { invalid } from '@gw/web';
import type { UpdateAgentIntegrationDto } from './agent-integrations.dto';

const KEYS_MAX = 100;

type Keys = NonNullable<AgentIntegrationEntity['trustedKeys']>;

/** Sets the source of an integration's trusted keys. Throws `validation_failed`. */
export function assignTrustedKeys(
  row: Pick<AgentIntegrationEntity, 'trustedKeys' | 'trustedKeysUrl'>,
  { trusted_keys: set, trusted_keys_url: url }: UpdateAgentIntegrationDto,
  policy: AddressPolicy,
): void {
  if (set != null && url != null)
    throw invalid(
      'trusted_keys_url',
      'trusted_keys_url and trusted_keys are mutually exclusive; send one of them',
    );
  if (set != null) {
    Object.assign(row, { trustedKeys: readTrustedKeys(set), trustedKeysUrl: null });
    return;
  }
  const next = url === undefined ? row.trustedKeysUrl : url;
  if (next !== null) assertKeysUrl(next, policy);
  // Keys from another address prove nothing; those of the new address are read with the card.
  if (next !== row.trustedKeysUrl || (set === null && next === null)) row.trustedKeys = null;
  row.trustedKeysUrl = next;
}

/**
 * Throws `validation_failed` when an administrator sent the card, because no keys are read with it.
 */
export function assertReadsKeys({
  source,
  trustedKeysUrl,
}: Pick<AgentIntegrationEntity, 'source' | 'trustedKeysUrl'>): void {
  if (source === 'manual' && trustedKeysUrl !== null)
    throw invalid(
      'trusted_keys_url',
      'trusted_keys_url needs a card that is read from the address of the agent; send trusted_keys instead',
    );
}

/**
 * Returns the keys that verify the next card: those at the key set address, read now and without a
 * credential, or those that an administrator sent; null for none. Throws `validation_failed` when
 * they cannot be read, because the card then cannot be verified.
 */
export async function trustedKeysOf(
  { trustedKeysUrl: url, trustedKeys }: Pick<AgentIntegrationEntity, 'trustedKeys' | 'trustedKeysUrl'>,
  policy: AddressPolicy,
  read: FetchKeys,
): Promise<Keys | null> {
  if (url === null) return trustedKeys;
  assertKeysUrl(url, policy);
  const keys = keysIn(await read(url).then(({ body }) => body, unreadable));
  if (keys.length === 0)
    throw invalid(
      'trusted_keys_url',
      `trusted_keys_url has no key for signatures among the first ${String(KEYS_MAX)}`,
    );
  return keys;
}

function assertKeysUrl(url: string, policy: AddressPolicy): void {
  const verdict = policy.checkUrl(url);
  if (!verdict.ok) throw invalid('trusted_keys_url', verdict.rule);
  if (!isSecureUrl(url)) throw invalid('trusted_keys_url', 'trusted_keys_url must be https');
}

const unreadable = (error: unknown): never => {
  const reason = error instanceof Error ? error.message : 'there was no response';
  throw invalid('trusted_keys_url', `trusted_keys_url could not be read: ${reason}`.slice(0, 512));
};

/**
 * Returns the keys of a published set that can verify cards. The set may also contain keys for
 * other purposes.
 */
function keysIn(body: Buffer): Keys {
  const set = parsed(body);
  const keys = isObject(set) ? set['keys'] : null;
  if (!Array.isArray(keys)) throw invalid('trusted_keys_url', 'trusted_keys_url has no key set (RFC 7517)');
  return keys.slice(0, KEYS_MAX).flatMap((raw: unknown): Keys => {
    const key = publicPart(raw);
    return key === null ? [] : [key];
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * Returns the public parts of a key set. Throws `validation_failed` for a key that must not verify
 * cards.
 */
function readTrustedKeys({ keys }: { readonly keys?: unknown }): Keys {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX)
    throw invalid('trusted_keys', `trusted_keys must have keys, a list of 1 to ${String(KEYS_MAX)} keys`);
  return keys.map((raw: unknown, index) => {
    const key = publicPart(raw);
    if (key !== null) return key;
    throw invalid(
      `trusted_keys.keys.${String(index)}`,
      'must be a public key of RSA (2048 to 8192 bits), P-256, P-384 or Ed25519 with a kid, for signatures',
    );
  });
}

/** Returns the public part of a key; null for a key that must not verify cards. */
function publicPart(raw: unknown): Keys[number] | null {
  const key = readSigningKey(raw);
  return key && { ...key.key.export({ format: 'jwk' }), kid: key.id, ...algorithmOf(raw) };
}

const algorithmOf = (raw: unknown): object =>
  isObject(raw) && typeof raw['alg'] === 'string' ? { alg: raw['alg'] } : {};
