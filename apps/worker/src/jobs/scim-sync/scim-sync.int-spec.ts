import { INTERNAL } from '@gw/contracts';
import { OrganisationEntity, OrganisationUserEntity, ScimUserEntity, UserEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { ServiceClient } from '@gw/outbound';
import { StubProvider, testDatabase } from '@gw/testing';
import { ScimSyncProcessor } from './scim-sync.processor';

const TOKEN = 'service-token-of-the-tests-0123456789';

describe('scim-sync job', () => {
  const database = testDatabase();
  const client = new ServiceClient({ timeoutMs: 60_000, connections: 1, bytesMax: 1_024 });
  let admin: StubProvider;
  let userId: string;

  beforeAll(async () => {
    const { manager } = database.dataSource;
    const organisationId = uuidv7();
    userId = uuidv7();
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    await manager.insert(UserEntity, { id: userId, email: 'ann@example.org' });
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role: 'member' });
    const names = { userName: 'ann@example.org', userNameKey: 'ann@example.org' };
    await manager.insert(ScimUserEntity, { organisationId, userId, ...names, active: true });
  });
  beforeEach(async () => {
    admin = await StubProvider.start();
  });
  afterEach(() => admin.stop());
  afterAll(() => {
    client.close();
  });

  const run = (): Promise<void> =>
    new ScimSyncProcessor(database.dataSource, {
      client,
      adminUrl: admin.origin,
      serviceToken: TOKEN,
    }).process();
  const mark = (pending: boolean): Promise<unknown> =>
    database.dataSource.manager.update(ScimUserEntity, { userId }, { pending });

  it('sends no request while no user is pending', async () => {
    await run();
    expect(admin.requests).toHaveLength(0);
  });

  it('requests batches with the service token until the admin API finds no user', async () => {
    await mark(true);
    admin.respondJson({ settled: 0 });
    await run();
    expect(admin.requests.map(({ method, url }) => [method, url])).toEqual([['POST', INTERNAL.scimSettle]]);
    expect(admin.requests[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
  });

  it('fails when the admin API refuses a batch, so that the job store retries it', async () => {
    await mark(true);
    admin.respondJson({}, 503);
    await expect(run()).rejects.toThrow('The admin API responded with 503');
  });
});
