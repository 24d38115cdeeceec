import { open } from 'node:fs/promises';
import { ServiceClient } from './service-client';

/*
 * JSON documents of the operator: files in a mounted folder, or a service whose URL is a setting. No
 * tenant chooses their location, so the address policy does not apply.
 */

const BYTES_MAX = 16 * 1_048_576;
const CLIENT = new ServiceClient({ timeoutMs: 5_000, connections: 4, bytesMax: BYTES_MAX });

/**
 * Reads a JSON file. Returns null if it does not exist, and rejects if it is too large or not JSON.
 */
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

/** Fetches JSON from a service of the operator. Returns null for status 404. */
export async function fetchJson(url: string): Promise<unknown> {
  const { status, body } = await CLIENT.call({ url });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`the service responded with status ${String(status)}`);
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new Error('the response is not JSON');
  }
}
