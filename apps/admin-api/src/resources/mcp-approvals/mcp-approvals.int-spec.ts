import { INTERNAL, type McpApprovalRequest, type McpApprovalResponse } from '@gw/contracts';
import { ApiKeyEntity, AuditLogEntity, McpApprovalEntity, type McpServerEntity } from '@gw/entities';
import { DAY_MS, MINUTE_MS, uuidv7 } from '@gw/kernel';
import { STATE_LIFETIME_MS } from '@gw/mcp';
import { SERVICE_TOKEN, TestAdminApi, type Call, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly tool: string;
  readonly arguments: object | null;
  readonly reason: string | null;
}

describe('approvals of single tool calls', () => {
  const api = new TestAdminApi();
  let tenant: Tenant;
  let server: McpServerEntity;
  beforeEach(async () => {
    const { manager } = api.dataSource;
    tenant = await api.tenant();
    server = await insertMcpServer(manager, tenant, (await insertMcpIntegration(manager, tenant)).id);
  });

  const request = (more: Partial<McpApprovalRequest> = {}): McpApprovalRequest => ({
    ...{ serverId: server.id, tool: 'drop_table', principal: 'caller-1', argumentsDigest: 'digest-1' },
    caller: { userId: null, apiKeyId: null, clientId: null, trustId: null },
    ...{ argumentsJson: '{"table":"users"}', continues: null, ...more },
  });
  async function use(more: Partial<McpApprovalRequest> = {}): Promise<McpApprovalResponse> {
    const { status, body } = await api.post(INTERNAL.mcpApproval, {
      ...{ token: SERVICE_TOKEN, body: request(more) },
    });
    expect(status).toBe(200);
    return body as unknown as McpApprovalResponse;
  }
  const outcomeOf = async (more: Partial<McpApprovalRequest> = {}): Promise<string> =>
    (await use(more)).outcome;
  const list = async (query = ''): Promise<Approval[]> =>
    (await api.get<{ data: Approval[] }>(`/v1/mcp-approvals${query}`, tenant)).body.data;
  const decide = (id: string | null, decision: string, by: Call = tenant, body: object = {}) =>
    api.post<Failure>(`/v1/mcp-approvals/${String(id)}/${decision}`, { key: by.key ?? '', ...by, body });
  const passTime = (id: string | null): Promise<unknown> =>
    api.dataSource.query(`UPDATE mcp_approvals SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      id,
    ]);

  it('allows the same call once, after a person has approved it', async () => {
    const first = await use();
    expect(first).toMatchObject({ outcome: 'pending', reason: null });
    expect(await use()).toEqual(first);
    const [shown] = await list('?status=pending');
    expect(shown).toMatchObject({
      ...{ id: first.id, tool: 'drop_table', arguments: { table: 'users' }, status: 'pending' },
      mcp_server_slug: server.slug,
    });
    expect((await decide(first.id, 'approve')).body).toEqual({});
    for (const other of [{ principal: 'caller-2' }, { argumentsDigest: 'digest-2' }, { tool: 'drop' }])
      expect(await outcomeOf(other)).toBe('pending');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf()));
    expect(outcomes.filter((outcome) => outcome === 'approved')).toHaveLength(1);
    const [used] = await list('?status=used');
    expect(used?.id).toBe(first.id);
    expect((await use()).id).not.toBe(first.id);
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: first.id ?? '' });
    expect(audits.map(({ action, resourceType }) => [action, resourceType])).toEqual([
      ['approve', 'mcp_approvals'],
    ]);
    expect(JSON.stringify(audits)).not.toContain('users');
  });

  it('expires a pending call after a day, and an approval after ten minutes', async () => {
    const { id, expiresAt } = await use();
    expect(Math.abs(Date.parse(expiresAt ?? '') - Date.now() - DAY_MS)).toBeLessThan(MINUTE_MS);
    await passTime(id);
    expect((await decide(id, 'approve')).status).toBe(409);
    const again = await use();
    expect(again.id).not.toBe(id);
    await decide(again.id, 'approve');
    const row = await api.dataSource.manager.findOneByOrFail(McpApprovalEntity, { id: again.id ?? '' });
    expect(Math.abs(row.expiresAt.getTime() - Date.now() - 10 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    await passTime(again.id);
    expect(await outcomeOf()).toBe('pending');
    expect((await list('?status=expired')).map((each) => each.id).sort()).toEqual([id, again.id].sort());
    expect((await list('?status=approved')).length).toBe(0);
  });

  it('reports a rejection to the caller, even of an approval that was not used', async () => {
    const { id } = await use();
    await decide(id, 'approve');
    await decide(id, 'reject', tenant, { reason: 'Not on a Friday.' });
    expect(await use()).toMatchObject({ outcome: 'rejected', id, reason: 'Not on a Friday.' });
    expect((await decide(id, 'approve')).status).toBe(409);
    await passTime(id);
    expect(await outcomeOf()).toBe('pending');
  });

  it('continues an approved call once for each round of input', async () => {
    const { id } = await use();
    await decide(id, 'approve');
    expect(await use()).toMatchObject({ outcome: 'approved', id, round: 0 });
    const continues = { id: id ?? '', round: 0 };
    expect(await outcomeOf({ continues, argumentsDigest: 'digest-2' })).toBe('pending');
    expect(await use({ continues })).toMatchObject({ outcome: 'approved', id, round: 1 });
    expect(await outcomeOf({ continues })).toBe('pending');
    expect(await use({ continues: { id: id ?? '', round: 1 } })).toMatchObject({
      outcome: 'approved',
      round: 2,
    });
  });

  it('does not continue an approved call that has waited too long for input', async () => {
    const { id } = await use();
    await decide(id, 'approve');
    await use();
    await api.dataSource.manager.update(
      McpApprovalEntity,
      { id: id ?? '' },
      { usedAt: new Date(Date.now() - STATE_LIFETIME_MS) },
    );
    expect(await outcomeOf({ continues: { id: id ?? '', round: 0 } })).toBe('pending');
  });

  it('refuses further calls while 20 calls of a caller or 500 of a workspace wait', async () => {
    const calls = Array.from({ length: 25 }, (_, index) => ({ argumentsDigest: `digest-${String(index)}` }));
    const outcomes = await Promise.all(calls.map(outcomeOf));
    expect(outcomes.filter((outcome) => outcome === 'pending')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'too_many')).toHaveLength(5);
    expect(await outcomeOf({ principal: 'caller-2' })).toBe('pending');
    const { organisationId, workspaceId } = tenant;
    const row = { organisationId, workspaceId, serverId: server.id, tool: 'x', argumentsDigest: 'x' };
    const rows = Array.from({ length: 479 }, (_, index) => ({
      ...{ ...row, id: uuidv7(), principal: `caller-${String(index + 10)}`, status: 'pending' as const },
      expiresAt: new Date(Date.now() + 60_000),
    }));
    await api.dataSource.manager.insert(McpApprovalEntity, rows);
    expect(await outcomeOf({ principal: 'caller-3' })).toBe('too_many');
  });

  it('refuses a decision with a key of the user who makes the call, and accepts it in a session of the user', async () => {
    const admin = await api.user(tenant.organisationId, 'admin');
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId, userId: admin.id };
    const key = await api.apiKey('workspace-user', at);
    const row = await api.dataSource.manager.findOneByOrFail(ApiKeyEntity, { userId: admin.id });
    const caller = { userId: admin.id, apiKeyId: row.id, clientId: null, trustId: null };
    const { id } = await use({ caller });
    const refused = await decide(id, 'approve', { key });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'forbidden']);
    expect((await decide(id, 'approve', { token: await api.login(admin.email) })).status).toBe(200);
  });

  it('requires an active server, and removes the approvals of a deleted one', async () => {
    expect(await use({ serverId: uuidv7() })).toMatchObject({ outcome: 'missing', id: null });
    await use();
    expect((await api.delete(`/v1/mcp-servers/${server.id}`, tenant)).status).toBe(200);
    expect(await outcomeOf()).toBe('missing');
    expect(await list()).toEqual([]);
  });

  it('accepts uses of approvals only from gateways', async () => {
    expect((await api.post(INTERNAL.mcpApproval, { key: tenant.adminKey, body: request() })).status).toBe(
      401,
    );
  });
});
