import { seal, sealingKeyring, unseal } from './sealed';

describe('unseal', () => {
  const ring = sealingKeyring(Buffer.alloc(32, 1));
  const OWNER = 'workspace-1/provider-1';

  it('returns what was sealed for the same owner, and for no other', () => {
    const sealed = seal(ring, 'secret', OWNER);
    expect(unseal(ring, sealed, OWNER).toString()).toBe('secret');
    expect(() => unseal(ring, sealed, 'workspace-2/provider-1')).toThrow();
  });

  it('accepts no authentication tag that was cut, which is easier to forge', () => {
    const [version, key, iv, body = ''] = seal(ring, '', OWNER).split('.');
    const tag = Buffer.from(body, 'base64url');
    expect(tag).toHaveLength(16);
    for (const bytes of [1, 4, 8, 12, 15]) {
      const cut = tag.subarray(0, bytes).toString('base64url');
      expect(() => unseal(ring, [version, key, iv, cut].join('.'), OWNER)).toThrow();
    }
  });
});
