import { INTERNAL, type McpLinkResponse } from '@gw/contracts';
import { Browser } from '../../platform/oauth/spec-support/browser';
import { SERVICE_TOKEN } from '../../spec-support/admin-api';
import { ConnectScene } from './spec-support/connect-scene';

describe('scopes in addition to those of a connection', () => {
  const scene = new ConnectScene();
  const { api, ours } = scene;

  async function connected(): Promise<{ readonly id: string; readonly email: string }> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id) });
    return user;
  }
  async function want(userId: string, scopes: readonly string[]): Promise<string | null> {
    const body = { serverId: scene.serverId, userId, scopes };
    const { status, body: response } = await api.post(INTERNAL.mcpConnectionScopes, {
      ...{ token: SERVICE_TOKEN, body },
    });
    expect(status).toBe(200);
    return (response as unknown as McpLinkResponse).url;
  }
  const shown = async (userId: string): Promise<unknown> => {
    const path = `/v1/mcp-servers/${scene.serverId}/connections?user_id=${userId}`;
    return (await api.get<{ data: unknown[] }>(path, { key: ours.key })).body.data[0];
  };

  it('are granted by the user on a page, while the connection stays in use', async () => {
    const user = await connected();
    const url = await want(user.id, ['issues.read', 'issues.write', 'a"b']);
    expect(await scene.connection(user.id)).toMatchObject({
      ...{ status: 'needs_scope', scopes: ['issues.read'], wantedScopes: ['issues.read', 'issues.write'] },
    });
    expect(await scene.document(user.id)).not.toBeNull();
    expect(await shown(user.id)).toMatchObject({ connected: true, status: 'needs_scope' });
    const browser = new Browser(api);
    const page = await scene.signIn(browser, url ?? '', user.email);
    for (const scope of ['issues.read', 'issues.write']) expect(page.text).toContain(`<li>${scope}</li>`);
    const { next } = await scene.press(browser, url ?? '', page);
    expect((await browser.open((await scene.as.agree(next)).href)).status).toBe(200);
    expect(await scene.connection(user.id)).toMatchObject({
      ...{ status: 'connected', scopes: ['issues.read', 'issues.write'], wantedScopes: [] },
    });
    // Scopes that the user has granted are not requested again.
    expect(await want(user.id, ['issues.write'])).toBeNull();
    expect(await scene.connection(user.id)).toMatchObject({ status: 'connected' });
    const actions = (await scene.audits()).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['needs_scope', 'connect', 'update']));
  });

  it('are pending without affecting token refreshes', async () => {
    const user = await connected();
    await want(user.id, ['issues.write']);
    const { version } = (await scene.document(user.id)) ?? {};
    const body = { serverId: scene.serverId, userId: user.id, version };
    const refreshed = await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body });
    expect(refreshed.body).toMatchObject({ outcome: 'refreshed' });
    expect(await scene.connection(user.id)).toMatchObject({ status: 'needs_scope' });
  });

  it('bring no connection back into use that was taken out of it', async () => {
    const user = await connected();
    await api.dataSource.query(`UPDATE mcp_connections SET status = 'error' WHERE user_id = $1`, [user.id]);
    expect(await want(user.id, ['issues.write'])).toBeNull();
    expect(await scene.connection(user.id)).toMatchObject({ status: 'error', wantedScopes: [] });
    expect(await scene.document(user.id)).toBeNull();
  });

  it('are bounded, however many a server asks for, and the last ones are requested', async () => {
    const user = await connected();
    const asked = (round: number): string[] =>
      Array.from({ length: 150 }, (_, at) => `scope.${String(round)}.${String(at)}`);
    for (const round of [1, 2, 3]) expect(await want(user.id, asked(round))).not.toBeNull();
    const { wantedScopes } = (await scene.connection(user.id)) ?? {};
    expect(wantedScopes).toHaveLength(200);
    expect(wantedScopes).toEqual(expect.arrayContaining(['issues.read', ...asked(3)]));
  });

  it('are not requested without a connection, nor beyond the scopes that the integration allows', async () => {
    const stranger = await scene.addUser();
    expect(await want(stranger.id, ['issues.write'])).toBeNull();
    const user = await connected();
    await api.dataSource.query(
      `UPDATE mcp_integrations SET configurations = '{"oauth_metadata":{"scope":"issues.read"}}' WHERE id = $1`,
      [scene.integrationId],
    );
    expect(await want(user.id, ['issues.write'])).toBeNull();
    expect(await scene.connection(user.id)).toMatchObject({ status: 'connected' });
  });
});
