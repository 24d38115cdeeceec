import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditLogEntity,
  endedApiKeys,
  OrganisationEntity,
  UserInviteEntity,
  verifyAuditChain,
} from '@gw/entities';
import { JobQueue, expiryJob } from '@gw/jobs';
import { uuidv7 } from '@gw/kernel';
import { eventually, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { createWorker } from '../../app';
import { readWorkerSettings } from '../../settings';
import { ExpiryProcessor } from './expiry.processor';

describe('expiry job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const PAST = new Date(Date.now() - 1_000);
  const FUTURE = new Date(Date.now() + 3_600_000);
  let count = 0;

  beforeAll(async () => {
    const organisation = { id: organisationId, name: 'Acme', slug: 'acme' };
    await database.dataSource.manager.insert(OrganisationEntity, organisation);
  });

  async function key(expiresAt: Date | null, status: ApiKeyEntity['status'] = 'active'): Promise<string> {
    const id = uuidv7();
    await database.dataSource.manager.insert(ApiKeyEntity, {
      ...{ id, type: 'organisation-service', organisationId, name: 'k', scopes: ['logs.list'] },
      expiresAt,
      status,
    });
    await secret(id, 'current', null);
    return id;
  }
  async function secret(
    apiKeyId: string,
    state: 'current' | 'transition',
    expiresAt: Date | null,
  ): Promise<string> {
    const secretHash = String((count += 1)).padStart(64, '0');
    await database.dataSource.manager.insert(ApiKeySecretEntity, {
      ...{ secretHash, apiKeyId, masked: 'aa*****aaa', state, expiresAt },
    });
    return secretHash;
  }
  const statusOf = async (id: string): Promise<string> =>
    (await database.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id })).status;
  const run = (): Promise<void> => new ExpiryProcessor(database.dataSource, true).process();
  const events = (): Promise<{ changed: string[]; removed: string[] }[]> =>
    database.dataSource.query('SELECT changed, removed FROM change_events ORDER BY sequence');

  it('[SCP-10] marks only expired keys as expired, once, and notifies the gateways', async () => {
    const over = [await key(PAST), await key(PAST, 'exhausted')];
    const live = [await key(FUTURE), await key(null), await key(PAST, 'archived')];
    await Promise.all([run(), run()]);
    await run();
    expect(await Promise.all(over.map(statusOf))).toEqual(['expired', 'expired']);
    expect(await Promise.all(live.map(statusOf))).toEqual(['active', 'active', 'archived']);
    const hashes = await database.dataSource.manager.findBy(
      ApiKeySecretEntity,
      over.map((apiKeyId) => ({ apiKeyId })),
    );
    expect((await events()).flatMap(({ changed }) => changed).sort()).toEqual(
      hashes.map(({ secretHash }) => `api_key:${secretHash}`).sort(),
    );
    const audits = await database.dataSource.manager.findBy(AuditLogEntity, { action: 'expire' });
    expect(audits.map(({ resourceId, userType }) => [resourceId, userType]).sort()).toEqual(
      over.map((id) => [id, 'system']).sort(),
    );
    const chain = await verifyAuditChain(database.dataSource.manager, organisationId, 1, 100);
    expect(chain).toMatchObject({ valid: true, checked: 2 });
  });

  it('ends old secrets of rotated keys after their transition', async () => {
    const rotated = await key(null);
    const old = await secret(rotated, 'transition', PAST);
    const fresh = await key(null);
    await secret(fresh, 'transition', FUTURE);
    await run();
    const left = await database.dataSource.manager.findBy(ApiKeySecretEntity, { state: 'transition' });
    expect(left.map(({ apiKeyId }) => apiKeyId)).toEqual([fresh]);
    expect((await events()).at(-1)?.removed).toEqual([`api_key:${old}`]);
  });

  it('forgets the owner of a secret that ended more than 30 days ago', async () => {
    const ages = [29, 31, 400];
    for (const [i, age] of ages.entries())
      await database.dataSource.query(
        `INSERT INTO ended_api_keys (secret_hash, api_key_id, organisation_id, ended_at)
         VALUES ($1, $2, $3, now() - $4 * interval '1 day')`,
        [String(i).padStart(64, 'e'), uuidv7(), organisationId, age],
      );
    await run();
    const left = await endedApiKeys(
      database.dataSource.manager,
      ages.map((_, i) => String(i).padStart(64, 'e')),
    );
    expect(left.map(({ secretHash }) => secretHash)).toEqual(['0'.padStart(64, 'e')]);
  });

  it('marks expired invites', async () => {
    const invite = { organisationId, role: 'member' as const };
    const rows = [PAST, FUTURE].map((expiresAt, index) => ({
      ...{ ...invite, id: uuidv7(), email: `${String(index)}@example.com`, expiresAt },
      tokenHash: String(index).padStart(64, 'a'),
    }));
    await database.dataSource.manager.insert(UserInviteEntity, rows);
    await run();
    const found = await database.dataSource.manager.find(UserInviteEntity, { order: { email: 'ASC' } });
    expect(found.map(({ status }) => status)).toEqual(['expired', 'pending']);
  });

  it('[SCP-10] marks an expired key when the worker runs the queued job', async () => {
    const id = await key(PAST);
    const settings = readWorkerSettings({
      DATABASE_URL: database.url,
      SERVICE_TOKEN: 'a service token of tests',
      DB_POOL_SIZE: '3',
    });
    const worker = await createWorker(settings, createLog('test', 'silent'));
    await worker.init();
    const queue = new JobQueue({ kind: 'postgres', url: database.url }, () => undefined);
    try {
      await queue.enqueue(expiryJob, {}, 'now');
      await eventually(async () => (await statusOf(id)) === 'expired');
    } finally {
      await queue.close();
      await worker.close();
    }
  });
});
