import { randomBytes } from 'node:crypto';
import { EntrySealer } from './entry-sealer';

const ring = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };

describe('EntrySealer', () => {
  const sealer = new EntrySealer(ring);

  it('decrypts its own values only for the same boundTo, and hides their content', () => {
    const sealed = sealer.seal(Buffer.from('the answer'), 'key-1');
    expect(sealer.open(sealed, 'key-1')?.toString()).toBe('the answer');
    expect(sealer.open(sealed, 'key-2')).toBeNull();
    expect(sealed.includes('answer')).toBe(false);
    expect(sealer.seal(Buffer.from('the answer'), 'key-1').equals(sealed)).toBe(false);
  });

  it('does not decrypt a value with a changed or missing byte', () => {
    const sealed = sealer.seal(Buffer.from('x'), 'k');
    for (let at = 0; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged[at] = (damaged[at] as number) ^ 1;
      expect(sealer.open(damaged, 'k')).toBeNull();
      expect(sealer.open(sealed.subarray(0, at), 'k')).toBeNull();
    }
  });

  it('decrypts with an older key of the ring, and not once that key is removed', () => {
    const sealed = sealer.seal(Buffer.from('x'), 'k');
    const keys = new Map([...ring.keys, ['k2', randomBytes(32)] as const]);
    const rotated = new EntrySealer({ current: 'k2', keys });
    expect(rotated.open(sealed, 'k')?.toString()).toBe('x');
    expect(sealer.open(rotated.seal(Buffer.from('x'), 'k'), 'k')).toBeNull();
  });
});
