import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@gw/testing';
import { decodeFrames } from './frame';
import { Journal } from './journal';
import { LogShipper, type LogShipperOptions } from './log-shipper';
import { httpLogSink, type Post } from './log-sink';
import type { Problem } from './rate-limited-report';
import { Sealer } from './sealer';

const sealer = new Sealer([Buffer.alloc(32, 1)]);
const post: Post = async (url, headers, body) => {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  await response.arrayBuffer();
  return { status: response.status };
};

describe('LogShipper over HTTP', () => {
  let directory: string;
  let journal: Journal;
  let server: Server;
  let status: number;
  let batches: { ids: number[]; bytes: number; authorization: string | undefined }[];
  let shipper: LogShipper | undefined;
  let problems: Problem[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'shipper-'));
    journal = Journal.open({ directory, sealer, segmentBytes: 64 * 1024 });
    status = 200;
    batches = [];
    problems = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const ids = decodeFrames(body).frames.map(
          ({ meta }) => (JSON.parse(meta.toString()) as { id: number }).id,
        );
        if (status === 200)
          batches.push({ ids, bytes: body.length, authorization: request.headers.authorization });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await shipper?.stop(1_000);
    shipper = undefined;
    journal.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  });

  const ship = (options: LogShipperOptions = {}): LogShipper => {
    const { port } = server.address() as AddressInfo;
    const sink = httpLogSink({ url: `http://127.0.0.1:${String(port)}/logs`, serviceToken: 'token', post });
    const report = (problem: Problem): void => void problems.push(problem);
    shipper = new LogShipper(journal, sink, { intervalMs: 5, backoffMaxMs: 20, report, ...options });
    shipper.start();
    return shipper;
  };
  const append = (from: number, count: number, bytes = 100): Promise<void[]> =>
    Promise.all(
      Array.from(
        { length: count },
        (_, i) =>
          new Promise<void>((resolve) => {
            journal.append(JSON.stringify({ id: from + i }), Buffer.alloc(bytes), null, resolve);
          }),
      ),
    );
  const arrived = (): number[] => batches.flatMap(({ ids }) => ids);
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

  it('sends every record once and in order, in batches within its bounds, with the service token', async () => {
    await append(0, 1_200);
    const running = ship({ recordsMax: 500 });
    await eventually(() => running.stats().shipped === 1_200);
    await append(1_200, 5);
    await eventually(() => running.stats().shipped === 1_205);
    expect(arrived()).toEqual(range(0, 1_205));
    expect(Math.max(...batches.map(({ ids }) => ids.length))).toBeLessThanOrEqual(500);
    expect(batches[0]?.authorization).toBe('Bearer token');
    expect(running.stats()).toEqual({ shipped: 1_205, failedSends: 0, failingSince: null });
  });

  it('limits batches by bytes, and sends a larger record in a separate batch', async () => {
    // Each record has its own turn, because the records of one turn form one block, which is sent
    // as a whole.
    for (let id = 0; id < 20; id += 1) await append(id, 1, 1_000);
    await append(20, 1, 50_000);
    await append(21, 1, 1_000);
    ship({ bytesMax: 5_000 });
    await eventually(() => arrived().length === 22);
    expect(batches.filter(({ bytes }) => bytes > 5_000).map(({ ids }) => ids)).toEqual([[20]]);
  });

  it('leaves records in the journal while the sink fails, and sends them when it works again', async () => {
    status = 503;
    await append(0, 100, 2_000);
    const running = ship();
    await eventually(() => running.stats().failedSends > 3);
    await append(100, 100, 2_000);
    expect(journal.stats().backlogBytes).toBeGreaterThan(400_000);
    expect(running.stats().failingSince).toBeInstanceOf(Date);
    expect(problems).toHaveLength(1);

    status = 200;
    await eventually(() => arrived().length === 200);
    expect(arrived()).toEqual(range(0, 200));
    await eventually(() => journal.stats().backlogBytes === 0 && running.stats().failingSince === null);
  });

  it('sends remaining records when it stops, and leaves refused ones for the next start', async () => {
    const first = ship({ intervalMs: 60_000 });
    await append(0, 10);
    await first.stop(60_000);
    expect(arrived()).toEqual(range(0, 10));

    status = 500;
    const second = ship();
    await append(10, 10);
    await second.stop(200);
    expect(arrived()).toEqual(range(0, 10));

    status = 200;
    ship();
    await eventually(() => arrived().length === 20);
    expect(arrived()).toEqual(range(0, 20));
  });

  it('stops within its time although the sink does not respond', async () => {
    await append(0, 1);
    const hanging = new LogShipper(journal, { send: () => new Promise(() => undefined) });
    hanging.start();
    // The sink never responds: a stop that waits for it does not end.
    await expect(hanging.stop(50)).resolves.toBeUndefined();
    expect(journal.hasBacklog()).toBe(true);
  });
});
