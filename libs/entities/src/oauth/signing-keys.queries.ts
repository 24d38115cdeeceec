import { documentKey } from '@gw/contracts';
import { DAY_MS, randomHex, seal, unseal, type Keyring } from '@gw/kernel';
import { generateKeyPairSync } from 'node:crypto';
import { LessThan, type EntityManager } from 'typeorm';
import { recordChange } from '../change-events/record-change';
import { signingKeyBinding } from '../sealed/sealed-columns';
import { SigningKeyEntity } from './signing-key.entity';

/** Time for which a key signs. */
const SIGNS_MS = 90 * DAY_MS;
/**
 * Time for which the next key is published before it signs, so that caches of key sets contain it
 * by then.
 */
const PUBLISHED_BEFORE_MS = DAY_MS;
/** Time for which a key stays published after it stopped signing. */
const PUBLISHED_AFTER_MS = 7 * DAY_MS;

/**
 * Adds an ES256 key unless one with its purpose and state exists, so that concurrent processes add
 * only one.
 */
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

type Purpose = SigningKeyEntity['purpose'];

type KeyStart = Pick<SigningKeyEntity, 'notBefore'> & {
  readonly state: 'next' | 'current';
  /** Purpose of the key; `tokens` when absent. */
  readonly purpose?: Purpose;
};

function newKey(keyring: Keyring, { state, notBefore, purpose = 'tokens' }: KeyStart) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomHex(16);
  const { d, ...open } = privateKey.export({ format: 'jwk' });
  const publicJwk = { ...open, kid, alg: 'ES256', use: 'sig' };
  const sealedPrivate = seal(keyring, JSON.stringify({ ...publicJwk, d }), signingKeyBinding(kid));
  return { kid, alg: 'ES256' as const, publicJwk, sealedPrivate, state, notBefore, purpose };
}

/** Locks the keys until the end of the transaction, so that one process at a time changes them. */
const lockKeys = (manager: EntityManager): Promise<unknown> =>
  manager.query(`SELECT pg_advisory_xact_lock(hashtext('signing_keys'))`);

/**
 * Deletes all keys of all purposes, including published ones, and adds one for tokens that signs
 * from `now` on; a gateway's next read adds the one for cards. Use it when keys have leaked: all
 * their signatures become invalid. Call it in a transaction, and record a change of
 * `documentKey.cardKey()` there. Returns the id of the new key. Throws if the keyring is not the
 * installation's, because its processes could not decrypt the new key.
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
 * Rotates the keys that are due at `now`. A key signs for 90 days; the next one is published a day
 * before it signs, and the previous one for seven more days. Safe to run repeatedly and
 * concurrently. Does nothing before the first key exists.
 */
export async function rotateSigningKeys(manager: EntityManager, keyring: Keyring, now: Date): Promise<void> {
  await manager.transaction(async (transaction) => {
    const before = (ms: number): Date => new Date(now.getTime() - ms);
    await lockKeys(transaction);
    await transaction.delete(SigningKeyEntity, {
      state: 'previous',
      retiredAt: LessThan(before(PUBLISHED_AFTER_MS)),
    });
    const changed = [
      ...((await rotateKeysOf('tokens', transaction, keyring, now)) ? [documentKey.signingKey()] : []),
      ...((await rotateKeysOf('cards', transaction, keyring, now)) ? [documentKey.cardKey()] : []),
    ];
    await recordChange(transaction, { changed });
  });
}

/** Rotates the keys of one purpose; returns whether another key signs from now on. */
async function rotateKeysOf(
  purpose: Purpose,
  manager: EntityManager,
  keyring: Keyring,
  now: Date,
): Promise<boolean> {
  const rows = await manager.findBy(SigningKeyEntity, { purpose });
  const [current, next] = (['current', 'next'] as const).map((state) =>
    rows.find((row) => row.state === state),
  );
  if (current === undefined) return false;
  if (next !== undefined && next.notBefore <= now) {
    await manager.update(SigningKeyEntity, { kid: current.kid }, { state: 'previous', retiredAt: now });
    await manager.update(SigningKeyEntity, { kid: next.kid }, { state: 'current' });
    return true;
  }
  const isDue = current.notBefore.getTime() <= now.getTime() - (SIGNS_MS - PUBLISHED_BEFORE_MS);
  if (next === undefined && isDue) {
    const notBefore = new Date(now.getTime() + PUBLISHED_BEFORE_MS);
    await addSigningKey(manager, keyring, { state: 'next', notBefore, purpose });
  }
  return false;
}
