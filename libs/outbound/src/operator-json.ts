import { open } from 'node:fs/promises';
import { ServiceClient } from './service-client';

/*
 * Documents that the operator provides: files of a mounted folder, or a service whose address is a setting.
 */

const BYTES_MAX = 16 * 1_048_576;
const CLIENT = new ServiceClient({ timeoutMs: 5_000, connections: 4, bytesMax: BYTES_MAX });

/** Returns the content of a JSON file, or null when there is no such file. Rejects for one that is too large or not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size > BYTES_MAX) throw new Error('the file is too large');
      return JSON.parse(await file.readFile('utf8')) as unknown;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns a JSON document of a service that the operator has set, or null when the service has no such document. */
export async function fetchJson(url: string): Promise<unknown> {
  const { status, body } = await CLIENT.call({ url });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`the service answered with ${String(status)}`);
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new Error('the answer is not JSON');
  }
}
