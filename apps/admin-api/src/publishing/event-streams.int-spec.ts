import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, testDatabase } from '@gw/testing';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import { EventStreams } from './event-streams';
import { Outbox } from './outbox';
import { OutboxTail } from './outbox-tail';

describe('EventStreams', () => {
  let server: Server;
  let tail: OutboxTail;
  let streams: EventStreams;
  // Registered before the database's own hook; hooks run in the order of registration.
  afterAll(async () => {
    streams.beforeApplicationShutdown();
    await tail.beforeApplicationShutdown();
    server.close();
    server.closeAllConnections();
  });
  const database = testDatabase();

  beforeAll(async () => {
    const outbox = new Outbox(database.dataSource);
    tail = new OutboxTail(database.dataSource, outbox);
    streams = new EventStreams(outbox, tail);
    await tail.onApplicationBootstrap();
    streams.onApplicationBootstrap();
    server = createServer((_req, res) => void streams.open(null, () => res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  const connect = (): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      const { port } = server.address() as AddressInfo;
      request({ host: '127.0.0.1', port, agent: false }, resolve).end();
    });

  const record = (changed: string[]): Promise<void> =>
    database.dataSource.transaction((manager) => new ChangeRecorder().record(manager, { changed }));

  it('disconnects a reader that does not read, and continues to serve the others', async () => {
    const [slow, good] = [await connect(), await connect()];
    let text = '';
    good.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    slow.pause().on('error', () => undefined);
    let isOver = false;
    slow.on('close', () => (isOver = true));
    await eventually(() => text.includes('heartbeat'));
    const large = Array.from({ length: 256 }, (_, i) => `config:${'x'.repeat(300)}:${String(i)}`);
    for (let i = 0; i < 250; i += 1) await record(large);
    await record(['last']);
    await eventually(() => text.includes('"last"'), { timeoutMs: 60_000 });
    let bytes = 0;
    slow.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await eventually(() => isOver, { timeoutMs: 60_000 });
    expect(bytes).toBeLessThan(text.length);
    good.destroy();
  }, 180_000);

  it('announces a commit by its notification, without waiting for the poll', async () => {
    const polls = jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation(() => setTimeout(() => undefined, 0));
    const pollless = new OutboxTail(database.dataSource, new Outbox(database.dataSource));
    const reported: string[] = [];
    pollless.follow((events) => reported.push(...events.flatMap(({ changed }) => changed)));
    const ready = pollless.onApplicationBootstrap();
    polls.mockRestore();
    await ready;
    // Waits for each event: without its notification, only a later commit would announce it, and
    // there is none.
    for (let i = 0; i < 20; i += 1) {
      await record([`event-${String(i)}`]);
      await eventually(() => reported.includes(`event-${String(i)}`));
    }
    await pollless.beforeApplicationShutdown();
  });
});
