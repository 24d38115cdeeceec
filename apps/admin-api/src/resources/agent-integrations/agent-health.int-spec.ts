import { INTERNAL } from '@gw/contracts';
import { AgentIntegrationEntity } from '@gw/entities';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { insertAgentServer } from '../../spec-support/agent-servers';
import { CardServer } from '../../spec-support/card-server';
import { withStoppedClock } from '../../spec-support/stopped-clock';

const PATH = '/v1/agent-integrations';

interface Health {
  readonly state: string;
  readonly since: string | null;
  readonly error: string | null;
  readonly strip: readonly { readonly state: string; readonly response_time_ms: number | null }[];
}

describe('health of agents', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  let tenant: Tenant;
  let agent: CardServer;
  beforeEach(async () => {
    tenant = await admin.tenant();
    agent = await CardServer.start();
    await admin.dataSource.query(`UPDATE agent_integrations SET next_health_at = now() + interval '1 day'`);
  });
  afterEach(() => agent.stop());

  async function made(body: object = {}): Promise<string> {
    const response = await admin.post<{ id: string }>(PATH, {
      key: tenant.adminKey,
      body: { url: agent.origin, ...body },
    });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id;
  }
  const due = (): Promise<unknown> =>
    admin.dataSource.query(
      'UPDATE agent_integrations SET next_health_at = now() WHERE organisation_id = $1',
      [tenant.organisationId],
    );
  /** Runs the checks that are due. On a busy machine, each could take so long that it shows a slow agent. */
  const run = (): Promise<GatewayResponse<{ checked: number }>> =>
    withStoppedClock(() => admin.post<{ checked: number }>(INTERNAL.agentHealth, { token: SERVICE_TOKEN }));
  async function check(): Promise<number> {
    await due();
    const { status, body } = await run();
    expect(status).toBe(200);
    return body.checked;
  }
  const healthOf = async (id: string): Promise<Health> =>
    (await admin.get<Health>(`${PATH}/${id}/health`, { key: tenant.adminKey })).body;
  const rowOf = (id: string): Promise<AgentIntegrationEntity> =>
    admin.dataSource.manager.findOneByOrFail(AgentIntegrationEntity, { id });
  const dueInMs = async (id: string): Promise<number> =>
    (await rowOf(id)).nextHealthAt.getTime() - Date.now();
  const alerts = (): Promise<{ event: { type: string } }[]> =>
    admin.dataSource.query(
      'SELECT event FROM limit_alerts WHERE organisation_id = $1 ORDER BY created_at, id',
      [tenant.organisationId],
    );

  it('is unknown before the first check, and shown in lists and details after it', async () => {
    const id = await made({
      auth_type: 'headers',
      configurations: { headers: { 'x-key': 'secret-secret' } },
    });
    const by = { key: tenant.adminKey };
    const agents = '/v1/agent-servers';
    const server = await insertAgentServer(admin.dataSource.manager, tenant, id);
    expect(await healthOf(id)).toMatchObject({ state: 'unknown', since: null, strip: [] });
    const { version } = await rowOf(id);
    expect(await check()).toBe(1);
    const health = await healthOf(id);
    expect(health).toMatchObject({ state: 'healthy', error: null, strip: [{ state: 'healthy' }] });
    expect(agent.seen.at(-1)?.headers['x-key']).toBe('secret-secret');
    const { strip: _strip, ...summary } = health;
    const listed = async (filter: string): Promise<unknown> =>
      (await admin.get<{ data: object[] }>(`${PATH}?${filter}`, by)).body.data;
    expect(await listed('health=healthy')).toMatchObject([{ id, health: summary }]);
    expect(await listed('health=down')).toEqual([]);
    expect((await admin.get(`${agents}/${server.id}`, tenant)).body).toMatchObject({ health: summary });
    expect((await admin.get(`${agents}/${server.id}/health`, tenant)).body).toEqual(health);
    // A check is not a change of the integration, so it makes no If-Match fail.
    expect((await rowOf(id)).version).toBe(version);
    expect((await admin.post(INTERNAL.agentHealth, by)).status).toBe(401);
  });

  it('is checked every minute for an agent in a workspace, otherwise every ten minutes', async () => {
    const [used, other] = [await made(), await made()];
    await insertAgentServer(admin.dataSource.manager, tenant, used);
    expect(await check()).toBe(2);
    expect(await dueInMs(used)).toBeLessThanOrEqual(66_000);
    expect(await dueInMs(other)).toBeGreaterThanOrEqual(500_000);
  });

  it('distinguishes a refused credential, another error and a response that is not A2A', async () => {
    const id = await made();
    const state = async (): Promise<string> => {
      await check();
      return (await healthOf(id)).state;
    };
    agent.callError = -32_603;
    expect(await state()).toBe('degraded');
    agent.callStatus = 401;
    expect(await state()).toBe('unauthorised');
    await agent.stop();
    expect(await state()).toBe('down');
    expect((await healthOf(id)).error).toContain('not reached');
    agent = await CardServer.start();
  });

  it('alerts once when an agent goes down, and once when it recovers', async () => {
    const id = await made();
    const { slug } = await rowOf(id);
    await check();
    await agent.stop();
    await check();
    expect(await alerts()).toEqual([]);
    for (let count = 0; count < 3; count += 1) await check();
    const { since } = await healthOf(id);
    const down = {
      type: 'agent_integration.down',
      data: { agent_integration: { id, slug }, state: 'down', since },
    };
    expect(await alerts()).toMatchObject([{ event: down }]);
    agent = await CardServer.start();
    const { approvedEndpoint } = await rowOf(id);
    await admin.dataSource.manager.update(
      AgentIntegrationEntity,
      { id },
      {
        url: agent.origin,
        approvedEndpoint: approvedEndpoint && { ...approvedEndpoint, url: `${agent.origin}/rpc` },
      },
    );
    await check();
    expect(await alerts()).toMatchObject([
      { event: down },
      { event: { type: 'agent_integration.recovered' } },
    ]);
  });

  it('is unknown again for another address, and while no card is approved', async () => {
    const id = await made();
    await check();
    const body = { url: agent.origin.replace('127.0.0.1', 'localhost') };
    await admin.put(`${PATH}/${id}`, { key: tenant.adminKey, body: { ...body, allow_other_origin: true } });
    expect(await healthOf(id)).toMatchObject({ error: null });
    const moved = { approvedEndpoint: null, endpoint: null };
    await admin.dataSource.manager.update(AgentIntegrationEntity, { id }, moved);
    await check();
    expect(await healthOf(id)).toMatchObject({
      state: 'unknown',
      error: 'No card of the agent is approved yet.',
    });
  });

  it('stays as it is when something else changes, and is unknown again for another credential', async () => {
    const headers = (key: string) => ({ configurations: { headers: { 'x-key': key } } });
    const id = await made({ auth_type: 'headers', ...headers('secret-secret') });
    await check();
    const put = (body: object) => admin.put(`${PATH}/${id}`, { key: tenant.adminKey, body });
    for (const body of [{ name: 'Renamed' }, headers('secret-secret')]) {
      await put(body);
      expect(await healthOf(id)).toMatchObject({ state: 'healthy' });
      expect(await rowOf(id)).toMatchObject({ syncStatus: 'synced' });
    }
    await put(headers('another-secret'));
    expect(await healthOf(id)).toMatchObject({ state: 'unknown' });
    expect(await rowOf(id)).toMatchObject({ syncStatus: 'pending' });
  });

  it('of other agents is checked while the result of one cannot be saved, whose check is due again immediately', async () => {
    const [broken, good] = [await made(), await made()];
    const { dataSource } = admin;
    await dataSource.query(
      `ALTER TABLE agent_health ADD CONSTRAINT spec_refuses CHECK (integration_id <> '${broken}')`,
    );
    await due();
    const response = await run();
    await dataSource.query('ALTER TABLE agent_health DROP CONSTRAINT spec_refuses');
    expect(response.status).toBe(500);
    expect(await healthOf(good)).toMatchObject({ state: 'healthy' });
    expect(await healthOf(broken)).toMatchObject({ state: 'unknown' });
    expect(await dueInMs(broken)).toBeLessThan(1_000);
  });

  it('can be filtered by labels, which updates set and clear', async () => {
    const labels = {
      ...{ owner: 'Travel team', support_url: 'https://wiki.example.com/travel', environment: 'production' },
      ...{ tags: { team: 'travel' }, data_classes: ['personal'] },
    };
    const [id] = [await made(labels), await made()];
    const by = { key: tenant.adminKey };
    expect((await admin.get(`${PATH}/${id}`, by)).body).toMatchObject(labels);
    const listed = async (filter: string): Promise<readonly string[]> =>
      (await admin.get<{ data: { id: string }[] }>(`${PATH}?${filter}`, by)).body.data.map((row) => row.id);
    for (const filter of ['environment=production', 'data_class=personal', 'tags={"team":"travel"}'])
      expect([filter, await listed(filter)]).toEqual([filter, [id]]);
    expect((await admin.get(`${PATH}?tags=7`, by)).status).toBe(400);
    expect((await admin.put(`${PATH}/${id}`, { ...by, body: { tags: null } })).status).toBe(200);
    expect(await listed('tags={"team":"travel"}')).toEqual([]);
    expect((await admin.put(`${PATH}/${id}`, { ...by, body: { support_url: 'javascript:1' } })).status).toBe(
      400,
    );
  });
});
