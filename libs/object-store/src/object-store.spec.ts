import { createAddressPolicy, randomHex, readSettings } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { STUB_S3_KEYS, StubObjectStore } from '@gw/testing';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskObjectStore } from './disk-object-store';
import type { ObjectStore } from './object-store';
import { S3ObjectStore } from './s3-object-store';
import { OBJECT_STORE_SETTINGS, openLogStores } from './settings';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-objects-'));
let stub: StubObjectStore;
beforeAll(async () => {
  stub = await StubObjectStore.start();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stub.stop();
});

const s3 = (changes: { secretAccessKey?: string; trustedHosts?: string[] } = {}): S3ObjectStore =>
  new S3ObjectStore({
    bucket: 'logs',
    region: 'eu-central-1',
    endpoint: stub.origin,
    basePath: 'base/',
    credentials: {
      accessKeyId: STUB_S3_KEYS.keyId,
      secretAccessKey: changes.secretAccessKey ?? STUB_S3_KEYS.secret,
    },
    client: new BufferedClient({
      policy: createAddressPolicy({ trustedHosts: changes.trustedHosts ?? ['127.0.0.1'] }),
    }),
  });

describe.each<[string, () => ObjectStore]>([
  ['disk', () => new DiskObjectStore(folder)],
  ['s3', () => s3()],
])('an object store on %s', (_, open) => {
  const key = (): string => `bodies/2026-11-21/${randomHex(8)}`;
  let store: ObjectStore;
  beforeAll(() => {
    store = open();
  });
  afterAll(() => {
    store.close();
  });

  it('gives back what it was given, whole and in ranges, and the newest of what was written twice', async () => {
    const at = key();
    await store.put(at, Buffer.from('old'));
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 251));
    await store.put(at, bytes);
    expect(await store.get(at)).toEqual(bytes);
    expect(await store.get(at, { offset: 1_000, length: 50 })).toEqual(bytes.subarray(1_000, 1_050));
    expect(await store.get(at, { offset: 69_990, length: 50 })).toEqual(bytes.subarray(69_990));
    expect(await store.get(at, { offset: 70_000, length: 1 })).toEqual(Buffer.alloc(0));
  });

  it('has no object that nobody wrote', async () => {
    expect(await store.get(key())).toBeNull();
  });

  it('removes a folder with all in it and leaves those beside it, also when there is nothing', async () => {
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

describe('the disk', () => {
  it('keeps objects from other users of the machine, and no half of one', async () => {
    const store = new DiskObjectStore(join(folder, 'modes'));
    await store.put('a/b', Buffer.from('1'));
    expect(statSync(join(folder, 'modes', 'a', 'b')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'modes', 'a'))).toEqual(['b']);
  });
});

describe('S3', () => {
  it('names bucket and base path in the path', async () => {
    await s3().put('a/b', Buffer.from('1'));
    expect([...stub.objects.keys()]).toContain('logs/base/a/b');
  });

  it('fails where its signature is not the right one', async () => {
    await expect(s3({ secretAccessKey: 'another' }).put('a/c', Buffer.from('1'))).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
    });
  });

  it('reaches no address that the policy refuses', async () => {
    const { connections } = stub.stub;
    await expect(s3({ trustedHosts: [] }).get('a/b')).rejects.toThrow();
    expect(stub.stub.connections).toBe(connections);
  });

  it('removes more objects than one request lists', async () => {
    for (let i = 0; i < 2_500; i += 1) stub.objects.set(`logs/base/many/${String(i)}`, Buffer.alloc(0));
    await s3().removeFolder('many/');
    expect([...stub.objects.keys()].filter((name) => name.startsWith('logs/base/many/'))).toEqual([]);
  });
});

describe('the settings', () => {
  const stores = (environment: Record<string, string>) =>
    openLogStores({
      ...readSettings(OBJECT_STORE_SETTINGS, environment),
      DATA_DIR: folder,
      HTTPS_PROXY: null,
      HTTP_PROXY: null,
      NO_PROXY: '',
    });

  it('keep bodies in the database unless told, and exports on the disk', async () => {
    const { bodies, exports } = stores({});
    expect(bodies).toBeNull();
    await exports.put('e/1', Buffer.from('1'));
    expect(readdirSync(join(folder, 'objects', 'e'))).toEqual(['1']);
    expect(stores({ LOG_STORE: 'local' }).bodies).not.toBeNull();
  });

  it('open buckets at the endpoint that they name, which needs no other leave', async () => {
    const { bodies, exports } = stores({
      LOG_STORE: 's3',
      LOG_STORE_ENDPOINT: stub.origin,
      LOG_STORE_ACCESS_KEY: STUB_S3_KEYS.keyId,
      LOG_STORE_SECRET_KEY: STUB_S3_KEYS.secret,
      LOG_STORE_GENERATIONS_BUCKET: 'generations',
      LOG_EXPORTS_BUCKET: 'exports',
    });
    await bodies?.put('x/1', Buffer.from('1'));
    await exports.put('x/2', Buffer.from('1'));
    expect([...stub.objects.keys()]).toEqual(expect.arrayContaining(['generations/x/1', 'exports/x/2']));
  });

  it.each(['LOG_STORE_GENERATIONS_BUCKET', 'LOG_STORE_ACCESS_KEY', 'LOG_STORE_SECRET_KEY'])(
    'need %s with S3',
    (name) => {
      const all = { LOG_STORE_GENERATIONS_BUCKET: 'b', LOG_STORE_ACCESS_KEY: 'k', LOG_STORE_SECRET_KEY: 's' };
      expect(() => stores({ LOG_STORE: 's3', ...all, [name]: '' })).toThrow(name);
    },
  );
});
