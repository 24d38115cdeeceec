import { createAddressPolicy, readSettings } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { STUB_S3_KEYS, StubObjectStore } from '@gw/testing';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseObjectStore } from './database-object-store';
import { DiskObjectStore } from './disk-object-store';
import { S3ObjectStore } from './s3-object-store';
import { OBJECT_STORE_SETTINGS, openLogStores } from './settings';
import { objectStoreContract } from './spec-support/object-store-contract';

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

objectStoreContract('disk', () => new DiskObjectStore(folder));
objectStoreContract('s3', () => s3());

describe('DiskObjectStore', () => {
  it('hides objects from other users of the machine, and stores no partial objects', async () => {
    const store = new DiskObjectStore(join(folder, 'modes'));
    await store.put('a/b', Buffer.from('1'));
    expect(statSync(join(folder, 'modes', 'a', 'b')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'modes', 'a'))).toEqual(['b']);
  });
});

describe('S3ObjectStore', () => {
  it('puts bucket and base path into the URL path', async () => {
    await s3().put('a/b', Buffer.from('1'));
    expect([...stub.objects.keys()]).toContain('logs/base/a/b');
  });

  it('fails with a wrong signature', async () => {
    await expect(s3({ secretAccessKey: 'another' }).put('a/c', Buffer.from('1'))).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
    });
  });

  it('does not call an address that the policy refuses', async () => {
    const { connections } = stub.stub;
    await expect(s3({ trustedHosts: [] }).get('a/b')).rejects.toThrow();
    expect(stub.stub.connections).toBe(connections);
  });

  it('removes more objects than one list request returns', async () => {
    for (let i = 0; i < 2_500; i += 1) stub.objects.set(`logs/base/many/${String(i)}`, Buffer.alloc(0));
    await s3().removeFolder('many/');
    expect([...stub.objects.keys()].filter((name) => name.startsWith('logs/base/many/'))).toEqual([]);
  });
});

describe('openLogStores', () => {
  const stores = (environment: Record<string, string>) =>
    openLogStores(
      {
        ...readSettings(OBJECT_STORE_SETTINGS, environment),
        DATA_DIR: folder,
        HTTPS_PROXY: null,
        HTTP_PROXY: null,
        NO_PROXY: '',
      },
      () => Promise.reject(new Error('No database.')),
    );

  it('stores exports in the shared database by default, and no bodies outside their table', () => {
    const { bodies, exports } = stores({});
    expect(bodies).toBeNull();
    expect(exports).toBeInstanceOf(DatabaseObjectStore);
  });

  it('stores bodies and exports on disk with LOG_STORE=local', async () => {
    const { bodies, exports } = stores({ LOG_STORE: 'local' });
    expect(bodies).toBe(exports);
    await exports.put('e/1', Buffer.from('1'));
    expect(readdirSync(join(folder, 'objects', 'e'))).toEqual(['1']);
  });

  it('opens buckets at the configured endpoint, whatever the address policy allows', async () => {
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
    'throws without %s for S3',
    (name) => {
      const all = { LOG_STORE_GENERATIONS_BUCKET: 'b', LOG_STORE_ACCESS_KEY: 'k', LOG_STORE_SECRET_KEY: 's' };
      expect(() => stores({ LOG_STORE: 's3', ...all, [name]: '' })).toThrow(name);
    },
  );
});
