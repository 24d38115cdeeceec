import { LogExportEntity, LogExportPartEntity } from '@gw/entities';
import type { ObjectStore } from '@gw/object-store';
import { eventually } from '@gw/testing';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { LogExportFiles, type LinkParts } from './log-export-files';

/** A store that returns nothing until it is released, which simulates clients that do not read. */
class HeldStore implements Pick<ObjectStore, 'get'> {
  reads = 0;
  private readonly waiting: (() => void)[] = [];

  get(): Promise<Buffer> {
    this.reads += 1;
    return new Promise((resolve) => this.waiting.push(() => resolve(Buffer.from('{}\n'))));
  }

  letGo(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}

describe('export downloads', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  const held = new HeldStore();
  let files: LogExportFiles;
  let ids: ReadonlyMap<string, string>;

  const exportOf = async (key: string): Promise<string> => {
    const body = { filters: {}, requested_data: ['id'] };
    const { id } = (await admin.post<{ id: string }>('/v1/logs/exports', { key, body })).body;
    const { manager } = admin.dataSource;
    const part = { exportId: id, number: 0, key: 'k', bytes: 3, rows: 1, meta: null };
    await manager.insert(LogExportPartEntity, part);
    await manager.save(LogExportEntity, { id, status: 'success', run: 1, rowsDone: 1, bytesDone: '3' });
    return id;
  };
  beforeAll(async () => {
    const key = new Secrets(MASTER_KEY, SERVICE_TOKEN).exportLinkKey;
    const settings = { DATA_EXPORTS_ENABLED: true } as ConstructorParameters<typeof LogExportFiles>[3];
    files = new LogExportFiles(admin.dataSource, held as unknown as ObjectStore, key, settings);
    ids = new Map([
      [ours.key, await exportOf(ours.key)],
      [theirs.key, await exportOf(theirs.key)],
    ]);
  });
  afterEach(() => {
    jest.useRealTimers();
    held.letGo();
  });

  const linkOf = async (credential: object, id: string): Promise<LinkParts> => {
    const { body } = await admin.get(`/v1/logs/exports/${id}/download`, credential);
    const { searchParams } = new URL(String(body['signed_url']));
    return Object.fromEntries(searchParams) as unknown as LinkParts;
  };
  const download = (id: string, link: LinkParts): { res: ServerResponse; ended: Promise<unknown> } => {
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    return { res, ended: files.send(id, link, () => res).catch((error: unknown) => error) };
  };

  it('leave slots for other callers, however many downloads one key opens and stalls', async () => {
    const id = ids.get(ours.key) ?? '';
    const link = await linkOf({ key: ours.key }, id);
    const taken = Array.from({ length: 30 }, () => download(id, link));
    const refused: unknown[] = [];
    for (const { ended } of taken) void ended.then((error) => error && refused.push(error));
    await eventually(() => held.reads + refused.length === 30);
    expect(held.reads).toBe(10);
    expect(refused[0]).toMatchObject({ type: 'unavailable', message: expect.stringContaining('by you') });
    const other = ids.get(theirs.key) ?? '';
    const theirLink = await linkOf({ key: theirs.key }, other);
    const second = download(other, theirLink);
    await eventually(() => held.reads === 11);
    held.letGo();
    expect(await second.ended).toBeUndefined();
    await Promise.all(taken.map(({ ended }) => ended));
    // A finished download has released its slot.
    const again = download(id, link);
    await eventually(() => held.reads === 12);
    held.letGo();
    expect(await again.ended).toBeUndefined();
  });

  it('are aborted when the client falls a minute behind 64 KiB per second, even if it reads now and then', async () => {
    const id = ids.get(ours.key) ?? '';
    await admin.dataSource.manager.save(LogExportEntity, { id, bytesDone: String(10 * 65_536) });
    const link = await linkOf({ key: ours.key }, id);
    const before = held.reads;
    jest.useFakeTimers({
      doNotFake: [
        'setInterval',
        'setImmediate',
        'nextTick',
        'queueMicrotask',
        'Date',
        'performance',
        'hrtime',
      ],
    });
    const { res, ended } = download(id, link);
    while (held.reads === before) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(69_900);
    expect(res.destroyed).toBe(false);
    jest.advanceTimersByTime(200);
    expect(res.destroyed).toBe(true);
    held.letGo();
    await ended;
  });
});
