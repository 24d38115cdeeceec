import { ServiceClient } from './service-client';

/** One connection per process is enough, because batches are sent one at a time. */
const CLIENT = new ServiceClient({ timeoutMs: 30_000, connections: 1, bytesMax: 1_048_576 });

/**
 * Sends a POST to one of our own processes. In the result, `date` is the time by that process's
 * clock; null if its response has none.
 */
export async function internalPost(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<{ readonly status: number; readonly date: string | null }> {
  const { status, headers: received } = await CLIENT.call({ url, method: 'POST', headers, body });
  return { status, date: received.date ?? null };
}
