import { agentAuthBinding } from '@gw/contracts';
import { AgentIntegrationEntity, AuditLogEntity } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { CardServer } from '../../spec-support/card-server';

const PATH = '/v1/agent-integrations';

interface Failure {
  readonly error: {
    readonly type: string;
    readonly param: string | null;
    readonly message: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}
type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

describe('agent integrations', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = admin.sharedTenant();
  const { sealingKeyring } = new Secrets(MASTER_KEY, SERVICE_TOKEN);
  let agent: CardServer;
  beforeAll(async () => {
    agent = await CardServer.start();
  });
  beforeEach(() => {
    agent.card = agent.cardOf();
    agent.cardStatus = 200;
    agent.seen.length = 0;
  });
  afterAll(() => agent.stop());

  const call = { key: ours.adminKey };
  const create = (body: object, by: object = call): Promise<GatewayResponse<Failure & Shown>> =>
    admin.post(PATH, { ...by, body });
  async function made(body: object = {}, by: object = call): Promise<string> {
    const response = await create({ url: agent.origin, ...body }, by);
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id;
  }
  const shown = async (id: string): Promise<Shown> => (await admin.get<Shown>(`${PATH}/${id}`, call)).body;
  const put = (id: string, body: object, by: object = call): Promise<GatewayResponse<Failure>> =>
    admin.put(`${PATH}/${id}`, { ...by, body });
  const rowOf = (id: string): Promise<AgentIntegrationEntity> =>
    admin.dataSource.manager.findOneByOrFail(AgentIntegrationEntity, { id });
  const refusal = ({ status, body }: GatewayResponse<Failure>): unknown[] => [
    ...[status, body.error.type, body.error.param],
  ];
  const paths = ({ body }: GatewayResponse<Failure>): readonly string[] =>
    (body.error.details ?? []).map(({ path }) => path);

  it('are created from the address alone, with the name and the endpoint of the card', async () => {
    const id = await made();
    expect(agent.cardReads.map(({ url }) => url)).toEqual(['/.well-known/agent-card.json']);
    expect(await shown(id)).toMatchObject({
      ...{ id, name: 'Reader', type: 'organisation', source: 'fetched', auth_type: 'none', status: 'active' },
      ...{ approval_mode: 'review_changes', sync_status: 'synced', skills_count: 1, workspaces_count: 0 },
      endpoint: { url: `${agent.origin}/rpc`, binding: 'JSONRPC', version: '0.3', tenant: null },
      agent_card: agent.card,
      ...{ signature_state: null, sync_error: null, pricing: null, trusted_keys: null },
    });
    const [listed] = (await admin.get<{ data: Shown[] }>(`${PATH}?search=reader`, call)).body.data;
    expect(listed).toMatchObject({ name: 'Reader', skills_count: 1 });
    expect(listed).not.toHaveProperty('agent_card');
  });

  it('are created from a card in the request, which is not read from the agent', async () => {
    const card = agent.cardOf({ name: 'By hand' });
    const id = await made({ url: undefined, agent_card: card });
    expect(agent.seen).toEqual([]);
    expect(await shown(id)).toMatchObject({ name: 'By hand', source: 'manual', url: `${agent.origin}/rpc` });
    const { status, body } = await admin.post<Failure>(`${PATH}/${id}/sync`, call);
    expect([status, body.error.param]).toEqual([400, 'agent_card']);
    expect((await rowOf(id)).nextSyncAt.getUTCFullYear()).toBe(9999);
    expect((await put(id, { agent_card: agent.cardOf({ name: 'Other' }) })).status).toBe(200);
    expect(await shown(id)).toMatchObject({ name: 'By hand', agent_card: { name: 'Other' } });
    expect((await put(id, { agent_card: null, url: agent.origin })).status).toBe(200);
    expect((await admin.post(`${PATH}/${id}/sync`, call)).body).toEqual({ success: true });
    expect(await shown(id)).toMatchObject({ source: 'fetched', agent_card: agent.card });
  });

  it('call the interface of the configured protocol and binding, and refuse a card without one', async () => {
    const rest = `${agent.origin}/rest`;
    const interfaces = [
      { url: rest, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${agent.origin}/grpc`, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: 'acme' },
    ];
    agent.card = agent.cardOf({ supportedInterfaces: interfaces });
    const id = await made();
    expect(await shown(id)).toMatchObject({ endpoint: { url: rest, binding: 'HTTP+JSON', version: '1.0' } });
    expect((await put(id, { protocol: '0.3' })).status).toBe(200);
    expect(await shown(id)).toMatchObject({ endpoint: { url: `${agent.origin}/rpc`, version: '0.3' } });
    const missing = await put(id, { protocol: '0.3', binding: 'HTTP+JSON' });
    expect(refusal(missing)).toEqual([400, 'agent_transport_unsupported', 'protocol']);
    agent.card = agent.cardOf({
      url: undefined,
      preferredTransport: 'GRPC',
      supportedInterfaces: [interfaces[1]],
    });
    expect((await create({ url: agent.origin })).status).toBe(400);
    agent.card = agent.cardOf({ preferredTransport: 'GRPC' });
    expect(refusal(await create({ url: agent.origin }))).toEqual([
      400,
      'agent_transport_unsupported',
      'agent_card',
    ]);
    expect(refusal(await create({ url: agent.origin, binding: 'GRPC' }))).toEqual([
      ...[400, 'agent_transport_unsupported', 'binding'],
    ]);
  });

  it('[ERR-10] refuse addresses and cards that are not allowed, with the faulty field', async () => {
    const refused = async (body: object): Promise<unknown[]> => refusal(await create(body));
    const url = agent.origin;
    expect(await refused({})).toEqual([400, 'validation_failed', 'url']);
    expect(await refused({ url: 'http://10.0.0.1' })).toEqual([400, 'custom_host_refused', 'url']);
    expect(await refused({ url: `${url}#a` })).toEqual([400, 'custom_host_refused', 'url']);
    expect(await refused({ url: 'file:///etc/passwd' })).toEqual([400, 'custom_host_refused', 'url']);
    expect(await refused({ url, auth_type: 'oauth_auto' })).toEqual([400, 'validation_failed', 'auth_type']);
    agent.cardStatus = 404;
    expect(await refused({ url })).toEqual([400, 'validation_failed', 'url']);
    agent.cardStatus = 200;
    for (const card of [[], 'x', { name: 'A' }, { url: `${url}/rpc` }, agent.cardOf({ name: ' ' })]) {
      agent.card = card;
      expect((await refused({ url }))[0]).toBe(400);
    }
    agent.card = agent.cardOf({ description: 'x'.repeat(1_048_576) });
    expect((await refused({ url }))[0]).toBe(400);
    expect((await refused({ url, agent_card: agent.card }))[0]).toBe(413);
    agent.card = agent.cardOf({ url: 'https://other.example.com/rpc' });
    expect(await refused({ url })).toEqual([400, 'validation_failed', 'agent_card.url']);
    expect(await refused({ url, agent_card: { ...agent.cardOf(), description: '\u0000' } })).toEqual([
      ...[400, 'validation_failed', 'agent_card'],
    ]);
    expect((await admin.get<{ total: number }>(`${PATH}?search=zzz`, call)).body.total).toBe(0);
  });

  it('may name addresses on other origins only when that is allowed', async () => {
    const other = 'https://other.example.com/rpc';
    agent.card = agent.cardOf({ url: other });
    const id = await made({ allow_other_origin: true });
    expect(await shown(id)).toMatchObject({ endpoint: { url: other } });
    expect(refusal(await put(id, { allow_other_origin: false }))).toEqual([
      ...[400, 'validation_failed', 'agent_card.url'],
    ]);
  });

  it('send their headers with the request for the card, seal them, and never show them', async () => {
    const configurations = { headers: { 'x-key': 'hunter2-hunter2', authorization: 'Bearer abc' } };
    const id = await made({ auth_type: 'headers', configurations });
    expect(agent.cardReads[0]?.headers).toMatchObject({
      'x-key': 'hunter2-hunter2',
      authorization: 'Bearer abc',
    });
    const { sealedAuth, organisationId } = await rowOf(id);
    const plain = unseal(sealingKeyring, sealedAuth ?? '', agentAuthBinding(organisationId, id)).toString();
    expect(JSON.parse(plain)).toEqual(configurations);
    expect(await shown(id)).toMatchObject({
      configurations: { headers: { 'x-key': '*****', authorization: '*****' } },
    });
    const masked = { headers: { 'x-key': '*****', 'x-more': 'm' } };
    expect((await put(id, { configurations: masked })).status).toBe(200);
    await admin.post(`${PATH}/${id}/sync`, call);
    expect(agent.cardReads.at(-1)?.headers).toMatchObject({ 'x-key': 'hunter2-hunter2', 'x-more': 'm' });
    const records = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    const texts = [JSON.stringify(records), (await admin.get(`${PATH}/${id}`, call)).text];
    expect(texts.filter((text) => text.includes('hunter2'))).toEqual([]);
    expect(records.length).toBeGreaterThan(1);
  });

  it('keep secrets only for the address with which they were saved, and call no agent at another one meanwhile', async () => {
    const configurations = { headers: { 'x-key': 'secret-secret' } };
    const id = await made({ auth_type: 'headers', configurations });
    const moved = await put(id, { url: 'https://evil.example.com' });
    expect([moved.status, paths(moved)]).toEqual([400, ['configurations.headers.x-key', 'url']]);
    expect(paths(await put(id, { allow_other_origin: true }))).toEqual([
      ...['configurations.headers.x-key', 'allow_other_origin'],
    ]);
    expect((await put(id, { url: 'https://other.example.com', configurations })).status).toBe(200);
    expect(await shown(id)).toMatchObject({ endpoint: null, sync_status: 'pending' });
    expect((await put(id, { url: `${agent.origin}/agents/a`, configurations })).status).toBe(200);
    expect((await admin.post(`${PATH}/${id}/sync`, call)).status).toBe(200);
    expect(agent.cardReads.at(-1)?.url).toBe('/agents/a/.well-known/agent-card.json');
  });

  it('keep secrets only for the path with which they were saved when cards may name other origins', async () => {
    const configurations = { headers: { 'x-key': 'secret-secret' } };
    const id = await made({ auth_type: 'headers', allow_other_origin: true, configurations });
    const url = `${agent.origin}/agents/mine`;
    expect(paths(await put(id, { url }))).toEqual(['configurations.headers.x-key', 'url']);
    expect((await put(id, { url, configurations })).status).toBe(200);
  });

  it('do not send saved secrets to an address of a card that was sent without them', async () => {
    const configurations = { headers: { 'x-key': 'secret-secret' } };
    const given = { allow_other_origin: true, agent_card: agent.cardOf() };
    const id = await made({ auth_type: 'headers', configurations, ...given });
    const evil = { agent_card: agent.cardOf({ url: 'https://evil.example.com/rpc' }) };
    expect(paths(await put(id, evil))).toEqual(['configurations.headers.x-key', 'agent_card']);
    expect((await put(id, { agent_card: agent.cardOf({ description: 'New.' }) })).status).toBe(200);
    expect((await put(id, { ...evil, configurations })).status).toBe(200);
    expect((await put(id, { name: 'Renamed' })).status).toBe(200);
    // The other origin waits for approval.
    expect(await shown(id)).toMatchObject({ endpoint: { url: `${agent.origin}/rpc` } });
  });

  it('check configurations like those of MCP integrations, and report all faults', async () => {
    const faults = await create({
      ...{ url: agent.origin, auth_type: 'headers' },
      configurations: {
        headers: { 'a2a-version': '1.0', 'X-A2A-Extensions': 'x', host: 'x', 'x-a': '{{user.email}}' },
        ...{ passthrough_headers: ['authorization'], oauth_metadata: {}, unknown: 1, constructor: 1 },
      },
    });
    expect(faults.status).toBe(400);
    expect([...paths(faults)].sort()).toEqual(
      expect.arrayContaining([
        'configurations.headers.a2a-version',
        'configurations.headers.X-A2A-Extensions',
        'configurations.headers.host',
        'configurations.headers.x-a',
        'configurations.passthrough_headers.0',
        'configurations.oauth_metadata',
        'configurations.unknown',
        'configurations.constructor',
      ]),
    );
    const client = { token_endpoint: 'http://id.example.com/token', client_id: 'c' };
    const oauth = {
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_client_credentials: client },
    };
    expect(paths(await create({ url: agent.origin, ...oauth }))).toEqual([
      'configurations.oauth_client_credentials.token_endpoint',
      'configurations.oauth_client_credentials.client_secret',
    ]);
    expect(agent.seen).toEqual([]);
  });

  it('accept exact prices, and refuse prices that cannot be counted exactly', async () => {
    const id = await made({ pricing: { per_message_usd: 0.00000001, per_task_usd: 2.5 } });
    expect((await rowOf(id)).prices).toEqual({ perMessage: 1, perTask: 250_000_000 });
    expect(await shown(id)).toMatchObject({ pricing: { per_message_usd: 1e-8, per_task_usd: 2.5 } });
    const refused = await put(id, { pricing: { per_message_usd: 0.000000001 } });
    expect([refused.status, paths(refused)]).toEqual([400, ['pricing.per_message_usd']]);
    expect((await put(id, { pricing: null })).status).toBe(200);
    expect((await rowOf(id)).prices).toBeNull();
  });

  it('of a workspace are visible only to it, and those of the organisation to workspaces with access', async () => {
    const own = await made({ name: 'Own', workspace_id: ours.workspaceId });
    expect(await shown(own)).toMatchObject({ type: 'workspace', approval_mode: 'auto', workspaces_count: 1 });
    const shared = await made({ name: 'Shared' });
    const seen = async (): Promise<unknown[]> => {
      const { body } = await admin.get<{ data: Shown[] }>(PATH, { key: ours.key });
      return body.data.map(({ name }) => name);
    };
    expect(await seen()).toContain('Own');
    expect(await seen()).not.toContain('Shared');
    const access = { workspaces: [{ id: ours.workspaceId, enabled: true }] };
    expect((await admin.put(`${PATH}/${shared}/workspaces`, { ...call, body: access })).status).toBe(200);
    expect(await seen()).toContain('Shared');
    expect((await admin.put(`${PATH}/${own}/workspaces`, { ...call, body: access })).status).toBe(400);
    const list = (await admin.get<{ workspaces: Shown[] }>(`${PATH}/${shared}/workspaces`, call)).body;
    expect(list.workspaces.map(({ id }) => id)).toEqual([ours.workspaceId]);
  });

  it('require a scope, and a slug that is used once', async () => {
    const reader = await admin.apiKey('workspace-service', ours, ['workspace_agent_integrations.read']);
    expect((await create({ url: agent.origin }, { key: reader })).status).toBe(403);
    await made({ slug: 'taken' });
    const again = await create({ url: agent.origin, slug: 'taken' });
    expect(refusal(again)).toEqual([409, 'conflict', 'slug']);
    const named = await create({ url: agent.origin, organisation_id: ours.workspaceId });
    expect(refusal(named)).toEqual([400, 'validation_failed', 'organisation_id']);
  });

  it('end with their agents, and lose their secrets', async () => {
    const configurations = { headers: { 'x-key': 'secret-secret' } };
    const id = await made({ auth_type: 'headers', configurations, workspace_id: ours.workspaceId });
    const body = { name: 'Reader', agent_integration_id: id, workspace_id: ours.workspaceId, slug: 'ends' };
    expect((await admin.post('/v1/agent-servers', { ...call, body })).status).toBe(200);
    const removed = await admin.delete<{ warnings: Shown[] }>(`${PATH}/${id}`, call);
    expect(removed.body.warnings).toEqual([
      { path: 'agent_servers.ends', message: 'was archived with its integration' },
    ]);
    expect(await rowOf(id)).toMatchObject({ status: 'archived', sealedAuth: null });
    expect((await admin.get(`${PATH}/${id}`, call)).status).toBe(404);
  });
});
