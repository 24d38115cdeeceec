import { documentKey } from '@gw/contracts';
import { DAY_MS, randomHex, seal, unseal, type Keyring } from '@gw/kernel';
import { generateKeyPairSync } from 'node:crypto';
import { LessThan, type EntityManager } from 'typeorm';
import { recordChange } from '../change-events/record-change';
import { signingKeyBinding } from '../sealed/sealed-columns';
import { SigningKeyEntity } from './signing-key.entity';

/** How long a key signs. */
const SIGNS_MS = 90 * DAY_MS;
/** How long the next key is published before it signs, so that caches of key sets have it then. */
const PUBLISHED_BEFORE_MS = DAY_MS;
/** How long a key stays published after it has signed. */
const PUBLISHED_AFTER_MS = 7 * DAY_MS;

/** Adds an ES256 key, unless there is one of its state: the first of several processes decides. */
export async function addSigningKey(
  manager: EntityManager,
  keyring: Keyring,
  start: KeyStart,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(SigningKeyEntity)
    .values(newKey(keyring, start))
    .orIgnore()
    .execute();
}

type KeyStart = Pick<SigningKeyEntity, 'notBefore'> & { readonly state: 'next' | 'current' };

function newKey(keyring: Keyring, { state, notBefore }: KeyStart) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomHex(16);
  const { d, ...open } = privateKey.export({ format: 'jwk' });
  const publicJwk = { ...open, kid, alg: 'ES256', use: 'sig' };
  const sealedPrivate = seal(keyring, JSON.stringify({ ...publicJwk, d }), signingKeyBinding(kid));
  return { kid, alg: 'ES256' as const, publicJwk, sealedPrivate, state, notBefore };
}

/** One process at a time changes the keys. */
const lockKeys = (manager: EntityManager): Promise<unknown> =>
  manager.query(`SELECT pg_advisory_xact_lock(hashtext('signing_keys'))`);

/**
 * Removes all keys, published ones included, and adds one that signs from `now` on. For keys that others know: what they have signed is
 * worth nothing from then on. Call it in a transaction. Returns the id of the new key. Throws when the keyring is not that of the
 * installation: its processes could not open the new key.
 */
export async function replaceSigningKeys(
  manager: EntityManager,
  keyring: Keyring,
  now: Date,
): Promise<string> {
  await lockKeys(manager);
  for (const { kid, sealedPrivate } of await manager.find(SigningKeyEntity))
    unseal(keyring, sealedPrivate, signingKeyBinding(kid));
  await manager.createQueryBuilder().delete().from(SigningKeyEntity).execute();
  const key = newKey(keyring, { state: 'current', notBefore: now });
  await manager.insert(SigningKeyEntity, key);
  return key.kid;
}

/**
 * Brings the keys to what they must be at `now`: a key signs for 90 days; the next one is published a day before it signs, and the
 * previous one for seven days more. Safe to run twice and in several processes. Does nothing before the first key.
 */
export async function rotateSigningKeys(manager: EntityManager, keyring: Keyring, now: Date): Promise<void> {
  await manager.transaction(async (own) => {
    const before = (ms: number): Date => new Date(now.getTime() - ms);
    await lockKeys(own);
    await own.delete(SigningKeyEntity, {
      state: 'previous',
      retiredAt: LessThan(before(PUBLISHED_AFTER_MS)),
    });
    const rows = await own.find(SigningKeyEntity);
    const [current, next] = (['current', 'next'] as const).map((state) =>
      rows.find((row) => row.state === state),
    );
    if (current === undefined) return;
    if (next !== undefined && next.notBefore <= now) {
      await own.update(SigningKeyEntity, { kid: current.kid }, { state: 'previous', retiredAt: now });
      await own.update(SigningKeyEntity, { kid: next.kid }, { state: 'current' });
      await recordChange(own, { changed: [documentKey.signingKey()] });
    } else if (next === undefined && current.notBefore <= before(SIGNS_MS - PUBLISHED_BEFORE_MS)) {
      const notBefore = new Date(now.getTime() + PUBLISHED_BEFORE_MS);
      await addSigningKey(own, keyring, { state: 'next', notBefore });
    }
  });
}
