import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct, startRedis, type Product } from '@gw/testing';
import { CHAT_REQUEST, withProduct } from '../spec-support/workbench';

/**
 * Settings of a product on the same machine with the same embedded parts and TMPDIR, and no worker
 * port.
 */
const NEXT_TO_ANOTHER = { environment: { WORKER_PORT: '' } };

describe('product start', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    await redis.kill();
    return { redisUrl: redis.url, ...NEXT_TO_ANOTHER };
  });
  afterAll(() => redis.stop());

  const traced = async (trace: string): Promise<number> =>
    (await bench().chat({ 'x-gw-provider': '@sandbox', 'x-gw-trace-id': trace })).status;

  it('succeeds and serves without Redis, and stores the logs once Redis is back', async () => {
    const before = bench().trace('without-redis');
    expect(await traced(before)).toBe(200);
    expect((await bench().call('GET', '/health', { key: null })).text).toContain('"redis"');
    await redis.start();
    const after = bench().trace('with-redis');
    expect(await traced(after)).toBe(200);
    await bench().expectOneRecordEach([before, after], 'status=200');
  });

  it('is refused on data in use, even with another TMPDIR, and the first product keeps running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-other-tmp-'));
    const { dataDir } = bench().product;
    const again = startProduct({ dataDir, environment: { TMPDIR: folder } });
    await expect(again).rejects.toThrow(`DATA_DIR ${dataDir} is in use`);
    rmSync(folder, { recursive: true });
    expect(await traced(bench().trace('after-the-refusal'))).toBe(200);
  });

  it('succeeds next to another product with separate keys, and stops with its npm', async () => {
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
      const responses = await Promise.all([
        call(first, first),
        call(second, second),
        call(first, second),
        call(second, first),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
    } finally {
      await second.stopStarter('SIGTERM');
    }
    await expect(fetch(`${second.baseUrl}/health`)).rejects.toThrow('fetch failed');
    expect(await traced(bench().trace('after-the-other'))).toBe(200);
  });
});
