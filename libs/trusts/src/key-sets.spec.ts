import {
  ecKeyPair as ecKey,
  rsaKeyPair as rsaKey,
  trustOf as trust,
  type TokenKeyPair as KeyPair,
} from '@gw/testing';
import { readSigningKey } from '@gw/kernel';
import { generateKeyPairSync } from 'node:crypto';
import { KeySets, KeysUnavailable } from './key-sets';
import type { KeySetResponse } from './published-set';

const [A, B] = ['https://a.example/jwks', 'https://b.example/jwks'];
const k1 = rsaKey('k1');
const k2 = ecKey('k2');
const setOf = (...keys: KeyPair[]): Buffer =>
  Buffer.from(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));

/** Key sets over URLs whose responses the test controls; counts the calls. */
class Addresses {
  now = 1_000_000_000_000;
  readonly calls: string[] = [];
  readonly warnings: string[] = [];
  readonly reasons: string[] = [];
  private readonly responses = new Map<string, () => Promise<KeySetResponse>>();
  readonly sets: KeySets;

  constructor(bytesMax?: number) {
    this.sets = new KeySets({
      ...(bytesMax === undefined ? {} : { bytesMax }),
      fetch: (url) => {
        this.calls.push(url);
        return this.responses.get(url)?.() ?? Promise.reject(new Error('no such address'));
      },
      warn: (url, error) => {
        this.warnings.push(url);
        this.reasons.push(String(error));
      },
      now: () => this.now,
    });
  }

  serve(url: string, body: Buffer, maxAgeMs: number | null = null): void {
    this.responses.set(url, () => Promise.resolve({ body, maxAgeMs }));
  }

  /** Delays the response until the returned function is called. */
  holdBack(url: string, body: Buffer): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    this.responses.set(url, () => held.then(() => ({ body, maxAgeMs: null })));
    return release;
  }

  fail(url: string): void {
    this.responses.set(url, () => Promise.reject(new Error('500')));
  }

  hang(url: string): void {
    this.responses.set(url, () => new Promise(() => undefined));
  }
}

