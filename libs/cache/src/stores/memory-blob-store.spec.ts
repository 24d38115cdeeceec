import fc from 'fast-check';
import { blobStoreContract, CONTRACT_ENTRY_BYTES_MAX } from '../spec-support/blob-store.contract';
import { MemoryBlobStore } from './memory-blob-store';
import { TENANT } from '../spec-support/samples';

describe('MemoryBlobStore', () => {
  blobStoreContract(
    () => new MemoryBlobStore({ bytesMax: 1_000_000, entryBytesMax: CONTRACT_ENTRY_BYTES_MAX }),
  );

  it('never holds more than half of its bytes for one workspace', () => {
    const writes = fc.array(fc.tuple(fc.nat(50), fc.nat(3_000)), { maxLength: 200 });
    fc.assert(
      fc.property(writes, (list) => {
        const store = new MemoryBlobStore({ bytesMax: 20_000, entryBytesMax: 2_000 });
        for (const [key, size] of list) {
          store.set(TENANT, String(key), Buffer.alloc(size), 60_000);
          expect(store.bytes).toBeLessThanOrEqual(10_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('drops the least recently used entries', () => {
    const store = new MemoryBlobStore({ bytesMax: 6 * (1_000 + 512), entryBytesMax: 1_000 });
    for (const key of ['a', 'b', 'c']) store.set(TENANT, key, Buffer.alloc(1_000), 60_000);
    store.get('a');
    store.set(TENANT, 'd', Buffer.alloc(1_000), 60_000);
    expect(['a', 'b', 'c', 'd'].map((key) => store.get(key) !== null)).toEqual([true, false, true, true]);
  });

  it('drops an entry that has expired by its clock', () => {
    let now = 0;
    const store = new MemoryBlobStore({ bytesMax: 10_000, entryBytesMax: 1_000, now: () => now });
    now = 1;
    store.set(TENANT, 'a', Buffer.from('x'), 1_000);
    now = 1_000;
    expect(store.get('a')).not.toBeNull();
    now = 1_002;
    expect(store.get('a')).toBeNull();
  });
});
