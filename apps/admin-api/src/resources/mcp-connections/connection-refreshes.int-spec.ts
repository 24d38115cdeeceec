import { INTERNAL, type McpRefreshResponse } from '@gw/contracts';
import { McpOauthClientEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { eventually } from '@gw/testing';
import { openTokens } from '../../platform/mcp/connection-tokens';
import { TOKEN_TIMEOUT_MS, TokenEndpoint } from '../../platform/mcp/token-endpoint';
import { AuditRecorder } from '../../platform/unit-of-work/audit-recorder';
import { ChangeRecorder } from '../../platform/unit-of-work/change-recorder';
import { SERVICE_TOKEN } from '../../spec-support/admin-api';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import { Secrets } from '../../settings';
import { ConnectionRefreshes } from './connection-refreshes.service';
import { ExchangedConnections } from './exchanged-connections.service';
import { ConnectScene } from './spec-support/connect-scene';
import { UpstreamClients } from './upstream-clients';

const REQUEST = { id: uuidv7(), method: 'POST', uri: INTERNAL.mcpConnectionRefresh };
const FACTS = { ...REQUEST, clientIp: null, userAgent: null };

/** Resolves once a condition holds, before the call to a token endpoint times out. */
const until = (holds: () => boolean | Promise<boolean>): Promise<true | undefined> =>
  eventually(holds, { timeoutMs: TOKEN_TIMEOUT_MS / 2 }).catch(() => undefined);

describe('refreshes of connections to upstream MCP servers', () => {
  const scene = new ConnectScene();
  const { api } = scene;

  async function connected(): Promise<{ readonly userId: string; readonly version: string }> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id) });
    const document = await scene.document(user.id);
    return { userId: user.id, version: document?.version ?? '' };
  }

  async function refresh(userId: string, version: string): Promise<McpRefreshResponse> {
    const body = { serverId: scene.serverId, userId, version };
    const response = await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body });
    expect(response.status).toBe(200);
    return response.body as unknown as McpRefreshResponse;
  }

  /** Creates the service of another admin API over the same database. */
  function anotherProcess(): ConnectionRefreshes {
    const { app } = api.api;
    const [tokens, changes] = [app.get(TokenEndpoint), app.get(ChangeRecorder)];
    return new ConnectionRefreshes(
      ...([api.dataSource, tokens, changes, app.get(AuditRecorder), app.get(Secrets)] as const),
      ...([app.get(ExchangedConnections), app.get(UpstreamClients)] as const),
    );
  }

  it('call the upstream once for 20 concurrent requests to five processes', async () => {
    const { userId, version } = await connected();
    const before = scene.as.callsOf('/token');
    const processes = Array.from({ length: 5 }, anotherProcess);
    const requests = Array.from({ length: 4 }, () => processes).flat();
    const wanted = { serverId: scene.serverId, userId, version };
    // The upstream responds only once every process has looked at the row.
    const looks = jest.spyOn(api.dataSource.manager, 'findOneBy');
    scene.as.beforeToken = async () => {
      await until(() => looks.mock.calls.length >= 2 * processes.length);
    };
    let looksBefore = Infinity;
    const responses = await Promise.all(
      requests.map(async (each) => {
        const response = await each.refresh(wanted, FACTS);
        looksBefore = Math.min(looksBefore, looks.mock.calls.length);
        return response;
      }),
    );
    // Every other process finds the result as soon as it looks again.
    expect(looks.mock.calls.length - looksBefore).toBeLessThan(2 * processes.length);
    expect(scene.as.callsOf('/token')).toBe(before + 1);
    const { version: now = '' } = (await scene.document(userId)) ?? {};
    expect(now).not.toBe(version);
    expect(new Set(responses.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ outcome: 'refreshed', version: now })]),
    );
    looks.mockRestore();
    scene.as.beforeToken = () => Promise.resolve();
    // The rotated token was stored, so the next refresh works.
    expect(await refresh(userId, now)).toMatchObject({ outcome: 'refreshed' });
    expect(scene.as.callsOf('/token')).toBe(before + 2);
  });

  it('make no call for a version that was refreshed before', async () => {
    const { userId, version } = await connected();
    const first = await refresh(userId, version);
    const before = scene.as.callsOf('/token');
    expect(await refresh(userId, version)).toEqual(first);
    expect(scene.as.callsOf('/token')).toBe(before);
  });

  it('hold no transaction and no connection of the pool while they wait for the upstream', async () => {
    const { userId, version } = await connected();
    let arrived = (): void => undefined;
    let goOn = (): void => undefined;
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    scene.as.beforeToken = () => {
      arrived();
      return gate;
    };
    const refreshing = refresh(userId, version);
    await isThere;
    // Other work of the admin API may hold a transaction for a moment.
    const isFree = await until(async () => {
      const [{ count }] = await api.dataSource.query<[{ count: string }]>(
        `SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
      return count === '0';
    });
    goOn();
    scene.as.beforeToken = () => Promise.resolve();
    expect(isFree).toBe(true);
    expect(await refreshing).toMatchObject({ outcome: 'refreshed' });
  });

  it('mark a connection whose grant has ended, and no longer call the upstream', async () => {
    const { userId, version } = await connected();
    const row = await scene.connection(userId);
    if (row?.sealedTokens == null) throw new Error('There is no connection.');
    const tokens = openTokens(api.api.app.get(Secrets).sealingKeyring, row, row.sealedTokens);
    expect(await api.api.app.get(TokenEndpoint).revoke(tokens)).toBe(true);
    expect(await refresh(userId, version)).toEqual({ outcome: 'needs_consent', version: null });
    expect(await scene.connection(userId)).toMatchObject({ status: 'needs_consent', sealedTokens: null });
    expect(await scene.document(userId)).toBeNull();
    expect((await scene.audits())[0]).toMatchObject({ action: 'lapse', userType: 'system' });
    const before = scene.as.callsOf('/token');
    expect(await refresh(userId, version)).toMatchObject({ outcome: 'needs_consent' });
    expect(scene.as.callsOf('/token')).toBe(before);
  });

  it('forget a registered client that the upstream no longer knows, so that users can connect again', async () => {
    const { userId, version } = await connected();
    const where = { integrationId: scene.integrationId };
    expect(await api.dataSource.manager.countBy(McpOauthClientEntity, where)).toBe(1);
    scene.as.refusal = 'invalid_client';
    expect(await refresh(userId, version)).toEqual({ outcome: 'needs_consent', version: null });
    scene.as.refusal = null;
    expect(await api.dataSource.manager.countBy(McpOauthClientEntity, where)).toBe(0);
  });

  it('keep the tokens when the upstream fails, and do not call it again immediately', async () => {
    const { userId, version } = await connected();
    const row = await scene.connection(userId);
    const before = scene.as.callsOf('/token');
    scene.as.failure = 503;
    await withStoppedClock(async () => {
      expect(await refresh(userId, version)).toEqual({ outcome: 'failed', version });
      expect(await refresh(userId, version)).toEqual({ outcome: 'failed', version });
    });
    scene.as.failure = null;
    expect(scene.as.callsOf('/token')).toBe(before + 1);
    expect(await scene.connection(userId)).toMatchObject({
      status: 'connected',
      sealedTokens: row?.sealedTokens,
    });
  });

  it('take over from a process that has ended', async () => {
    const { userId, version } = await connected();
    await api.dataSource.query(
      `UPDATE mcp_connections SET lease = $1, lease_ends_at = now() - interval '1 second' WHERE user_id = $2`,
      [uuidv7(), userId],
    );
    expect(await refresh(userId, version)).toMatchObject({ outcome: 'refreshed' });
  });

  it('find no connection of an outsider, and admit only gateways', async () => {
    expect(await refresh(uuidv7(), 'x')).toEqual({ outcome: 'missing', version: null });
    const body = { serverId: scene.serverId, userId: uuidv7(), version: 'x' };
    expect((await api.post(INTERNAL.mcpConnectionRefresh, { key: scene.ours.adminKey, body })).status).toBe(
      401,
    );
  });
});
