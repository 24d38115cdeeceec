import { open } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/*
 * Documents of the operator's own: a folder that is mounted, a service whose address is a setting. No tenant chooses where they come from,
 * so the address policy has no say.
 */

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 16 * 1_048_576;

/** Null: there is no such file. Rejects for one that is too large or no JSON. */
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

const PLAIN = new Agent({ keepAlive: false, maxSockets: 4 });
const SECURE = new HttpsAgent({ keepAlive: false, maxSockets: 4 });

/** From the service that the operator has set. Null: it has no such document. */
export function fetchJson(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const secure = url.startsWith('https:');
    const req = (secure ? httpsRequest : httpRequest)(url, { agent: secure ? SECURE : PLAIN }, (res) => {
      const { statusCode } = res;
      if (statusCode !== 200) {
        res.resume();
        if (statusCode === 404) resolve(null);
        else reject(new Error(`the service answered with ${String(statusCode)}`));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      res.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > BYTES_MAX) res.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      res.once('error', reject);
      res.once('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch {
          reject(new Error('the answer is not JSON'));
        }
      });
    });
    const deadline = setTimeout(
      () => req.destroy(new Error('the service did not answer in time')),
      TIMEOUT_MS,
    );
    req.once('close', () => clearTimeout(deadline));
    req.once('error', reject);
    req.end();
  });
}
