import { documentKey } from '@gw/contracts';
import { ChangeEventEntity, McpConnectionEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { endConnections } from '../../platform/rows/connection-ends';
import { UpstreamRevocations } from '../../platform/mcp/upstream-revocations';
import { Writes } from '../../platform/unit-of-work/writes';
import { ConnectScene } from './spec-support/connect-scene';

describe('ends of connections to upstream MCP servers', () => {
  const scene = new ConnectScene();
  const { api, ours } = scene;

  async function connected(): Promise<{ readonly id: string; readonly email: string }> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id) });
    expect(await scene.document(user.id)).not.toBeNull();
    return user;
  }

  /**
   * Expects that the row and the document are deleted, that gateways have the change, and that the
   * upstream has revoked the tokens.
   */
  async function expectEnded(userId: string, before: number): Promise<void> {
    expect(await scene.connection(userId)).toBeNull();
    expect(await scene.document(userId)).toBeNull();
    const events = await api.dataSource.manager.find(ChangeEventEntity, {
      order: { sequence: 'DESC' },
      take: 1,
    });
    expect(events[0]?.removed).toContain(documentKey.mcpConnection(scene.serverId, userId));
    expect((await scene.audits())[0]).toMatchObject({ action: 'delete', before: { user_id: userId } });
    // The first run may be one that was already in progress.
    for (let n = 0; n < 2; n += 1) await api.api.app.get(UpstreamRevocations).run();
    expect(scene.as.callsOf('/token/revocation')).toBe(before + 1);
    expect(scene.as.requests.at(-1)?.form.get('token_type_hint')).toBe('refresh_token');
    const left = await api.dataSource.query<unknown[]>('SELECT id FROM mcp_revocations');
    expect(left).toEqual([]);
  }

  it('happen when a user leaves the workspace', async () => {
    const { id } = await connected();
    const stays = await connected();
    const before = scene.as.callsOf('/token/revocation');
    const path = `/v1/workspaces/${ours.workspaceId}/users/${id}`;
    expect((await api.delete(path, { key: ours.adminKey })).status).toBe(200);
    await expectEnded(id, before);
    expect(await scene.document(stays.id)).not.toBeNull();
  });

  it('happen when a user is removed from the organisation', async () => {
    const { id } = await connected();
    const before = scene.as.callsOf('/token/revocation');
    expect((await api.delete(`/v1/users/${id}`, { key: ours.adminKey })).status).toBe(200);
    await expectEnded(id, before);
  });

  it('hide the connection of a user whom the server refuses, and connections of an archived server', async () => {
    const { id } = await connected();
    const { manager } = api.dataSource;
    await manager.query('INSERT INTO mcp_server_users (server_id, user_id, enabled) VALUES ($1, $2, false)', [
      scene.serverId,
      id,
    ]);
    expect(await scene.document(id)).toBeNull();
    await manager.query('DELETE FROM mcp_server_users WHERE user_id = $1', [id]);
    expect(await scene.document(id)).not.toBeNull();
    await manager.query(`UPDATE mcp_servers SET status = 'archived' WHERE id = $1`, [scene.serverId]);
    expect(await scene.document(id)).toBeNull();
    await manager.query(`UPDATE mcp_servers SET status = 'active' WHERE id = $1`, [scene.serverId]);
  });

  it('happen for all connections of a server, and a copied row stays closed', async () => {
    const user = await connected();
    const other = await scene.addUser();
    const { manager } = api.dataSource;
    const row = await manager.findOneByOrFail(McpConnectionEntity, { userId: user.id });
    await manager.insert(McpConnectionEntity, { ...row, id: uuidv7(), userId: other.id });
    // The tokens are sealed for the other user, so no document is built.
    expect(await scene.document(other.id)).toBeUndefined();
    await manager.delete(McpConnectionEntity, { userId: other.id });
    const caller = {
      ...{ kind: 'system' as const, ...ours, userId: null, apiKeyId: null },
      request: { id: uuidv7(), method: 'DELETE', uri: '/', clientIp: null, userAgent: null },
    };
    await api.api.app.get(Writes).run(caller, (write) => {
      const { organisationId } = ours;
      return endConnections(write, { organisationId, serverIds: [scene.serverId] });
    });
    expect(await manager.countBy(McpConnectionEntity, { serverId: scene.serverId })).toBe(0);
  });
});
