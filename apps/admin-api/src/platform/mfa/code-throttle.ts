import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

/**
 * Maximum number of wrong codes of one user within the window, from all networks and in all
 * processes.
 */
const FAILURES_MAX = 10;
const WINDOW_SECONDS = 3_600;

const IS_CURRENT = `code_failures_since > now() - make_interval(secs => ${String(WINDOW_SECONDS)})`;

/**
 * Counts an attempt with a six-digit code before the code is checked, so that parallel attempts
 * count too. Three codes of a million are valid at a time, and guessing needs the password, so ten
 * guesses an hour succeed within a day in fewer than one of 1,000 cases. Recovery codes cannot be
 * guessed and are not counted, so they still work while an attacker uses up the attempts of a user.
 * Throws `rate_limited`.
 */
export async function countCodeAttempt(manager: EntityManager, userId: string): Promise<void> {
  const [counted] = await manager.query<[unknown[], number]>(
    `UPDATE users SET
       code_failures = CASE WHEN ${IS_CURRENT} THEN code_failures + 1 ELSE 1 END,
       code_failures_since = CASE WHEN ${IS_CURRENT} THEN code_failures_since ELSE now() END
     WHERE id = $1 AND (code_failures < $2 OR (${IS_CURRENT}) IS NOT TRUE) RETURNING id`,
    [userId, FAILURES_MAX],
  );
  if (counted.length === 1) return;
  throw new GatewayError('rate_limited', {
    message: 'Too many wrong codes for this user. Try again in an hour, or use a recovery code.',
    headers: { 'retry-after': String(WINDOW_SECONDS) },
  });
}

/** Resets the count of wrong codes after a correct code. */
export async function forgetCodeAttempts(manager: EntityManager, userId: string): Promise<void> {
  await manager.query(`UPDATE users SET code_failures = 0 WHERE id = $1 AND code_failures > 0`, [userId]);
}
