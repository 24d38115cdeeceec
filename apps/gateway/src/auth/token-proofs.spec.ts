import { ProofKey } from '@gw/testing';
import { TokenProofs } from './token-proofs';
import { LocalUsedTokens } from './used-tokens';

describe('maximum number of proofs', () => {
  const key = new ProofKey();
  const origin = 'https://gateway.example.com';
  const [method, path, token] = ['GET', '/v1/models', 'pat_x'];

  it('applies to each organisation separately, for five minutes from its first proof', async () => {
    let now = Date.now();
    const proofs = new TokenProofs(new LocalUsedTokens(100, () => now), 3, () => now);
    const caller = (id: string) => ({
      boundTo: { thumbprint: key.thumbprint, origin },
      organisation: { id },
    });
    const typeOf = async (id: string): Promise<unknown> => {
      const proof = key.proof({ token, method, url: origin + path }, { iat: Math.floor(now / 1_000) });
      try {
        await proofs.assertProven(caller(id), { token, proof, method, path });
        return 'proven';
      } catch (error) {
        return (error as { type?: string }).type;
      }
    };
    const seen: unknown[] = [];
    for (let sent = 0; sent < 4; sent += 1) seen.push(await typeOf('one'));
    expect(seen).toEqual(['proven', 'proven', 'proven', 'rate_limited']);
    expect(await typeOf('two')).toBe('proven');
    now += 1;
    proofs.close();
  });
});
