import { documentKey, INTERNAL } from '@gw/contracts';
import { SERVICE_TOKEN, TestAdminApi, type Call } from '../../spec-support/admin-api';
import { hashOf, type Failure, type Key } from '../../spec-support/api-keys';
import { insertCapability, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

const USER_KEYS = '/v1/api-keys/workspace/user';

describe('restrictions of API keys to MCP servers and tools', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();

  const create = async (mcp: object | null): Promise<Key> =>
    (
      await admin.post<Key>('/v1/api-keys/workspace/service', {
        key: ours.key,
        body: { name: 'agent', scopes: ['mcp.invoke'], mcp },
      })
    ).body;
  const shown = async (id: string): Promise<unknown> =>
    (await admin.get<Key>(`/v1/api-keys/${id}`, { key: ours.key })).body['mcp'];
  const update = async (id: string, mcp: object | null, by: Call = { key: ours.key }): Promise<number> =>
    (await admin.put(`/v1/api-keys/${id}`, { ...by, body: { mcp } })).status;

  it('are shown, kept by other updates, replaced as a whole, and cleared by null', async () => {
    const { id } = await create({ servers: ['github'], read_only: true });
    expect(await shown(id)).toEqual({ servers: ['github'], tools: null, read_only: true });
    await admin.put(`/v1/api-keys/${id}`, { key: ours.key, body: { name: 'renamed' } });
    expect(await shown(id)).toMatchObject({ servers: ['github'] });
    expect(await update(id, { tools: ['github/*'] })).toBe(200);
    expect(await shown(id)).toEqual({ servers: null, tools: ['github/*'], read_only: false });
    expect(await update(id, null)).toBe(200);
    expect(await shown(id)).toBeNull();
    expect(await shown((await create({})).id)).toBeNull();
  });

  it('are published to gateways with the key', async () => {
    const published = async (key: string): Promise<unknown> => {
      const name = documentKey.apiKey(hashOf(key));
      const call = { token: SERVICE_TOKEN, body: { keys: [name] } };
      const { body } = await admin.post<{ documents: Record<string, object> }>(INTERNAL.documents, call);
      return (body.documents[name] as { mcp?: unknown }).mcp;
    };
    const { key } = await create({ tools: ['github/search'], read_only: true });
    expect(await published(key)).toEqual({ tools: ['github/search'], readOnly: true });
    expect(await published((await create(null)).key)).toBeUndefined();
  });

  it('explain why a key sees no tool', async () => {
    const { manager } = admin.dataSource;
    const integration = await insertMcpIntegration(manager, ours);
    const server = await insertMcpServer(manager, ours, integration.id);
    for (const [position, name] of ['read', 'write'].entries())
      await insertCapability(manager, integration.id, name, { position });
    const { id } = await create({ tools: [`${server.slug}/read`] });
    const { body } = await admin.get<{ data: { name: string; reason: string }[] }>(
      `/v1/mcp-servers/${server.id}/effective?api_key_id=${id}`,
      { key: ours.key },
    );
    expect(body.data.map(({ name, reason }) => `${name} ${reason}`)).toEqual(['read default', 'write key']);
  });

  it('cannot be lifted or avoided by the user of a key when a higher role set them', async () => {
    const member = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const manager = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const body = { name: 'theirs', scopes: ['mcp.invoke'] };
    const made = await admin.post<Key>(USER_KEYS, {
      token: await admin.login(manager.email),
      body: { ...body, user_id: member.id, mcp: { read_only: true } },
    });
    const token = await admin.login(member.email);
    expect(await update(made.body.id, null, { token })).toBe(403);
    const second = await admin.post<Failure>(USER_KEYS, { token, body });
    expect([second.status, second.body.error.type]).toEqual([403, 'forbidden']);
  });
});
