import { hash, verify } from '@node-rs/argon2';

/** Argon2id, which is the library's default, with OWASP's first choice: 19 MiB, two passes, one lane; about 60 ms. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Of a random password that is unknown: an unknown user costs the same time as a known one. */
let decoy: Promise<string> | undefined;

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

/** False for a user without a password, after the time of a real check. */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  if (passwordHash !== null) return verify(passwordHash, password);
  decoy ??= hashPassword(crypto.randomUUID());
  await verify(await decoy, password);
  return false;
}
