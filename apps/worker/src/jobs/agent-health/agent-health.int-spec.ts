import { INTERNAL } from '@gw/contracts';
import { AgentIntegrationEntity, OrganisationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { ServiceClient } from '@gw/outbound';
import { StubProvider, testDatabase } from '@gw/testing';
import { AgentHealthProcessor } from './agent-health.processor';

const TOKEN = 'service-token-of-the-tests-0123456789';

const at = (ms: number): Date => new Date(Date.now() + ms);

describe('the job that checks agents', () => {
  const database = testDatabase();
  const client = new ServiceClient({ timeoutMs: 5_000, connections: 1, bytesMax: 1_024 });
  let admin: StubProvider;
  const id = uuidv7();

  beforeAll(async () => {
    const { manager } = database.dataSource;
    const organisationId = uuidv7();
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    await manager.insert(AgentIntegrationEntity, {
      ...{ id, organisationId, name: 'Travel', slug: 'travel', url: 'https://agent.example.com' },
      ...{ source: 'fetched', authType: 'none', approvalMode: 'auto', nextHealthAt: at(3_600_000) },
    });
  });
  beforeEach(async () => {
    admin = await StubProvider.start();
  });
  afterEach(() => admin.stop());
  afterAll(() => {
    client.close();
  });

  const run = (): Promise<void> =>
    new AgentHealthProcessor(database.dataSource, {
      client,
      adminUrl: admin.origin,
      serviceToken: TOKEN,
    }).process();
  const due = (): Promise<unknown> =>
    database.dataSource.manager.update(AgentIntegrationEntity, { id }, { nextHealthAt: at(-1_000) });

  it('asks for nothing while no agent is due', async () => {
    await run();
    expect(admin.requests).toHaveLength(0);
  });

  it('asks for batches with the service token until the admin API finds no agent', async () => {
    await due();
    admin.respondJson({ checked: 0 });
    await run();
    expect(admin.requests.map(({ method, url }) => [method, url])).toEqual([['POST', INTERNAL.agentHealth]]);
    expect(admin.requests[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
  });

  it('fails, so that it is repeated later, when the admin API does not carry out a batch', async () => {
    await due();
    admin.respondJson({}, 503);
    await expect(run()).rejects.toThrow('The admin API responded with 503');
  });
});
