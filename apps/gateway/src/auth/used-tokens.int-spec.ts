import { createLog } from '@gw/web';
import { eventually, startRedis } from '@gw/testing';
import { createUsedTokens, type OneTimeToken, type UsedTokens } from './used-tokens';

const token = (jti: string, more: Partial<OneTimeToken> = {}): OneTimeToken => ({
  ...{ organisationId: 'one', trustId: 'trust-1', jti, expiresAt: Math.floor(Date.now() / 1_000) + 300 },
  ...more,
});

describe('one-time tokens of gateways that share a Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let gateways: UsedTokens[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    gateways = [1, 2, 3].map(() => createUsedTokens(redis.url, createLog('test', 'silent')));
  });
  afterAll(async () => {
    for (const gateway of gateways) gateway.close();
    await redis.stop();
  });
  const taken = (one: OneTimeToken): Promise<(boolean | string)[]> =>
    Promise.all(gateways.map((gateway) => gateway.take(one).catch((error: { type: string }) => error.type)));

  it('are accepted by only one of them, for each trust', async () => {
    // The gateways connect in the background.
    await eventually(async () => !(await taken(token('connected'))).includes('unavailable'));
    const first = await taken(token('a'));
    expect(first.filter((result) => result === true)).toHaveLength(1);
    const other = await taken(token('a', { trustId: 'trust-2' }));
    expect(other.filter((result) => result === true)).toHaveLength(1);
  });

  it('are refused as unavailable while Redis is down', async () => {
    await redis.kill();
    expect(await taken(token('b'))).toEqual(['unavailable', 'unavailable', 'unavailable']);
  });
});
