import { createHash, type Hash } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

const MIB = 1_048_576;
const SIZE = 100 * MIB;
const PIECE = 65_536;
/**
 * Maximum additional memory, in bytes, for a body of 100 MiB with client and provider in this
 * process.
 */
const ADDED_MAX = 64 * MIB;

/** Piece number `index` of a body in which all pieces differ. */
function pieceOf(index: number): Buffer {
  const piece = Buffer.alloc(PIECE, index & 0xff);
  piece.writeUInt32BE(index, index % (PIECE - 4));
  return piece;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Bytes between two measurements. Each one collects garbage, also that of other suites in this
 * process.
 */
const LOOK_EVERY = 25 * MIB;

/** Measures during a transfer how much memory live Buffers take above the level before it. */
class Gauge {
  most = 0;
  private seen = 0;
  private readonly before = living();

  note(bytes: number): void {
    this.seen += bytes;
    if (this.seen < LOOK_EVERY) return;
    this.seen = 0;
    this.most = Math.max(this.most, living() - this.before);
  }
}

function living(): number {
  collectGarbage();
  // Buffers are freed in the background; the next collection waits for that.
  collectGarbage();
  return process.memoryUsage().external;
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
};

const expectedSum = (): string => {
  const hash = createHash('sha256');
  for (let i = 0; i < SIZE / PIECE; i += 1) hash.update(pieceOf(i));
  return hash.digest('hex');
};

describe('transfers of 100 MiB', () => {
  let gateway: GatewayHarness;
  let provider: Server;
  let sum: Hash;
  let gauge: Gauge;
  let received = 0;
  let produced = 0;
  let startReading: (() => void) | null = null;
  const wanted = expectedSum();

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    sum = createHash('sha256');
    gauge = new Gauge();
    received = 0;
    produced = 0;
    provider = createServer((req, res) => {
      if (req.method === 'GET') {
        res.writeHead(200, { 'content-length': String(SIZE), 'content-type': 'application/octet-stream' });
        const write = (): void => {
          while (produced < SIZE) {
            const isTaken = res.write(pieceOf(produced / PIECE));
            produced += PIECE;
            if (!isTaken) {
              res.once('drain', write);
              return;
            }
          }
          res.end();
        };
        write();
        return;
      }
      startReading = () => {
        req.on('data', (chunk: Buffer) => {
          received += chunk.length;
          gauge.note(chunk.length);
          sum.update(chunk);
        });
        req.on('end', () => res.end('{}'));
      };
    });
    gateway.addProvider('main', 'openai', await listen(provider));
  });
  afterEach(async () => {
    await gateway.stop();
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  const begin = (method: string, headers: Record<string, string> = {}) =>
    httpRequest(`${gateway.baseUrl}/files/f-1/content`, {
      method,
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', ...headers },
    });

  it('[PAS-01] sends byte for byte to a provider that reads late, in bounded memory', async () => {
    const req = begin('POST', {
      'content-type': 'application/octet-stream',
      'content-length': String(SIZE),
    });
    const status = new Promise<number>((resolve, reject) => {
      req.once('error', reject);
      req.once('response', (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
    });
    for (let i = 0; i < SIZE / PIECE; i += 1) {
      gauge.note(PIECE);
      if (!req.write(pieceOf(i))) await new Promise((resolve) => req.once('drain', resolve));
    }
    req.end();
    const read = await eventually(() => startReading ?? undefined, { timeoutMs: 90_000 });
    // The provider has the head and does not read: bytes sent meanwhile must stay within the
    // sockets' buffers.
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toBe(0);
    read();
    expect(await status).toBe(200);
    expect([received, sum.digest('hex')]).toEqual([SIZE, wanted]);
    expect(gauge.most).toBeLessThan(ADDED_MAX);
  });

  it('[PAS-01] sends byte for byte to a client that reads late, in bounded memory, while the provider waits', async () => {
    const req = begin('GET');
    req.end();
    const res = await new Promise<IncomingMessage>((resolve, reject) => {
      req.once('error', reject);
      req.once('response', resolve);
    });
    // The provider has stopped once it has produced nothing in many measurements in a row.
    let last = -1;
    let still = 0;
    await eventually(() => {
      still = produced === last ? still + 1 : 0;
      last = produced;
      return still > 10;
    });
    expect(produced).toBeLessThan(SIZE / 2);
    for await (const chunk of res) {
      gauge.note((chunk as Buffer).length);
      sum.update(chunk as Buffer);
    }
    expect([produced, sum.digest('hex')]).toEqual([SIZE, wanted]);
    expect(gauge.most).toBeLessThan(ADDED_MAX);
  });
});
