import {
  ecKeyPair as ecKey,
  rsaKeyPair as rsaKey,
  trustOf as trust,
  type TokenKeyPair as KeyPair,
} from '@gw/testing';
import { generateKeyPairSync } from 'node:crypto';
import { KeySets, KeysUnavailable } from './key-sets';
import { readKey } from './signing-keys';

const [A, B] = ['https://a.example/jwks', 'https://b.example/jwks'];
const k1 = rsaKey('k1');
const k2 = ecKey('k2');
const setOf = (...keys: KeyPair[]): Buffer =>
  Buffer.from(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));

/** Key sets over addresses that respond as each test says; counts the calls. */
class Addresses {
  now = 1_000_000_000_000;
  readonly calls: string[] = [];
  readonly warnings: string[] = [];
  private readonly responses = new Map<string, () => Promise<Buffer>>();
  readonly sets = new KeySets({
    fetch: (url) => {
      this.calls.push(url);
      return this.responses.get(url)?.() ?? Promise.reject(new Error('no such address'));
    },
    warn: (url) => this.warnings.push(url),
    now: () => this.now,
  });

  serve(url: string, body: Buffer): void {
    this.responses.set(url, () => Promise.resolve(body));
  }

  fail(url: string): void {
    this.responses.set(url, () => Promise.reject(new Error('500')));
  }

  hang(url: string): void {
    this.responses.set(url, () => new Promise(() => undefined));
  }
}

describe('key sets of a trust', () => {
  const both = trust({ jwksUrls: [A, B] });
  const only = trust({ jwksUrls: [A] });
  const idOf = async (addresses: Addresses, id: string, source = both): Promise<string | null> =>
    (await addresses.sets.keyOf(source, id))?.id ?? null;

  it('[SCP-03] merges the keys of all addresses', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    addresses.serve(B, setOf(k2));
    expect([await idOf(addresses, 'k1'), await idOf(addresses, 'k2')]).toEqual(['k1', 'k2']);
    expect(addresses.calls.sort()).toEqual([A, B]);
  });

  it('[SCP-03] uses the others while one address fails or hangs, and waits for none that it does not need', async () => {
    const addresses = new Addresses();
    addresses.hang(A);
    addresses.serve(B, setOf(k2));
    expect(await idOf(addresses, 'k2')).toBe('k2');
    addresses.fail(A);
    const other = new Addresses();
    other.serve(A, setOf(k1));
    other.fail(B);
    expect([await idOf(other, 'k1'), await idOf(other, 'k2')]).toEqual(['k1', null]);
    expect(other.warnings).toEqual([B]);
  });

  it('[SCP-03] takes a key that two addresses have from the first one', async () => {
    const addresses = new Addresses();
    const twin = { ...rsaKey('k1'), id: 'k1' };
    addresses.serve(A, setOf(k1));
    addresses.serve(B, setOf(twin));
    await addresses.sets.keyOf(both, 'k9');
    const key = await addresses.sets.keyOf(both, 'k1');
    expect(key?.key.equals(readKey(k1.jwk)?.key ?? (undefined as never))).toBe(true);
  });

  it('keeps the last copy for a day while an address fails, and then is unavailable, not wrong', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    expect(await idOf(addresses, 'k1', only)).toBe('k1');
    addresses.fail(A);
    addresses.now += 23 * 3_600_000;
    expect(await idOf(addresses, 'k1', only)).toBe('k1');
    addresses.now += 2 * 3_600_000;
    await expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
  });

  it('reads a set again for an unknown key, once in half a minute, however many ask', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    const ask = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 50 }, () => idOf(addresses, 'new', only)));
    await ask();
    expect(addresses.calls).toHaveLength(1);
    addresses.now += 31_000;
    addresses.serve(A, setOf(k1, { ...k2, jwk: { ...k2.jwk, kid: 'new' } }));
    expect(await ask()).toEqual(Array.from({ length: 50 }, () => 'new'));
    expect(addresses.calls).toHaveLength(2);
  });

  it('drops a key that a fresh set no longer has, and keeps the object of one that it still has', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1, k2));
    const [one, two] = [await addresses.sets.keyOf(only, 'k1'), await addresses.sets.keyOf(only, 'k2')];
    addresses.serve(A, setOf(k1));
    addresses.now += 3_600_001;
    await addresses.sets.keyOf(only, 'unknown');
    expect(one !== null && addresses.sets.has(only, one)).toBe(true);
    expect(two !== null && addresses.sets.has(only, two)).toBe(false);
  });

  it('does not take an empty set, or one of more than 100 keys, for the end of the old one', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    for (const body of [
      Buffer.from('{"keys":[]}'),
      setOf(...Array.from({ length: 101 }, () => k2)),
      Buffer.from('<html>'),
    ]) {
      addresses.serve(A, body);
      addresses.now += 3_600_001;
      await addresses.sets.keyOf(only, 'unknown');
      expect(await idOf(addresses, 'k1', only)).toBe('k1');
    }
  });

  it('does not use the keys that one organisation has read for another one', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    addresses.serve(A, setOf(k2));
    const theirs = trust({ jwksUrls: [A], organisationId: 'organisation-2' });
    expect(await idOf(addresses, 'k1', theirs)).toBeNull();
  });
});

describe('readKey', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const offCurve = { ...k2.jwk, y: k2.jwk['x'] };

  it.each([
    ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0', kid: 'x' }],
    ['a key for encryption', { ...k1.jwk, use: 'enc' }],
    ['a key for other operations', { ...k1.jwk, key_ops: ['encrypt'] }],
    ['an RSA key of 1,024 bits', rsaKey('weak', 1_024).jwk],
    ['an RSA key with the exponent 1', { ...k1.jwk, e: 'AQ' }],
    ['a point off its curve', offCurve],
    ['a key without an id', { ...k1.jwk, kid: undefined }],
    ['an algorithm that does not fit', { ...k1.jwk, alg: 'ES256' }],
    ['no object', 'key'],
  ])('refuses %s', (_what, jwk) => {
    expect(readKey(jwk)).toBeNull();
  });

  it('drops the private parts of a key that was published by mistake', () => {
    const key = readKey({ ...privateKey.export({ format: 'jwk' }), kid: 'x' });
    expect(key?.key.type).toBe('public');
  });
});
