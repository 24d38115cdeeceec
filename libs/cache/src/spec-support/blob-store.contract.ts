import { randomBytes } from 'node:crypto';
import { eventually } from '@gw/testing';
import { UNAVAILABLE, type BlobStore } from '../index';
import { TENANT } from './samples';

export const CONTRACT_ENTRY_BYTES_MAX = 10_000;

/** Tests the contract of a driver. `make` returns a store with its own entries and the entry bound
 * above.
 */
export function blobStoreContract(make: () => BlobStore): void {
  let store: BlobStore;
  let count = 0;
  const freshKey = (): string => `key-${String((count += 1))}-${randomBytes(8).toString('hex')}`;
  const valueOf = async (key: string): Promise<Buffer | null> => {
    const value = await store.get(key);
    if (value === UNAVAILABLE) throw new Error('the store did not reply');
    return value;
  };
  const isThere = (key: string) => async (): Promise<boolean> => (await valueOf(key)) !== null;

  beforeEach(() => {
    store = make();
  });

  it('returns the stored bytes, and null for another key', async () => {
    const key = freshKey();
    const value = randomBytes(2_048);
    store.set(TENANT, key, value, 60_000);
    await eventually(isThere(key));
    expect((await valueOf(key))?.equals(value)).toBe(true);
    expect(await store.get(`${key}x`)).toBeNull();
    expect(await store.get(freshKey())).toBeNull();
  });

  it('replaces and deletes an entry', async () => {
    const key = freshKey();
    store.set(TENANT, key, Buffer.from('one'), 60_000);
    await eventually(isThere(key));
    store.set(TENANT, key, Buffer.from('two'), 60_000);
    await eventually(async () => (await valueOf(key))?.toString() === 'two');
    store.delete(key);
    await eventually(async () => (await store.get(key)) === null);
  });

  it('drops an entry after its ttl', async () => {
    const key = freshKey();
    store.set(TENANT, key, Buffer.from('short'), 150);
    await eventually(isThere(key));
    await eventually(async () => (await store.get(key)) === null);
  });

  it('does not store an entry above the size limit, and keeps other entries', async () => {
    const large = freshKey();
    const small = freshKey();
    store.set(TENANT, large, randomBytes(CONTRACT_ENTRY_BYTES_MAX + 1), 60_000);
    store.set(TENANT, small, Buffer.from('small'), 60_000);
    await eventually(isThere(small));
    expect(await store.get(large)).toBeNull();
  });
}
