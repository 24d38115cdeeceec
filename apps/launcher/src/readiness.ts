import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { StartError } from './start-error';

const READY_TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_EVERY_MS = 100;

/**
 * Resolves when `url` returns 200. Throws `StartError` after `READY_TIMEOUT_MS`, or when
 * `isAbandoned` returns true.
 */
export async function waitUntilHealthy(name: string, url: string, isAbandoned: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let last = 'no response';
  while (Date.now() < deadline) {
    last = await probe(url);
    if (last === '200') return;
    if (isAbandoned()) throw new StartError(`${name} is not needed any more.`);
    await delay(PROBE_EVERY_MS);
  }
  throw new StartError(
    `${name} was not ready within ${String(READY_TIMEOUT_MS / 1_000)} s: ${url} gave ${last}.`,
  );
}

/** Returns the status, or the reason why there is none. */
function probe(url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: PROBE_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    request.on('timeout', () => request.destroy(new Error('response timed out')));
    request.on('error', (error) => {
      resolve(error.message || 'no connection');
    });
  });
}
