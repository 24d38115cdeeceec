import { Injectable } from '@nestjs/common';
import { LoginThrottle } from './login-throttle';
import { PasswordGate } from './password-gate';
import { hashPassword, isPassword } from './passwords';

/**
 * Maximum number of hashes with which one login is compared: that of the user, and one for each
 * organisation that has set a password of its own.
 */
const HASHES_MAX = 8;

/** Checks and hashes all passwords. Slows down guessing and bounds the cost of hashing. */
@Injectable()
export class PasswordChecks {
  private readonly throttle = new LoginThrottle();
  private readonly gate = new PasswordGate();

  /**
   * Returns the hash that the password matches, or null. Takes equally long with and without hashes
   * to compare. Throws `rate_limited` and `unavailable`.
   */
  async matching(
    address: string,
    email: string,
    hashes: readonly string[],
    password: string,
  ): Promise<string | null> {
    this.throttle.attempt(address, email);
    const right = await this.gate
      .run(address, () => firstRight(hashes, password))
      .catch((error: unknown) => {
        this.throttle.unchecked(address, email);
        throw error;
      });
    if (right !== null) this.throttle.succeeded(address, email);
    return right;
  }

  hash(address: string, password: string): Promise<string> {
    return this.gate.run(address, () => hashPassword(password));
  }
}

async function firstRight(hashes: readonly string[], password: string): Promise<string | null> {
  const distinct = [...new Set(hashes)].slice(0, HASHES_MAX);
  if (distinct.length === 0) await isPassword(null, password);
  for (const hash of distinct) if (await isPassword(hash, password)) return hash;
  return null;
}
