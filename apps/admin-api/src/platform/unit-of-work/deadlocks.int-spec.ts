import { AuditLogEntity, LabelEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi } from '../../spec-support/admin-api';
import type { AuditCaller } from './audit-recorder';
import { FOR_UPDATE, Writes } from './writes';

describe('Writes', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();

  const caller = (): AuditCaller => ({
    kind: 'system',
    organisationId: tenant.organisationId,
    workspaceId: null,
    userId: null,
    apiKeyId: null,
    request: { id: uuidv7(), method: 'JOB', uri: 'test', clientIp: null, userAgent: null },
  });
  const label = async (): Promise<string> => {
    const { organisationId, workspaceId } = tenant;
    const id = uuidv7();
    const row = { id, organisationId, workspaceId, name: id, status: 'active' as const };
    await api.dataSource.manager.insert(LabelEntity, row);
    return id;
  };

  it('repeats a transaction that Postgres has undone to end a deadlock, and stores it once', async () => {
    const writes = api.api.app.get(Writes, { strict: false });
    const [one, other] = [await label(), await label()];
    let started = 0;
    let bothHold: () => void;
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const inOrder = (first: string, second: string): Promise<string> =>
      writes.run(caller(), async (write) => {
        const lock = async (id: string): Promise<void> => {
          await write.manager.findOneOrFail(LabelEntity, { where: { id }, lock: FOR_UPDATE });
        };
        await lock(first);
        started += 1;
        if (started === 2) bothHold();
        await held;
        await lock(second);
        await write.manager.update(LabelEntity, { id: first }, { description: `changed with ${second}` });
        write.audit({ action: 'update', resourceType: 'labels', resourceId: first });
        return first;
      });
    expect(await Promise.all([inOrder(one, other), inOrder(other, one)])).toEqual([one, other]);
    expect(started).toBe(3);
    for (const [id, with_] of [
      [one, other],
      [other, one],
    ] as const) {
      const row = await api.dataSource.manager.findOneByOrFail(LabelEntity, { id });
      const entries = await api.dataSource.manager.countBy(AuditLogEntity, { resourceId: id });
      expect([row.description, row.version, entries]).toEqual([`changed with ${with_}`, 2, 1]);
    }
  });
});
