import { LocalUsedTokens, type OneTimeToken } from './used-tokens';

const token = (jti: string, organisationId = 'one'): OneTimeToken => ({
  ...{ organisationId, trustId: 'trust-1', jti, expiresAt: Math.floor(Date.now() / 1_000) + 300 },
});

describe('one-time tokens of a gateway without Redis', () => {
  it('are remembered until they end, up to a number beyond which further ones are refused', async () => {
    let now = Date.now();
    const tokens = new LocalUsedTokens(4, () => now);
    expect(await tokens.take(token('a'))).toBe(true);
    expect(await tokens.take(token('a'))).toBe(false);
    expect(await tokens.take(token('b'))).toBe(true);
    await expect(tokens.take(token('c'))).rejects.toMatchObject({ type: 'unavailable' });
    expect(await tokens.take(token('b'))).toBe(false);
    now += 400_000;
    expect(await tokens.take(token('c'))).toBe(true);
    expect(await tokens.take(token('d'))).toBe(true);
  });

  it('of one organisation leave room for those of others', async () => {
    const tokens = new LocalUsedTokens(8);
    const all = Array.from({ length: 20 }, (_, at) => tokens.take(token(String(at))));
    const taken = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect(taken).toHaveLength(4);
    expect(await tokens.take(token('a', 'other'))).toBe(true);
    expect(await tokens.take(token('a', 'other'))).toBe(false);
  });
});
