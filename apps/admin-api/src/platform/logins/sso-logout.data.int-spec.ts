import { AuditLogEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { GatewayResponse } from '../../spec-support/admin-api';
import { inGroup, OidcScenes, type Members, type Scene } from './spec-support/oidc-scenes';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

interface LoggedIn {
  readonly at: Scene;
  readonly token: string;
}

describe('logouts at OpenID Connect providers', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;

  async function loggedIn(sid: string, at?: Scene): Promise<LoggedIn> {
    const scene = at ?? (await scenes.scene());
    const made = await scenes.returned(scene, { 'claims.sid': sid });
    return { at: scene, token: await scenes.sessionOf(made) };
  }

  function logoutToken(
    { path }: Scene,
    { alg = 'RS256', typ = 'logout+jwt', iss, ...change }: Members,
  ): string {
    const now = Math.floor(Date.now() / 1_000);
    const issuer = iss === undefined ? scenes.provider.issuer(path) : 'https://other.example';
    const claims = { iss: issuer, aud: 'tollgate', iat: now, exp: now + 120, jti: uuidv7(), events: EVENTS };
    const ofUser = { sub: 's-1', sid: 'sid-1' };
    const members = { ...claims, ...ofUser, ...change };
    const kept = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
    return scenes.provider.signed(kept, {
      header: { alg, typ, kid: 'k1' },
      key: alg === 'none' ? null : 'k1',
    });
  }

  const send = ({ connection }: Scene, token: string): Promise<GatewayResponse> =>
    api.post(`/v2/auth/oidc/backchannel-logout/${connection}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
  const isLive = async (token: string): Promise<boolean> =>
    (await api.get('/v1/auth/self', { token })).status === 200;

  const cases = inGroup('backchannel');

  it.each(cases.filter(({ expect: verdict }) => verdict === 'reject'))('$id: $reason', async ({ input }) => {
    const { at, token } = await loggedIn('sid-1');
    const { jti, typ, ...change } = input['change'] as Members;
    const isIdToken = typeof typ === 'string' ? { typ: 'JWT', events: null, nonce: 'x' } : {};
    const sent = logoutToken(at, { ...change, ...isIdToken });
    if (jti === 'used') {
      const other = logoutToken(at, { sid: 'of another session', sub: null });
      expect((await send(at, other)).status).toBe(200);
      expect((await send(at, other)).status).toBe(400);
    } else {
      const { status, body } = await send(at, sent);
      expect([status, body['error']]).toEqual([400, expect.objectContaining({ type: 'sso_logout_refused' })]);
    }
    expect(await isLive(token)).toBe(true);
    const { organisationId } = at.tenant;
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, { organisationId, action: 'logout' });
    expect(audits.map(({ responseStatusCode }) => responseStatusCode)).toEqual([400]);
  });

  it('oidc-137: by session', async () => {
    const { at, token } = await loggedIn('sid-1');
    const { token: another } = await loggedIn('sid-2', at);
    expect((await send(at, logoutToken(at, { sub: null }))).status).toBe(200);
    expect([await isLive(token), await isLive(another)]).toEqual([false, true]);
    expect((await send(at, logoutToken(at, { sid: null }))).status).toBe(200);
    expect(await isLive(another)).toBe(false);
  });

  it('oidc-146: unknown subject', async () => {
    const { at, token } = await loggedIn('sid-1');
    expect((await send(at, logoutToken(at, { sub: 'unknown', sid: null }))).status).toBe(200);
    expect(await isLive(token)).toBe(true);
  });

  it('end only sessions that the same connection opened', async () => {
    const { at, token } = await loggedIn('sid-1');
    const second = await scenes.connect(at, { name: 'c2' });
    const other = { ...at, connection: second.body.id };
    expect((await send(other, logoutToken(other, {}))).status).toBe(200);
    expect(await isLive(token)).toBe(true);
    expect((await send({ ...at, connection: uuidv7() }, logoutToken(at, {}))).status).toBe(404);
  });

  it('work once, even when ten tokens arrive at the same time', async () => {
    const { at } = await loggedIn('sid-1');
    const sent = logoutToken(at, {});
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await send(at, sent)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('are offered to users who log out at Tollgate, when the provider supports them', async () => {
    const { at, token } = await loggedIn('sid-1');
    expect((await api.post('/v1/auth/logout', { token })).body).toEqual({ logout_url: null });
    const next = await scenes.scene();
    const metadata = { ...scenes.provider.metadata(next.path) };
    const end = `${scenes.provider.issuer(next.path)}/end`;
    scenes.provider.play(next.path, { metadata: { ...metadata, end_session_endpoint: end } });
    const { token: session } = await loggedIn('sid-1', next);
    const url = new URL(String((await api.post('/v1/auth/logout', { token: session })).body['logout_url']));
    expect(url.origin + url.pathname).toBe(end);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'tollgate',
      logout_hint: 's-1',
      post_logout_redirect_uri: 'https://console.example/',
    });
    expect(await isLive(session)).toBe(false);
    expect(at.connection).not.toBe(next.connection);
  });
});
