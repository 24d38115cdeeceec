import { randomHex } from '@gw/kernel';
import type { ObjectStore } from '../object-store';

/** Contract of every driver of the port. For specs only. */
export function objectStoreContract(name: string, open: () => ObjectStore): void {
  describe(`an object store on ${name}`, () => {
    const key = (): string => `bodies/2026-11-21/${randomHex(8)}`;
    let store: ObjectStore;
    beforeAll(() => {
      store = open();
    });
    afterAll(() => {
      store.close();
    });

    it('returns stored objects whole and in ranges, and the latest version after a second write', async () => {
      const at = key();
      await store.put(at, Buffer.from('old'));
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 251));
      await store.put(at, bytes);
      expect(await store.get(at)).toEqual(bytes);
      expect(await store.get(at, { offset: 1_000, length: 50 })).toEqual(bytes.subarray(1_000, 1_050));
      expect(await store.get(at, { offset: 69_990, length: 50 })).toEqual(bytes.subarray(69_990));
      expect(await store.get(at, { offset: 70_000, length: 1 })).toEqual(Buffer.alloc(0));
    });

    it('returns null for an unknown object', async () => {
      expect(await store.get(key())).toBeNull();
    });

    it('removes a folder with its content, keeps neighbouring folders, and accepts an empty folder', async () => {
      for (const name of ['exports/a/1/x', 'exports/a/1/deep/y', 'exports/a/10/z'])
        await store.put(name, Buffer.from('1'));
      await store.removeFolder('exports/a/1/');
      await store.removeFolder('exports/a/1/');
      expect(await store.get('exports/a/1/x')).toBeNull();
      expect(await store.get('exports/a/1/deep/y')).toBeNull();
      expect(await store.get('exports/a/10/z')).toEqual(Buffer.from('1'));
    });

    it.each(['', '/', 'a/../b', '..', 'a//b', 'a/./b', '/a', 'a b', 'a/', 'ä', 'a\0', 'x'.repeat(600)])(
      'refuses the key %j, so that nothing reaches outside of its folder',
      async (at) => {
        await expect(store.put(at, Buffer.from('1'))).rejects.toThrow('not valid');
        await expect(store.get(at)).rejects.toThrow('not valid');
        await expect(store.removeFolder(`${at}x`.slice(0, -1) === 'a/' ? 'a' : at)).rejects.toThrow(
          'not valid',
        );
      },
    );
  });
}
