import {
  agentAuthBinding,
  cardKeyBinding,
  documentKey,
  INTERNAL,
  type AgentCatalogueDocument,
  type AgentServerDocument,
  type CardKeyDocument,
} from '@gw/contracts';
import {
  AgentIntegrationEntity,
  AgentIntegrationWorkspaceEntity,
  AgentServerEntity,
  AgentSkillEntity,
  ChangeEventEntity,
} from '@gw/entities';
import { unseal, uuidv7 } from '@gw/kernel';
import { Secrets } from '../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from '../spec-support/admin-api';
import { insertAgentIntegration, insertAgentServer } from '../spec-support/agent-servers';

const { sealingKeyring } = new Secrets(MASTER_KEY, SERVICE_TOKEN);
const api = new TestAdminApi({ PUBLIC_URL: 'https://gateway.example.com' });
let tenant: Tenant;
let integration: AgentIntegrationEntity;
let server: AgentServerEntity;
beforeEach(async () => {
  tenant = await api.tenant();
  integration = await insertAgentIntegration(api.dataSource.manager, tenant);
  server = await insertAgentServer(api.dataSource.manager, tenant, integration.id);
});

async function documentsOf<D = AgentServerDocument>(keys: readonly string[]): Promise<(D | null)[]> {
  const { body, status, text } = await api.post<{ documents: Record<string, D | null> }>(INTERNAL.documents, {
    ...{ token: SERVICE_TOKEN, body: { keys } },
  });
  if (status !== 200) throw new Error(`failed to read documents: ${text}`);
  return keys.map((key) => body.documents[key] ?? null);
}

const keyOf = (slugOrId = server.slug): string => documentKey.agentServer(tenant.workspaceId, slugOrId);
const found = async (): Promise<AgentServerDocument | null> => (await documentsOf([keyOf()]))[0] ?? null;
async function document(): Promise<AgentServerDocument> {
  const it = await found();
  if (it === null) throw new Error('The agent has no document.');
  return it;
}
const catalogue = async (): Promise<AgentCatalogueDocument | null> =>
  (await documentsOf<AgentCatalogueDocument>([documentKey.agentCatalogue(tenant.workspaceId)]))[0] ?? null;

const sequenceNow = async (): Promise<number> => {
  const events = await api.dataSource.manager.find(ChangeEventEntity);
  return Math.max(0, ...events.map((event) => Number(event.sequence)));
};
/** Returns the keys of the changes that `act` publishes. */
async function published(act: () => Promise<{ readonly status: number; readonly text: string }>): Promise<{
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}> {
  const before = await sequenceNow();
  const { status, text } = await act();
  if (status !== 200) throw new Error(text);
  const events = (await api.dataSource.manager.find(ChangeEventEntity)).filter(
    ({ sequence }) => Number(sequence) > before,
  );
  return {
    changed: events.flatMap((event) => event.changed),
    removed: events.flatMap((event) => event.removed),
  };
}

describe('the key that signs agent cards', () => {
  it('is published at its own address, and does not sign tokens', async () => {
    const [key] = await documentsOf<CardKeyDocument>([documentKey.cardKey()]);
    if (!key) throw new Error('There is no key.');
    expect(key.keySetUrl).toBe('https://gateway.example.com/.well-known/agent-card-keys.json');
    const { body } = await api.call<{ keys: readonly object[] }>('GET', new URL(key.keySetUrl).pathname);
    expect(body.keys).toEqual([expect.objectContaining({ kid: key.keyId, alg: 'ES256', crv: 'P-256' })]);
    expect(JSON.stringify(body)).not.toContain('"d"');
    const opened: unknown = JSON.parse(
      unseal(sealingKeyring, key.sealedKey, cardKeyBinding(key.keyId)).toString(),
    );
    expect(opened).toMatchObject({ kid: key.keyId, d: expect.any(String) });
    const tokens = JSON.parse((await api.get('/oauth/jwks')).text) as { keys: { kid: string }[] };
    expect(tokens.keys.map(({ kid }) => kid)).not.toContain(key.keyId);
    const [again] = await documentsOf<CardKeyDocument>([documentKey.cardKey()]);
    expect(again?.version).toBe(key.version);
  });
});

