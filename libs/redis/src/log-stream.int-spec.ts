import { eventually, withRedis } from '@gw/testing';
import type { Redis } from 'ioredis';
import { connectRedis, redisReady } from './connection';
import { RedisLogReader, RedisLogSink, type RedisLogReaderOptions } from './log-stream';

const STREAM = '{gw:logs}:stream';
const BYTES = '{gw:logs}:bytes';

describe('RedisLogSink and RedisLogReader', () => {
  const server = withRedis();
  let connections: Redis[];
  let readers: RedisLogReader[];
  let redis: Redis;

  const connect = async (): Promise<Redis> => {
    const connection = connectRedis({ url: server.url, name: 'test', commandTimeoutMs: 60_000 });
    connections.push(connection);
    await redisReady(connection, 20_000);
    return connection;
  };
  const read = async (
    options: Partial<RedisLogReaderOptions> & Pick<RedisLogReaderOptions, 'store'>,
  ): Promise<RedisLogReader> => {
    const reader = new RedisLogReader(await connect(), {
      consumer: `c${String(readers.length)}`,
      ...options,
    });
    readers.push(reader);
    reader.start();
    return reader;
  };
  const into =
    (batches: string[]) =>
    (batch: Buffer): Promise<void> => {
      batches.push(batch.toString('latin1'));
      return Promise.resolve();
    };

  beforeEach(async () => {
    connections = [];
    readers = [];
    redis = await connect();
    await redis.flushall();
  });
  afterEach(async () => {
    await Promise.all(readers.map((reader) => reader.stop()));
    for (const connection of connections) connection.disconnect();
  });

  it('transfer batches unchanged to one of the workers, and keep nothing of what is stored', async () => {
    const sink = new RedisLogSink(redis);
    const batches: string[] = [];
    const first = sink.send(Buffer.from([0, 255, 13, 10]));
    await read({ store: into(batches) });
    await read({ store: into(batches) });
    await Promise.all([first, sink.send(Buffer.from('second'))]);
    expect(batches.sort()).toEqual(['\0ÿ\r\n', 'second']);
    await eventually(async () => (await redis.xlen(STREAM)) === 0);
    expect(await redis.get(BYTES)).toBe('0');
  });

  it('refuse batches when the stream is full instead of dropping entries, and accept them again when workers catch up', async () => {
    const sink = new RedisLogSink(redis, { capBytes: 1_000 });
    const waiting = [0, 1, 2, 3].map((i) => sink.send(Buffer.alloc(250, String(i))));
    await eventually(async () => (await redis.xlen(STREAM)) === 4);
    await expect(sink.send(Buffer.alloc(1))).rejects.toMatchObject({ type: 'unavailable' });
    expect(await redis.xlen(STREAM)).toBe(4);

    const batches: string[] = [];
    await read({ store: into(batches) });
    await Promise.all(waiting);
    expect(batches).toHaveLength(4);
    await eventually(async () => (await redis.get(BYTES)) === '0');
    await sink.send(Buffer.alloc(1_001));
    await eventually(() => batches.length === 5);
  });

  it('deliver a batch again until it is stored', async () => {
    const errors: unknown[] = [];
    const batches: string[] = [];
    let failures = 2;
    await read({
      store: async (batch) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error('The database is away.');
        }
        await into(batches)(batch);
      },
      onError: (error) => errors.push(error),
    });
    await new RedisLogSink(redis).send(Buffer.from('one'));
    await eventually(() => batches.length === 1);
    expect(errors).toHaveLength(2);
    await eventually(async () => (await redis.xlen(STREAM)) === 0);
  });

  it('take over what a dead worker had not stored', async () => {
    const hung = await read({ store: () => new Promise(() => undefined) });
    const sent = new RedisLogSink(redis).send(Buffer.from('orphan'));
    await eventually(async () => {
      const pending = (await redis.xpending(STREAM, 'workers')) as [number];
      return pending[0] === 1;
    });
    readers = readers.filter((reader) => reader !== hung);
    connections.at(-1)?.disconnect();

    const batches: string[] = [];
    await read({ store: into(batches), consumer: 'heir', takeOverAfterMs: 50 });
    await sent;
    expect(batches).toEqual(['orphan']);
    await eventually(async () => (await redis.get(BYTES)) === '0');
  });

  it('do not take over entries that a worker takes long to store', async () => {
    // Much longer than a busy machine may stop this process.
    const takeOverAfterMs = 15_000;
    let finish: () => void = () => undefined;
    const long = new Promise<void>((resolve) => (finish = resolve));
    await read({ takeOverAfterMs, store: () => long, consumer: 'slow' });
    const sink = new RedisLogSink(redis);
    const sent = sink.send(Buffer.from('long'));
    type Pending = [id: string, consumer: string, idleMs: number, deliveries: number];
    const pending = async (): Promise<Pending[]> =>
      (await redis.xpending(STREAM, 'workers', '-', '+', 10)) as Pending[];
    const [id] = await eventually(async () => (await pending())[0]);
    // As if the worker had given no sign of life for a third of the time.
    const idleMs = takeOverAfterMs / 3;
    await redis.xclaim(STREAM, 'workers', 'slow', 0, id, 'IDLE', idleMs, 'JUSTID');

    const batches: string[] = [];
    await read({ takeOverAfterMs, store: into(batches) });
    await sink.send(Buffer.from('short'));
    // The next sign of life.
    await eventually(async () => ((await pending())[0]?.[2] ?? Infinity) < idleMs);
    expect((await pending()).map(([, consumer]) => consumer)).toEqual(['slow']);
    finish();
    await sent;
    expect(batches).toEqual(['short']);
  });

  it('send a batch again that Redis loses before a worker has stored it', async () => {
    const sent = new RedisLogSink(redis).send(Buffer.from('lost'));
    const refused = expect(sent).rejects.toMatchObject({ type: 'unavailable' });
    await eventually(async () => (await redis.xlen(STREAM)) === 1);
    await redis.flushall();
    await refused;
  });

  it('continue after Redis has lost all its data', async () => {
    const batches: string[] = [];
    await read({ store: into(batches) });
    const sink = new RedisLogSink(redis);
    await sink.send(Buffer.from('before'));
    await eventually(() => batches.length === 1);
    await server.kill();
    await expect(sink.send(Buffer.from('lost'))).rejects.toThrow();
    await server.start();
    await eventually(() => sink.send(Buffer.from('after')).then(() => true));
    await eventually(() => batches.includes('after'));
  });

  it('leave the group on stop, unless the reader still has pending entries', async () => {
    const reader = await read({ store: () => Promise.resolve() });
    await new RedisLogSink(redis).send(Buffer.from('x'));
    await eventually(async () => (await redis.xlen(STREAM)) === 0);
    await reader.stop();
    expect(await redis.xinfo('CONSUMERS', STREAM, 'workers')).toEqual([]);
  });

  it('remove killed workers from the group when their entries are stored and they were idle for long [faults D19]', async () => {
    const sink = new RedisLogSink(redis);
    await redis.xgroup('CREATE', STREAM, 'workers', '0', 'MKSTREAM');
    const sent = sink.send(Buffer.from('held by a dead one'));
    const held = ['GROUP', 'workers', 'dead', 'COUNT', 1, 'BLOCK', 1_000, 'STREAMS', STREAM, '>'];
    await redis.call('XREADGROUP', ...held);
    await redis.xgroup('CREATECONSUMER', STREAM, 'workers', 'dead and idle');
    const batches: string[] = [];
    await read({ store: into(batches), takeOverAfterMs: 1_500, forgetAfterMs: 3_000 });
    await sent;
    expect(batches).toEqual(['held by a dead one']);
    await eventually(async () => {
      const consumers = (await redis.xinfo('CONSUMERS', STREAM, 'workers')) as string[][];
      // On a slow machine the reader counts as idle, too; Redis lists it again with its next entry.
      expect(consumers.map(([, name]) => name).filter((name) => name !== 'c0')).toEqual([]);
      return true;
    });
    expect(batches).toEqual(['held by a dead one']);
    await eventually(async () => {
      await sink.send(Buffer.from('after'));
      const consumers = (await redis.xinfo('CONSUMERS', STREAM, 'workers')) as string[][];
      expect(consumers.map(([, name]) => name)).toEqual(['c0']);
      return true;
    });
    expect(new Set(batches)).toEqual(new Set(['held by a dead one', 'after']));
  });
});