describe('KeySets', () => {
  const both = trust({ jwksUrls: [A, B] });
  const only = trust({ jwksUrls: [A] });
  const idOf = async (addresses: Addresses, id: string, source = both): Promise<string | null> =>
    (await addresses.sets.keyOf(source, id))?.id ?? null;

  it('[SCP-03] merges the keys of all URLs of a trust', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    addresses.serve(B, setOf(k2));
    expect([await idOf(addresses, 'k1'), await idOf(addresses, 'k2')]).toEqual(['k1', 'k2']);
    expect(addresses.calls.sort()).toEqual([A, B]);
  });

  it('[SCP-03] uses the other sets while one URL fails or hangs, and waits for no set that it does not need', async () => {
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

  it('[SCP-03] uses the key of the first URL when two URLs have a key with the same id', async () => {
    const addresses = new Addresses();
    const twin = { ...rsaKey('k1'), id: 'k1' };
    addresses.serve(A, setOf(k1));
    addresses.serve(B, setOf(twin));
    await addresses.sets.keyOf(both, 'k9');
    const key = await addresses.sets.keyOf(both, 'k1');
    expect(key?.key.equals(readSigningKey(k1.jwk)?.key ?? (undefined as never))).toBe(true);
  });

  it('uses the last copy for a day while a URL fails, and then rejects with KeysUnavailable', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    expect(await idOf(addresses, 'k1', only)).toBe('k1');
    addresses.fail(A);
    addresses.now += 23 * 3_600_000;
    expect(await idOf(addresses, 'k1', only)).toBe('k1');
    addresses.now += 2 * 3_600_000;
    await expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
  });

  it('reads a set again for an unknown key at most once in 30 seconds', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    const requestMany = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 50 }, () => idOf(addresses, 'new', only)));
    await requestMany();
    expect(addresses.calls).toHaveLength(1);
    addresses.now += 31_000;
    addresses.serve(A, setOf(k1, { ...k2, jwk: { ...k2.jwk, kid: 'new' } }));
    expect(await requestMany()).toEqual(Array.from({ length: 50 }, () => 'new'));
    expect(addresses.calls).toHaveLength(2);
  });

  it('drops a key that a new copy of the set lacks, and keeps the object of an unchanged key', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1, k2));
    const [one, two] = [await addresses.sets.keyOf(only, 'k1'), await addresses.sets.keyOf(only, 'k2')];
    addresses.serve(A, setOf(k1));
    addresses.now += 3_600_001;
    await addresses.sets.keyOf(only, 'unknown');
    expect(one !== null && addresses.sets.has(only, one)).toBe(true);
    expect(two !== null && addresses.sets.has(only, two)).toBe(false);
  });

  it('keeps the last copy when a new one is empty or has more than 100 keys', async () => {
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
      expect(await idOf(addresses, 'unknown', only)).toBeNull();
      expect(await idOf(addresses, 'k1', only)).toBe('k1');
    }
    expect(addresses.warnings).toEqual([A, A, A]);
  });

  it('returns null, not KeysUnavailable, for a set that was always empty', async () => {
    const addresses = new Addresses();
    addresses.serve(A, Buffer.from('{"keys":[]}'));
    expect(await idOf(addresses, 'k1', only)).toBeNull();
  });

  it('does not quote an invalid response in its warning, because it may contain a private key', async () => {
    const addresses = new Addresses();
    addresses.serve(A, Buffer.from('{"keys":[{"d":"c2VjcmV0",}]}'));
    await expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
    expect(addresses.reasons).toEqual(['Error: The response is not JSON.']);
  });

  it.each([
    ['an hour, when the response states no lifetime', null, 3_600_000],
    ['the lifetime that the response states', 7_200_000, 7_200_000],
    ['five minutes, when the response states less', 0, 300_000],
    ['a day, when the response states more', 31_536_000_000, 86_400_000],
  ])('reads a set again after %s, and shortly before in the background', async (_what, maxAgeMs, freshMs) => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1), maxAgeMs);
    await addresses.sets.keyOf(only, 'k1');
    addresses.now += 0.9 * freshMs - 1;
    await addresses.sets.keyOf(only, 'k1');
    expect(addresses.calls).toHaveLength(1);
    addresses.now += 1;
    addresses.hang(A);
    expect(await idOf(addresses, 'k1', only)).toBe('k1');
    expect(addresses.calls).toHaveLength(2);
  });

  it('reads an expired set before it uses a key of it, so that a withdrawn key is refused', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1, k2));
    await addresses.sets.keyOf(only, 'k1');
    addresses.serve(A, setOf(k2));
    addresses.now += 3_600_000;
    expect(await idOf(addresses, 'k1', only)).toBeNull();
    expect(await idOf(addresses, 'k2', only)).toBe('k2');
    expect(addresses.calls).toHaveLength(2);
  });

  it('separates signature keys from SPIFFE keys that one URL publishes', async () => {
    const addresses = new Addresses();
    addresses.serve(A, Buffer.from(JSON.stringify({ keys: [k1.jwk, { ...k2.jwk, use: 'jwt-svid' }] })));
    const spiffe = trust({ jwksUrls: [A], preset: 'spiffe' });
    expect([await idOf(addresses, 'k1', only), await idOf(addresses, 'k2', only)]).toEqual(['k1', null]);
    expect([await idOf(addresses, 'k1', spiffe), await idOf(addresses, 'k2', spiffe)]).toEqual([null, 'k2']);
  });

  it("bounds one organisation's sets without evicting those of another organisation", async () => {
    const addresses = new Addresses(50_000);
    addresses.serve(A, setOf(k1));
    const theirs = trust({ jwksUrls: [A], organisationId: 'organisation-2' });
    const key = await addresses.sets.keyOf(theirs, 'k1');
    for (let index = 0; index < 50; index += 1) {
      const url = `https://a.example/${String(index)}`;
      addresses.serve(url, setOf(k1));
      await addresses.sets.keyOf(trust({ jwksUrls: [url] }), 'k1');
    }
    expect(addresses.sets.bytes).toBeLessThan(50_000);
    expect(addresses.sets.bytes).toBeGreaterThan(5 * 2_048);
    expect(key !== null && addresses.sets.has(theirs, key)).toBe(true);
  });

  it('updates the counted bytes of a set at each read', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1, k2));
    await addresses.sets.keyOf(only, 'k1');
    const ofTwo = addresses.sets.bytes;
    addresses.serve(A, setOf(k1));
    addresses.now += 3_600_000;
    await addresses.sets.keyOf(only, 'k1');
    expect([ofTwo, addresses.sets.bytes]).toEqual([512 + 2 * 2_048, 512 + 2_048]);
  });

  it('reads a set separately for each organisation', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    addresses.serve(A, setOf(k2));
    const theirs = trust({ jwksUrls: [A], organisationId: 'organisation-2' });
    expect(await idOf(addresses, 'k1', theirs)).toBeNull();
  });
});