describe('documents of agents', () => {
  it('contain the agent and its integration, and are found by slug and id', async () => {
    const { manager } = api.dataSource;
    await manager.update(AgentIntegrationEntity, integration.id, {
      ...{ timeoutMs: 1_000, messagesPerContextHour: 60, push: 'off' },
      prices: { perMessage: 5, perTask: 7 },
    });
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const rule = { subject: { type: 'user', id: user.id }, skills: ['read*'], effect: 'deny' };
    const by = { key: tenant.key };
    const url = `/v1/agent-servers/${server.id}`;
    await api.put(`${url}/access-rules`, { ...by, body: { rules: [rule], default: 'deny' } });
    await api.put(`${url}/user-access`, {
      ...{
        ...by,
        body: { user_access: [{ user_id: user.id, enabled: false }], default_user_access: 'allow' },
      },
    });
    await api.put(url, { ...by, body: { listed: 'public' } });
    const [bySlug, byId, unknown, foreign] = await documentsOf([
      keyOf(),
      keyOf(server.id),
      keyOf('unknown'),
      documentKey.agentServer(await api.workspace(tenant.organisationId), server.id),
    ]);
    const card = {
      name: 'Agent',
      description: 'Helps.',
      url: 'https://agent.example.com/rpc',
      version: '1.0.0',
    };
    expect(bySlug).toEqual({
      ...{ kind: 'agent_server', version: expect.any(String), id: server.id, slug: server.slug },
      ...{ name: 'Agent', organisationId: tenant.organisationId, workspaceId: tenant.workspaceId },
      ...{ integrationId: integration.id, integrationSlug: integration.slug },
      endpoint: { url: card.url, binding: 'JSONRPC', version: '0.3', tenant: null },
      ...{ authType: 'none', configurations: {}, sealedAuth: null, extendedCard: null },
      card: expect.any(String),
      skills: [{ id: expect.any(String), skillId: 'read' }],
      userAccess: { isAllowed: true, exceptions: { [user.id]: false } },
      ...{ rules: [rule], defaultEffect: 'deny', guardrails: [], push: 'off', isListed: true },
      prices: { perMessage: 5, perTask: 7 },
      limits: { timeoutMs: 1_000, messagesPerContextHour: 60 },
    });
    expect(JSON.parse(bySlug?.card ?? '')).toEqual({
      ...card,
      skills: [{ id: 'read', name: 'Read', description: 'Reads.', tags: ['read'] }],
    });
    expect(byId).toEqual(bySlug);
    expect([unknown, foreign]).toEqual([null, null]);
  });

  it('contain only what is approved and enabled', async () => {
    const { manager } = api.dataSource;
    const skill = { integrationId: integration.id, type: 'skill' } as const;
    const first = await document();
    await manager.update(AgentSkillEntity, skill, { state: 'changed' });
    const changed = await document();
    expect([changed.skills, JSON.parse(changed.card)]).toEqual([[], expect.objectContaining({ skills: [] })]);
    expect(changed.version).not.toBe(first.version);
    await manager.update(AgentSkillEntity, skill, { state: 'serve_approved' });
    expect((await document()).skills).toHaveLength(1);
    const off = { key: tenant.key, body: { skills: [{ id: 'read', enabled: false }] } };
    await api.put(`/v1/agent-servers/${server.id}/skills`, off);
    expect((await document()).skills).toEqual([]);
    await manager.update(AgentIntegrationEntity, integration.id, { approvedEndpoint: null });
    expect(await found()).toBeNull();
    expect(await catalogue()).toBeNull();
  });

  it('name the active guardrails that check the agent, those of the organisation first', async () => {
    const guardrail = async (key: string): Promise<string> => {
      const checks = [{ id: 'default.contains', parameters: { words: ['a'] } }];
      const body = { name: 'Tools', checks, target: 'mcp_tools' };
      const { id, slug } = (await api.post<{ id: string; slug: string }>('/v1/guardrails', { key, body }))
        .body;
      const [skill] = (await document()).skills;
      const mapping = { [server.id]: { run_on: ['beforeToolCall'], skill_ids: [skill?.id] } };
      const act = () =>
        api.put(`/v1/guardrails/${slug}/agent-servers`, { key, body: { agent_servers: mapping } });
      expect((await published(act)).changed).toEqual(expect.arrayContaining([keyOf(), keyOf(server.id)]));
      return id;
    };
    const [own, common] = [await guardrail(tenant.key), await guardrail(tenant.adminKey)];
    const { guardrails, skills } = await document();
    expect(guardrails).toEqual(
      [common, own].map((guardrailId) => ({
        ...{ guardrailId, runOn: ['beforeToolCall'], skillIds: skills.map(({ id }) => id) },
      })),
    );
    expect(
      (await published(() => api.delete(`/v1/guardrails/${own}`, { key: tenant.key }))).changed,
    ).toContain(keyOf());
    expect((await document()).guardrails).toHaveLength(1);
    const stranger = await api.tenant();
    const theirs = await insertAgentServer(
      api.dataSource.manager,
      stranger,
      (await insertAgentIntegration(api.dataSource.manager, stranger)).id,
    );
    const refused = await api.put<{ error: { param: string } }>(`/v1/guardrails/${common}/agent-servers`, {
      ...{ key: tenant.adminKey, body: { agent_servers: { [theirs.id]: {} } } },
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, `agent_servers.${theirs.id}`]);
  });

  it('exist only while the workspace may use the integration', async () => {
    const { manager } = api.dataSource;
    expect((await catalogue())?.slugs).toEqual([server.slug]);
    await manager.insert(AgentIntegrationWorkspaceEntity, {
      ...{ id: uuidv7(), integrationId: integration.id, workspaceId: tenant.workspaceId, enabled: false },
    });
    expect([await found(), await catalogue()]).toEqual([null, null]);
  });

  it('contain the credentials, sealed to the integration', async () => {
    const body = { auth_type: 'headers', configurations: { headers: { 'x-key': 'secret-secret' } } };
    const { status } = await api.put(`/v1/agent-integrations/${integration.id}`, {
      ...{ key: tenant.adminKey, body },
    });
    expect(status).toBe(200);
    const { sealedAuth, authType, version } = await document();
    const binding = agentAuthBinding(tenant.organisationId, integration.id);
    expect(authType).toBe('headers');
    expect(JSON.parse(unseal(sealingKeyring, sealedAuth ?? '', binding).toString())).toEqual(
      body.configurations,
    );
    expect((await document()).version).toBe(version);
  });

  it('are published by every change, with the catalogue of their workspace', async () => {
    const by = { key: tenant.adminKey };
    const keys = [keyOf(), keyOf(server.id), documentKey.agentCatalogue(tenant.workspaceId)];
    const at = `/v1/agent-integrations/${integration.id}`;
    const acts: readonly (() => Promise<{ readonly status: number; readonly text: string }>)[] = [
      () => api.put(at, { ...by, body: { timeout_ms: 5 } }),
      () => api.put(`${at}/skills`, { ...by, body: { skills: [{ id: 'read', enabled: true }] } }),
      () => api.put(`${at}/workspaces`, { ...by, body: { workspaces: [] } }),
      () => api.put(`/v1/agent-servers/${server.id}`, { ...by, body: { name: 'New' } }),
    ];
    for (const act of acts) expect((await published(act)).changed).toEqual(expect.arrayContaining(keys));
    const ended = await published(() => api.delete(at, by));
    expect(ended.removed).toEqual(expect.arrayContaining(keys.slice(0, 2)));
    expect(ended.changed).toContain(keys[2]);
    expect(await found()).toBeNull();
  });
});
