import { INTERNAL } from '@gw/contracts';
import { AlertWebhookEntity, McpIntegrationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { freePort, startMcpFixture, type McpFixture } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';
import { withStoppedClock } from '../../spec-support/stopped-clock';

interface Health {
  readonly state: string;
  readonly since: string | null;
  readonly checked_at: string | null;
  readonly error: string | null;
  readonly strip: readonly { readonly state: string; readonly response_time_ms: number | null }[];
}

describe('health of MCP servers', () => {
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  let tenant: Tenant;
  let fixture: McpFixture;
  beforeEach(async () => {
    tenant = await api.tenant();
    fixture = await startMcpFixture();
    await api.dataSource.query(`UPDATE mcp_integrations SET next_health_at = now() + interval '1 day'`);
  });
  afterEach(() => fixture.close());

  const made = (more: Partial<McpIntegrationEntity> = {}): Promise<McpIntegrationEntity> =>
    insertMcpIntegration(api.dataSource.manager, tenant, { url: fixture.url.href, ...more });
  /** Runs the checks that are due. On a busy machine, each could take so long that it shows a slow server. */
  const run = (): Promise<GatewayResponse<{ checked: number }>> =>
    withStoppedClock(() => api.post<{ checked: number }>(INTERNAL.mcpHealth, { token: SERVICE_TOKEN }));
  /** Makes the checks of all servers of the tenant due, and runs them. */
  async function check(): Promise<number> {
    await api.dataSource.query(
      'UPDATE mcp_integrations SET next_health_at = now() WHERE organisation_id = $1',
      [tenant.organisationId],
    );
    const response = await run();
    expect(response.status).toBe(200);
    return response.body.checked;
  }
  const healthOf = async (id: string): Promise<Health> =>
    (await api.get<Health>(`/v1/mcp-integrations/${id}/health`, { key: tenant.adminKey })).body;
  const rowOf = (id: string): Promise<McpIntegrationEntity> =>
    api.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id });
  const dueInMs = async (id: string): Promise<number> =>
    (await rowOf(id)).nextHealthAt.getTime() - Date.now();
  const alerts = (): Promise<{ event: { type: string } }[]> =>
    api.dataSource.query(
      'SELECT event FROM limit_alerts WHERE organisation_id = $1 ORDER BY created_at, id',
      [tenant.organisationId],
    );

  it('is unknown before the first check, and shown in lists and details after it', async () => {
    const { id } = await made();
    const server = await insertMcpServer(api.dataSource.manager, tenant, id);
    expect(await healthOf(id)).toMatchObject({ state: 'unknown', since: null, checked_at: null, strip: [] });
    const { version } = await rowOf(id);
    expect(await check()).toBe(1);
    const health = await healthOf(id);
    expect(health).toMatchObject({ state: 'healthy', error: null, strip: [{ state: 'healthy' }] });
    const { strip: _strip, ...summary } = health;
    const by = { key: tenant.adminKey };
    const list = await api.get<{ data: object[] }>('/v1/mcp-integrations?health=healthy', by);
    expect(list.body.data).toMatchObject([{ id, health: summary }]);
    expect((await api.get<{ data: object[] }>('/v1/mcp-integrations?health=down', by)).body.data).toEqual([]);
    expect((await api.get(`/v1/mcp-servers/${server.id}`, tenant)).body).toMatchObject({ health: summary });
    expect((await api.get(`/v1/mcp-servers/${server.id}/health`, tenant)).body).toEqual(health);
    // A check is not a change of the integration, so it makes no If-Match fail.
    expect((await rowOf(id)).version).toBe(version);
  });

  it('is checked every minute for a server in a workspace, otherwise every ten minutes', async () => {
    const [used, other] = [await made(), await made()];
    await insertMcpServer(api.dataSource.manager, tenant, used.id);
    expect(await check()).toBe(2);
    expect(await dueInMs(used.id)).toBeLessThanOrEqual(66_000);
    expect(await dueInMs(other.id)).toBeGreaterThanOrEqual(500_000);
  });

  it('is down while the server does not respond, and alerts once when it goes down and once when it recovers', async () => {
    const { organisationId } = tenant;
    await api.dataSource.manager.insert(AlertWebhookEntity, {
      ...{
        id: uuidv7(),
        organisationId,
        name: 'On call',
        url: 'https://hooks.example.com',
        sealedSecret: 'x',
      },
    });
    const { id, slug } = await made();
    await check();
    await fixture.close();
    await check();
    const { since } = await healthOf(id);
    expect(await healthOf(id)).toMatchObject({ state: 'down', error: expect.any(String) as string });
    expect(await alerts()).toEqual([]);
    for (let count = 0; count < 3; count += 1) await check();
    expect((await healthOf(id)).since).toBe(since);
    const down = {
      type: 'mcp_integration.down',
      data: { mcp_integration: { id, slug }, state: 'down', since },
    };
    expect(await alerts()).toMatchObject([{ event: down }]);
    fixture = await startMcpFixture();
    await api.dataSource.manager.update(McpIntegrationEntity, { id }, { url: fixture.url.href });
    await check();
    expect(await alerts()).toMatchObject([{ event: down }, { event: { type: 'mcp_integration.recovered' } }]);
    const deliveries = await api.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM alert_deliveries d JOIN limit_alerts a ON a.id = d.alert_id
       WHERE a.organisation_id = $1`,
      [organisationId],
    );
    expect(deliveries).toEqual([{ count: 2 }]);
  });

  it('has not recovered while the server refuses the credential', async () => {
    const { id } = await made();
    const at = (url: string) => api.dataSource.manager.update(McpIntegrationEntity, { id }, { url });
    await fixture.close();
    for (let count = 0; count < 2; count += 1) await check();
    const down = { event: { type: 'mcp_integration.down' } };
    expect(await alerts()).toMatchObject([down]);
    const guarded = await startMcpFixture({
      authorization: { tokens: ['t'], authorizationServer: 'https://id.example.com' },
    });
    await at(guarded.url.href);
    await check();
    await guarded.close();
    expect(await healthOf(id)).toMatchObject({ state: 'unauthorised' });
    for (let count = 0; count < 2; count += 1) await check();
    expect(await alerts()).toMatchObject([down]);
    fixture = await startMcpFixture();
    await at(fixture.url.href);
    await check();
    expect(await alerts()).toMatchObject([down, { event: { type: 'mcp_integration.recovered' } }]);
  });

  it('alerts once when a server that was down responds at another address', async () => {
    const { id } = await made();
    await fixture.close();
    for (let count = 0; count < 2; count += 1) await check();
    const moveTo = async (url: string): Promise<void> => {
      const saved = await api.put(`/v1/mcp-integrations/${id}`, { key: tenant.adminKey, body: { url } });
      expect([saved.status, saved.body]).toEqual([200, {}]);
    };
    await moveTo(`http://127.0.0.1:${String(await freePort())}/mcp`);
    for (let count = 0; count < 3; count += 1) await check();
    const down = { event: { type: 'mcp_integration.down' } };
    expect(await alerts()).toMatchObject([down]);
    fixture = await startMcpFixture();
    await moveTo(fixture.url.href);
    for (let count = 0; count < 2; count += 1) await check();
    expect(await alerts()).toMatchObject([down, { event: { type: 'mcp_integration.recovered' } }]);
  });

  it('distinguishes a refused credential from a server at which users sign in', async () => {
    const guarded = await startMcpFixture({
      authorization: { tokens: ['t'], authorizationServer: 'https://id.example.com' },
    });
    const url = guarded.url.href;
    const [shared, ofUsers] = [await made({ url }), await made({ url, authType: 'oauth_auto' })];
    await check();
    await guarded.close();
    expect(await healthOf(shared.id)).toMatchObject({ state: 'unauthorised' });
    expect(await healthOf(ofUsers.id)).toMatchObject({ state: 'healthy' });
  });

  it('is unknown again for another address, and a refused address is never contacted', async () => {
    const { id } = await made();
    await check();
    const body = { url: `http://127.0.0.1:${String(await freePort())}/mcp` };
    const saved = await api.put(`/v1/mcp-integrations/${id}`, { key: tenant.adminKey, body });
    expect([saved.status, saved.body]).toEqual([200, {}]);
    expect(await healthOf(id)).toMatchObject({ state: 'unknown', error: null });
    await api.dataSource.manager.update(McpIntegrationEntity, { id }, { url: 'http://10.0.0.1/mcp' });
    await check();
    expect(await healthOf(id)).toMatchObject({ state: 'down' });
  });

  it('of other servers is checked while the result of one cannot be saved, whose check is due again immediately', async () => {
    const [broken, good] = [await made(), await made()];
    const { dataSource } = api;
    await dataSource.query(
      `ALTER TABLE mcp_health ADD CONSTRAINT spec_refuses CHECK (integration_id <> '${broken.id}')`,
    );
    const due = 'UPDATE mcp_integrations SET next_health_at = now() WHERE organisation_id = $1';
    await dataSource.query(due, [tenant.organisationId]);
    const response = await run();
    await dataSource.query('ALTER TABLE mcp_health DROP CONSTRAINT spec_refuses');
    expect(response.status).toBe(500);
    expect(await healthOf(good.id)).toMatchObject({ state: 'healthy' });
    expect(await healthOf(broken.id)).toMatchObject({ state: 'unknown' });
    expect(await dueInMs(broken.id)).toBeLessThan(1_000);
  });
});
