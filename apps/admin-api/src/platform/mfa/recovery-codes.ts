import { RecoveryCodeEntity } from '@gw/entities';
import { createHash, randomInt } from 'node:crypto';
import { IsNull, type EntityManager } from 'typeorm';

/** Number of codes in one set. */
const CODES = 10;
const PARTS = 4;
const PART_LENGTH = 4;
/**
 * 32 letters and digits without those that look alike: five bits per character, 80 bits per code.
 */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';

/** Organisation in which a factor is valid; null for all organisations. */
export interface FactorScope {
  readonly userId: string;
  readonly organisationId: string | null;
}

const part = (): string =>
  Array.from({ length: PART_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

const newCode = (): string => Array.from({ length: PARTS }, part).join('-');

const hashOf = (userId: string, code: string): string =>
  createHash('sha256')
    .update(`${userId} ${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`)
    .digest('hex');

const where = ({ userId, organisationId }: FactorScope) => ({
  userId,
  organisationId: organisationId ?? IsNull(),
});

/** Replaces the codes of a user with ten new ones and returns them; they cannot be read again. */
export async function renewRecoveryCodes(manager: EntityManager, scope: FactorScope): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await removeRecoveryCodes(manager, scope);
  await manager.insert(
    RecoveryCodeEntity,
    codes.map((code) => ({ ...scope, codeHash: hashOf(scope.userId, code) })),
  );
  return codes;
}

export async function removeRecoveryCodes(manager: EntityManager, scope: FactorScope): Promise<void> {
  await manager.delete(RecoveryCodeEntity, where(scope));
}

export const countRecoveryCodes = (manager: EntityManager, scope: FactorScope): Promise<number> =>
  manager.countBy(RecoveryCodeEntity, where(scope));

/**
 * Uses up a code, once even when many calls send it at the same time. Returns false for an unknown
 * or used code.
 */
export async function takeRecoveryCode(
  manager: EntityManager,
  scope: FactorScope,
  code: string,
): Promise<boolean> {
  const codeHash = hashOf(scope.userId, code);
  const { affected } = await manager.delete(RecoveryCodeEntity, { ...where(scope), codeHash });
  return affected === 1;
}
