import { Agent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const TIMEOUT_MS = 30_000;

/** POSTs to our own processes, whose addresses the operator has set. One connection to each is enough: batches go one after the other. */
export const internalPost = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<{ readonly status: number }> =>
  new Promise((resolve, reject) => {
    const secure = url.startsWith('https:');
    const req = (secure ? httpsRequest : httpRequest)(
      url,
      {
        method: 'POST',
        agent: secure ? SECURE : PLAIN,
        timeout: TIMEOUT_MS,
        headers: { ...headers, 'content-length': String(body.length) },
      },
      (res) => {
        res.resume();
        res.once('end', () => {
          resolve({ status: res.statusCode ?? 0 });
        });
        res.once('error', reject);
      },
    );
    req.once('timeout', () => req.destroy(new Error('The worker did not answer in time.')));
    req.once('error', reject);
    req.end(body);
  });

const PLAIN = new Agent({ keepAlive: true, maxSockets: 1 });
const SECURE = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
