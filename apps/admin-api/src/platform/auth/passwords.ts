import { hash, verify } from '@node-rs/argon2';

/**
 * OWASP's first choice for Argon2id, the library's default algorithm: 19 MiB, two passes,
 * parallelism 1; about 60 ms.
 */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hash of a random password, verified for unknown users so that both cases take equally long. */
let decoy: Promise<string> | undefined;

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

/** Returns false for a user without a password, after as long as a real verification takes. */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  if (passwordHash !== null) return verify(passwordHash, password);
  decoy ??= hashPassword(crypto.randomUUID());
  await verify(await decoy, password);
  return false;
}