describe('KeySets with a URL that does not respond', () => {
  const only = trust({ jwksUrls: [A] });
  const both = trust({ jwksUrls: [A, B] });
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('waits two seconds, then rejects with KeysUnavailable without a copy and returns null with one', async () => {
    const addresses = new Addresses();
    addresses.hang(A);
    const first = expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
    await jest.advanceTimersByTimeAsync(1_999);
    // A later caller waits no longer than the first one.
    const second = expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
    await jest.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(addresses.calls).toEqual([A]);
    addresses.serve(B, setOf(k2));
    expect(await addresses.sets.keyOf(both, 'k1')).toBeNull();
  });

  it('does not wait again until the URL has responded in time', async () => {
    const addresses = new Addresses();
    const release = addresses.holdBack(A, setOf(k1));
    const first = expect(addresses.sets.keyOf(only, 'k1')).rejects.toThrow(KeysUnavailable);
    await jest.advanceTimersByTimeAsync(2_000);
    await first;
    release();
    await jest.advanceTimersByTimeAsync(0);
    expect((await addresses.sets.keyOf(only, 'k1'))?.id).toBe('k1');
    addresses.now += 31_000;
    const again = addresses.holdBack(A, setOf(k1, k2));
    // The last response was late, so this call starts a read without waiting for it.
    expect(await addresses.sets.keyOf(only, 'k2')).toBeNull();
    again();
    await jest.advanceTimersByTimeAsync(0);
    expect((await addresses.sets.keyOf(only, 'k2'))?.id).toBe('k2');
    addresses.now += 31_000;
    const late = addresses.holdBack(A, setOf(k1, k2, { ...k2, jwk: { ...k2.jwk, kid: 'k3' } }));
    const waiting = addresses.sets.keyOf(only, 'k3');
    await jest.advanceTimersByTimeAsync(1_000);
    late();
    expect((await waiting)?.id).toBe('k3');
  });

  it('delays callers whose key has a copy only once', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    addresses.hang(A);
    addresses.now += 3_600_000;
    const due = addresses.sets.keyOf(only, 'k1');
    await jest.advanceTimersByTimeAsync(2_000);
    expect((await due)?.id).toBe('k1');
    addresses.now += 31_000;
    expect((await addresses.sets.keyOf(only, 'k1'))?.id).toBe('k1');
  });

  it('does not wait for an expired copy while its URL fails, and waits again after the URL has recovered', async () => {
    const addresses = new Addresses();
    addresses.serve(A, setOf(k1));
    await addresses.sets.keyOf(only, 'k1');
    addresses.fail(A);
    addresses.now += 3_600_000;
    expect((await addresses.sets.keyOf(only, 'k1'))?.id).toBe('k1');
    addresses.now += 31_000;
    // No timer advances here, so the call resolves only because it does not wait.
    const recover = addresses.holdBack(A, setOf(k1));
    expect((await addresses.sets.keyOf(only, 'k1'))?.id).toBe('k1');
    recover();
    await jest.advanceTimersByTimeAsync(0);
    addresses.now += 3_600_000;
    const withdraw = addresses.holdBack(A, setOf(k2));
    const due = addresses.sets.keyOf(only, 'k1');
    withdraw();
    expect(await due).toBeNull();
  });
});

describe('readSigningKey', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const offCurve = { ...k2.jwk, y: k2.jwk['x'] };

  it.each([
    ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0', kid: 'x' }],
    ['a key for encryption', { ...k1.jwk, use: 'enc' }],
    ['a key for other operations', { ...k1.jwk, key_ops: ['encrypt'] }],
    ['an RSA key of 1,024 bits', rsaKey('weak', 1_024).jwk],
    ['an RSA key with the exponent 1', { ...k1.jwk, e: 'AQ' }],
    ['an RSA key with an exponent beyond 32 bits', { ...k1.jwk, e: 'AQAAAAE' }],
    ['a key with an id that no token can name', { ...k1.jwk, kid: 'k'.repeat(257) }],
    ['a point off its curve', offCurve],
    ['a key without an id', { ...k1.jwk, kid: undefined }],
    ['an algorithm that does not fit', { ...k1.jwk, alg: 'ES256' }],
    ['no object', 'key'],
  ])('refuses %s', (_what, jwk) => {
    expect(readSigningKey(jwk)).toBeNull();
  });

  it('returns only the public part of a private key that was published by mistake', () => {
    const key = readSigningKey({ ...privateKey.export({ format: 'jwk' }), kid: 'x' });
    expect(key?.key.type).toBe('public');
  });
});
