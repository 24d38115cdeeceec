import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `probe` until it returns a value other than undefined and false, and returns the value. An
 * error counts as "not yet". After `timeoutMs` (60 s by default, because a busy machine is slow) it
 * throws the last error, so that a failed wait shows what was missing.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const { timeoutMs = 60_000, everyMs = 20 } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let reason: unknown;
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
      reason = new Error(`The condition did not hold within ${String(timeoutMs)} ms.`);
    } catch (error) {
      reason = error;
    }
    if (Date.now() >= deadline) throw reason;
    await delay(everyMs);
  }
}
