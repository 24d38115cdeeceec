import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct, startRedis, type Product } from '@gw/testing';
import { CHAT_REQUEST, withProduct } from '../spec-support/workbench';

/** With the same embedded parts, folder for temporary files and machine as another product, and no port for its worker. */
const NEXT_TO_ANOTHER = { environment: { WORKER_PORT: '' } };

describe('a product', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    await redis.kill();
    return { redisUrl: redis.url, ...NEXT_TO_ANOTHER };
  });
  afterAll(() => redis.stop());

  const traced = async (trace: string): Promise<number> =>
    (await bench().chat({ 'x-gw-provider': '@sandbox', 'x-gw-trace-id': trace })).status;

  it('starts without its Redis, serves, and stores what it served once Redis is there', async () => {
    const before = bench().trace('without-redis');
    expect(await traced(before)).toBe(200);
    expect((await bench().call('GET', '/health', { key: null })).text).toContain('"redis"');
    await redis.start();
    const after = bench().trace('with-redis');
    expect(await traced(after)).toBe(200);
    await bench().expectOneRecordEach([before, after], 'status=200');
  }, 120_000);

  it('refuses a second start on its data from another folder for temporary files, and goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-other-tmp-'));
    const { dataDir } = bench().product;
    const again = startProduct({ dataDir, environment: { TMPDIR: folder } });
    await expect(again).rejects.toThrow(`DATA_DIR ${dataDir} is in use`);
    rmSync(folder, { recursive: true });
    expect(await traced(bench().trace('after-the-refusal'))).toBe(200);
  }, 60_000);

  it('runs next to another one on the machine: keys of each are its own, and the other ends with its npm', async () => {
    const second = await startProduct({ ...NEXT_TO_ANOTHER, throughNpm: true });
    try {
      const call = (to: Product, by: Product): Promise<Response> =>
        fetch(`${to.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-gw-api-key': by.credentials.api_key,
            'x-gw-provider': '@sandbox',
          },
          body: JSON.stringify(CHAT_REQUEST),
        });
      const { product: first } = bench();
      const answers = await Promise.all([
        call(first, first),
        call(second, second),
        call(first, second),
        call(second, first),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
    } finally {
      await second.stopStarter('SIGTERM');
    }
    await expect(fetch(`${second.baseUrl}/health`)).rejects.toThrow('fetch failed');
    expect(await traced(bench().trace('after-the-other'))).toBe(200);
  }, 180_000);
});
