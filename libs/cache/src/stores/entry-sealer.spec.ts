import { randomBytes } from 'node:crypto';
import { EntrySealer } from './entry-sealer';

const ring = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };

describe('EntrySealer', () => {
  const sealer = new EntrySealer(ring);

  it('opens what it sealed, for its owner alone, and shows nothing of it', () => {
    const sealed = sealer.seal(Buffer.from('the answer'), 'key-1');
    expect(sealer.open(sealed, 'key-1')?.toString()).toBe('the answer');
    expect(sealer.open(sealed, 'key-2')).toBeNull();
    expect(sealed.includes('answer')).toBe(false);
    expect(sealer.seal(Buffer.from('the answer'), 'key-1').equals(sealed)).toBe(false);
  });

  it('opens nothing of which a byte was changed or cut off', () => {
    const sealed = sealer.seal(Buffer.from('x'), 'k');
    for (let at = 0; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged[at] = (damaged[at] as number) ^ 1;
      expect(sealer.open(damaged, 'k')).toBeNull();
      expect(sealer.open(sealed.subarray(0, at), 'k')).toBeNull();
    }
  });

  it('opens under an older key of the ring, and not once that key is gone', () => {
    const sealed = sealer.seal(Buffer.from('x'), 'k');
    const keys = new Map([...ring.keys, ['k2', randomBytes(32)] as const]);
    const rotated = new EntrySealer({ current: 'k2', keys });
    expect(rotated.open(sealed, 'k')?.toString()).toBe('x');
    expect(sealer.open(rotated.seal(Buffer.from('x'), 'k'), 'k')).toBeNull();
  });
});
