import {
  agentAuthBinding,
  documentKey,
  INTERNAL,
  type AgentAuthContent,
  type AgentServerDocument,
} from '@gw/contracts';
import { AgentIntegrationEntity, ChangeEventEntity } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { CardServer, skillOf } from '../../spec-support/card-server';

interface Made {
  readonly id: string;
  readonly slug: string;
}
interface Change {
  readonly type: string;
  readonly id: string;
  readonly digest: string;
}

describe('an agent integration with a secret in a secret manager', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = admin.sharedTenant();
  const { sealingKeyring } = new Secrets(MASTER_KEY, SERVICE_TOKEN);
  let agent: CardServer;
  let managers: StubSecretManagers;
  beforeAll(async () => {
    agent = await CardServer.start();
    managers = await StubSecretManagers.start();
    managers.secrets.set('secret/data/agent', JSON.stringify({ token: 'CANARY-0123456789' }));
  });
  afterAll(async () => {
    await agent.stop();
    await managers.stop();
  });

  const call = { key: ours.adminKey };
  async function done<T>(response: Promise<GatewayResponse<T>>): Promise<T> {
    const { status, body, text } = await response;
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body;
  }
  async function document(slug: string): Promise<AgentServerDocument | null> {
    const key = documentKey.agentServer(ours.workspaceId, slug);
    const by = { token: SERVICE_TOKEN, body: { keys: [key] } };
    const { body } = await admin.post<{ documents: Record<string, AgentServerDocument | null> }>(
      INTERNAL.documents,
      by,
    );
    return body.documents[key] ?? null;
  }
  /** Reads the card as the job does, and returns the document keys that this published. */
  async function synced(id: string): Promise<readonly string[]> {
    const { manager } = admin.dataSource;
    const order = { sequence: 'ASC' } as const;
    const before = await manager.find(ChangeEventEntity, { order });
    await manager.update(AgentIntegrationEntity, id, { nextSyncAt: new Date(0) });
    await done(admin.post(INTERNAL.agentCardSync, { token: SERVICE_TOKEN }));
    const after = await manager.find(ChangeEventEntity, { order });
    return after.slice(before.length).flatMap(({ changed }) => changed);
  }

  it('uses the mapped secret for calls, and changes only by approval', async () => {
    const reference = await done(
      admin.post<Made>('/v1/secret-references', {
        ...call,
        body: {
          ...{
            name: 'Agent',
            manager_type: 'vendor3_vault',
            secret_path: 'secret/data/agent',
            secret_key: 'token',
          },
          auth_config: {
            ...{ vault_auth_type: 'token', vault_addr: managers.origin, vault_token: STUB_ACCESS.vaultToken },
          },
        },
      }),
    );
    const mapping = { target_field: 'headers.x-key', secret_reference_id: reference.id };
    const { id } = await done(
      admin.post<Made>('/v1/agent-integrations', {
        ...call,
        body: { url: agent.origin, auth_type: 'headers', secret_mappings: [mapping] },
      }),
    );
    expect(agent.cardReads.at(-1)?.headers['x-key']).toBe('CANARY-0123456789');
    const at = `/v1/agent-integrations/${id}`;
    expect((await admin.get(at, call)).text).not.toContain('CANARY');
    const named = { name: 'Reader', agent_integration_id: id, workspace_id: ours.workspaceId };
    expect((await admin.post('/v1/agent-servers', { ...call, body: named })).status).toBe(400);
    const access = { workspaces: [{ id: ours.workspaceId, enabled: true }] };
    await done(admin.put(`${at}/workspaces`, { ...call, body: access }));
    const server = await done(admin.post<Made>('/v1/agent-servers', { ...call, body: named }));

    const first = await document(server.slug);
    const content = JSON.parse(
      unseal(sealingKeyring, first?.sealedAuth ?? '', agentAuthBinding(ours.organisationId, id)).toString(),
    ) as AgentAuthContent;
    expect(content).toEqual({
      secrets: [expect.objectContaining({ target: 'headers.x-key', location: expect.any(Object) })],
    });
    expect(JSON.parse(first?.card ?? '')).toEqual(agent.card);

    agent.card = agent.cardOf({
      description: 'Other.',
      skills: [skillOf('read', 'Other.'), skillOf('write')],
    });
    expect(await synced(id)).toContain(documentKey.agentServer(ours.workspaceId, server.slug));
    const waiting = await document(server.slug);
    // A changed skill is hidden; the agent itself keeps its approved texts.
    expect(JSON.parse(waiting?.card ?? '')).toEqual({ ...agent.cardOf(), skills: [] });
    const { data } = await done(admin.get<{ data: Change[] }>(`${at}/skills/changes`, call));
    const items = data.map(({ type, id: name, digest }) => ({ type, id: name, digest }));
    await done(admin.post(`${at}/skills/approve`, { ...call, body: { items } }));
    const approved = await document(server.slug);
    expect(JSON.parse(approved?.card ?? '')).toEqual(agent.card);
    expect(approved?.skills.map(({ skillId }) => skillId)).toEqual(['read', 'write']);
    expect(await synced(id)).toEqual([]);

    expect(
      (await done(admin.post<{ success: boolean }>(`/v1/agent-servers/${server.id}/test`, call))).success,
    ).toBe(true);
    expect(agent.seen.at(-1)?.headers['x-key']).toBe('CANARY-0123456789');
    const used = await admin.delete(`/v1/secret-references/${reference.id}`, call);
    expect([used.status, used.text]).toEqual([400, expect.stringContaining('agent_integrations')]);
    await done(
      admin.put(`${at}/workspaces`, {
        ...call,
        body: { workspaces: [{ id: ours.workspaceId, enabled: false }] },
      }),
    );
    expect(await document(server.slug)).toBeNull();
  });

  it('accepts secrets in secret managers only from callers who may change the references', async () => {
    const reference = await done(
      admin.post<Made>('/v1/secret-references', {
        ...call,
        body: {
          ...{ name: 'Other', manager_type: 'aws_sm', secret_path: 'a/b' },
          auth_config: { aws_auth_type: 'serviceRole', aws_region: 'eu-west-1' },
        },
      }),
    );
    const mapping = { target_field: 'headers.x-key', secret_reference_id: reference.id };
    const body = { auth_type: 'headers', secret_mappings: [mapping], agent_card: agent.cardOf() };
    expect((await admin.post('/v1/agent-integrations', { key: ours.key, body })).status).toBe(403);
    const wrong = await admin.post<{ error: { param: string } }>('/v1/agent-integrations', {
      ...{ ...call, body: { ...body, auth_type: 'none' } },
    });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'secret_mappings.0.target_field']);
  });
});
