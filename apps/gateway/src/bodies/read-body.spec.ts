import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BodyReader } from './read-body';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1_048_576;
const LIMITS = { maxBytes: 32 * MIB, idleMs: 60_000, totalMs: 60_000, minRate: 0 };

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('a body that arrives byte by byte', () => {
  it('takes little more memory than its bytes, which are all that is counted', async () => {
    let counted = 0;
    const holder = { reserveMemory: (bytes: number): void => void (counted += bytes) };
    const req = new EventEmitter() as IncomingMessage;
    let reader!: BodyReader;
    const received = new Promise<Buffer>((resolve, reject) => {
      reader = new BodyReader(req, -1, LIMITS, holder, resolve, reject);
    });
    reader.start();
    const before = heldBytes();
    for (let at = 0; at < MIB; at += 1) req.emit('data', Buffer.from([at % 251]));
    expect(heldBytes() - before).toBeLessThan(16 * MIB);
    req.emit('end');
    const body = await received;
    expect(counted).toBe(MIB);
    expect(body.length).toBe(MIB);
    expect(body.every((byte, at) => byte === at % 251)).toBe(true);
  });
});
