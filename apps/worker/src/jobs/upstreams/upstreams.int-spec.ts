import { AgentIntegrationEntity, McpIntegrationEntity, OrganisationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { ServiceClient } from '@gw/outbound';
import { StubProvider, testDatabase } from '@gw/testing';
import { UPSTREAM_JOBS, UpstreamsProcessor } from './upstreams.processor';

const TOKEN = 'service-token-of-the-tests-0123456789';

const at = (ms: number): Date => new Date(Date.now() + ms);

describe('jobs that read and check upstreams', () => {
  const database = testDatabase();
  const client = new ServiceClient({ timeoutMs: 60_000, connections: 1, bytesMax: 1_024 });
  let admin: StubProvider;
  const id = uuidv7();

  beforeAll(async () => {
    const { manager } = database.dataSource;
    const organisationId = uuidv7();
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    const integration = {
      ...{ id, organisationId, nextSyncAt: at(3_600_000), nextHealthAt: at(3_600_000) },
      ...({ authType: 'none', approvalMode: 'auto' } as const),
    };
    await manager.insert(McpIntegrationEntity, {
      ...integration,
      ...{ name: 'GitHub', slug: 'github', url: 'https://mcp.example.com', transport: 'http' },
    });
    await manager.insert(AgentIntegrationEntity, {
      ...integration,
      ...{ name: 'Travel', slug: 'travel', url: 'https://agent.example.com', source: 'fetched' },
    });
  });
  beforeEach(async () => {
    admin = await StubProvider.start();
  });
  afterEach(() => admin.stop());
  afterAll(() => {
    client.close();
  });

  it('have one job for each internal route', () => {
    expect(UPSTREAM_JOBS.map(({ spec, path }) => [spec.name, path])).toEqual([
      ['mcp-sync', '/internal/v1/mcp/sync'],
      ['agent-card-sync', '/internal/v1/agents/cards/sync'],
      ['mcp-health', '/internal/v1/mcp/health'],
      ['agent-health', '/internal/v1/agents/health'],
    ]);
  });

  describe.each(UPSTREAM_JOBS.map((job) => [job.spec.name, job] as const))('%s', (_name, job) => {
    const run = (): Promise<void> =>
      new UpstreamsProcessor(job, database.dataSource, {
        client,
        adminUrl: admin.origin,
        serviceToken: TOKEN,
      }).process();
    const setDue = (ms: number): Promise<unknown> =>
      database.dataSource.manager.update<McpIntegrationEntity | AgentIntegrationEntity>(
        job.entity,
        { id },
        { [job.due]: at(ms) },
      );
    afterAll(() => setDue(3_600_000));

    it('sends no request while no upstream is due', async () => {
      await run();
      expect(admin.requests).toHaveLength(0);
    });

    it('requests batches with the service token until the admin API finds no upstream', async () => {
      await setDue(-1_000);
      admin.respondJson({ [job.count]: 0 });
      await run();
      expect(admin.requests.map(({ method, url }) => [method, url])).toEqual([['POST', job.path]]);
      expect(admin.requests[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    });

    it('fails when the admin API refuses a batch, so that the job store retries it', async () => {
      await setDue(-1_000);
      admin.respondJson({}, 503);
      await expect(run()).rejects.toThrow('The admin API responded with 503');
    });
  });
});
