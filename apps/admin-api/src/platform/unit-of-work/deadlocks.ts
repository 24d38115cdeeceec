import { sqlStateOf } from '@gw/entities';

/** Maximum number of attempts of a transaction. Each deadlock takes Postgres a second to find. */
const ATTEMPTS_MAX = 3;
/** SQLSTATE of a transaction that Postgres has undone to end a deadlock. */
const DEADLOCK_DETECTED = '40P01';

/**
 * Runs a transaction, and runs it again when Postgres has undone it to end a deadlock with another
 * one. Throws the error of the last attempt. Operations that are frequent must nevertheless take
 * their locks in one order.
 */
export async function repeatedAfterDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || sqlStateOf(error) !== DEADLOCK_DETECTED) throw error;
    }
  }
}
