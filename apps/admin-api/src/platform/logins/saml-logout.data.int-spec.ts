import { AuditLogEntity, SsoConnectionEntity } from '@gw/entities';
import { newKeyWithCertificate } from '@gw/federation';
import { uuidv7 } from '@gw/kernel';
import { readCases, samlifyIdp, type EndedAccount, type LogoutDelivery } from '@gw/testing';
import { deflateRawSync } from 'node:zlib';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { SamlScenes, type Scene } from './spec-support/saml-scenes';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly change: { readonly request?: string };
  readonly expect: string;
}

const PAGE = { accept: 'text/html' };

describe('logouts by SAML', () => {
  const scenes = new SamlScenes();
  const { api } = scenes;
  const vectors = (readCases('saml.json') as { readonly cases: readonly Vector[] }).cases.filter(
    ({ group }) => group === 'logout',
  );

  const metadataOf = async ({ sp }: Scene): Promise<string> =>
    (await api.get(new URL(sp.entity_id).pathname)).text;
  const isLive = async (token: string): Promise<boolean> =>
    (await api.get('/v1/auth/self', { token })).status === 200;
  const audits = async ({ tenant: { organisationId } }: Scene): Promise<string[]> => {
    const rows = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId, action: 'logout' },
      order: { createdAt: 'ASC' },
    });
    return rows.map((row) => /check [^:"]+|used before/.exec(JSON.stringify(row))?.[0] ?? 'ended');
  };
  /** Sends a LogoutRequest of the scene's provider in the way a browser does. */
  const redirected = async (
    at: Scene,
    ended: EndedAccount,
    delivery: Partial<LogoutDelivery> = {},
    idp = at.idp,
  ): Promise<GatewayResponse> => {
    const url = idp.logoutRequest(await metadataOf(at), ended, { binding: 'redirect', ...delivery });
    const { pathname, search } = new URL(url);
    expect(`${new URL(url).origin}${pathname}`).toBe(at.sp.slo_url);
    return api.get(`${pathname}${search}`);
  };
  const posted = (at: Scene, fields: Record<string, string>, headers = {}): Promise<GatewayResponse> =>
    api.post(new URL(at.sp.slo_url).pathname, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const emailOf = ({ domain }: Scene): string => `ann@${domain}`;
  const ended = (at: Scene, sessionIndex: string | null = '_s'): EndedAccount => ({
    ...{ email: emailOf(at), sessionIndex },
  });
  const loggedIn = async (saml: object = {}): Promise<Scene & { readonly token: string }> => {
    const at = await scenes.scene(saml);
    return { ...at, token: await scenes.session(at, emailOf(at)) };
  };

  it.each(vectors.map((each) => [each.id, each.change.request ?? '', each.expect]))(
    '%s: a request that is %s: %s',
    async (_, kind, expected) => {
      const at = await loggedIn();
      const id = `_${uuidv7()}`;
      if (kind === 'replayed') await redirected(at, { email: `eve@${at.domain}`, sessionIndex: null, id });
      const other = await scenes.scene();
      const who = kind.includes('unknown user') ? { ...ended(at), email: `eve@${at.domain}` } : ended(at);
      const sent = await redirected(
        at,
        { ...who, id },
        { relayState: 'r=1&x', isSigned: kind !== 'unsigned' },
        kind === 'of another connection' ? other.idp : at.idp,
      );
      if (expected === 'reject') {
        expect([sent.status, sent.body['error']]).toEqual([
          400,
          expect.objectContaining({ type: 'sso_logout_refused' }),
        ]);
        expect(await isLive(at.token)).toBe(true);
        expect((await audits(at)).length).toBe(kind === 'of another connection' ? 0 : 1);
        return;
      }
      const answer = new URL(sent.headers['location'] as string);
      expect([sent.status, answer.origin + answer.pathname]).toEqual([303, `${at.idp.entityId}/slo`]);
      expect(answer.searchParams.get('RelayState')).toBe('r=1&x');
      expect(await at.idp.answeredLogout(await metadataOf(at), { query: answer.search.slice(1) })).toBe(id);
      expect(await isLive(at.token)).toBe(expected.includes('nothing ends'));
      expect(await audits(at)).toEqual(expected.includes('nothing ends') ? [] : ['ended']);
    },
  );

  it('end all sessions of the user without an index, and only that of the index with one', async () => {
    const at = await loggedIn();
    const email = emailOf(at);
    const second = await scenes.session(at, email, { sessionIndex: '_t' });
    expect((await redirected(at, ended(at, '_t'))).status).toBe(303);
    expect([await isLive(at.token), await isLive(second)]).toEqual([true, false]);
    const third = await scenes.session(at, email, { sessionIndex: '_u' });
    expect((await redirected(at, ended(at, null))).status).toBe(303);
    expect([await isLive(at.token), await isLive(third)]).toEqual([false, false]);
  });

  it('end no sessions of another connection of the organisation', async () => {
    const at = await loggedIn();
    const other = await scenes.connect(at.tenant, at.domain, {}, {});
    expect((await redirected(at, ended(at), {}, other.idp)).status).toBe(303);
    expect(await isLive(at.token)).toBe(true);
  });

  it('accept a form, and respond with a form when the provider accepts no redirect', async () => {
    const at = await loggedIn({ slo_url: 'https://idp.example/post-slo', slo_binding: 'post' });
    const metadata = await metadataOf(at);
    const id = `_${uuidv7()}`;
    const request = at.idp.logoutRequest(metadata, { ...ended(at), id }, { binding: 'post' });
    const { status, text, headers } = await posted(at, { SAMLRequest: request, RelayState: '"><x>' }, PAGE);
    expect([status, await isLive(at.token)]).toEqual([200, false]);
    expect(headers['content-security-policy']).toContain('form-action https://idp.example;');
    expect(text).toContain('action="https://idp.example/post-slo"');
    expect(text).toContain('name="RelayState" value="&#34;&#62;&#60;x&#62;"');
    const [, answer = ''] = /name="SAMLResponse" value="([^"]+)"/.exec(text) ?? [];
    expect(await at.idp.answeredLogout(metadata, { body: { SAMLResponse: answer } })).toBe(id);
  });

  it('work once, even when ten requests arrive at the same time', async () => {
    const at = await loggedIn();
    const id = `_${uuidv7()}`;
    const all = await Promise.all(Array.from({ length: 10 }, () => redirected(at, { ...ended(at), id })));
    expect(all.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(9).fill(400)]);
    expect((await audits(at)).sort()).toEqual(['ended', ...Array<string>(9).fill('used before')]);
  });

  it('are refused with another key, a changed query, a repeated field, for another organisation, and with an XML bomb', async () => {
    const at = await loggedIn();
    const evil = samlifyIdp(at.idp.entityId, await newKeyWithCertificate('evil'));
    expect((await redirected(at, ended(at), {}, evil)).status).toBe(400);
    const url = new URL(
      at.idp.logoutRequest(await metadataOf(at), ended(at), { binding: 'redirect', relayState: 'a' }),
    );
    const statusOf = async (search: string, pathname = url.pathname): Promise<number> =>
      (await api.get(pathname + search)).status;
    expect(await statusOf(url.search.replace('RelayState=a', 'RelayState=b'))).toBe(400);
    expect(await statusOf(`${url.search}&RelayState=b`)).toBe(400);
    expect(await statusOf(url.search.replace('rsa-sha256', 'rsa-sha1'))).toBe(400);
    expect(await statusOf('?SAMLRequest=%E0%A4')).toBe(400);
    expect(await statusOf('?SAMLRequest=AAAA')).toBe(400);
    const bomb = deflateRawSync(Buffer.alloc(5_000_000, 32)).toString('base64');
    expect(await statusOf(`?SAMLRequest=${encodeURIComponent(bomb)}`)).toBe(400);
    expect(await statusOf('?RelayState=a')).toBe(400);
    const other = await scenes.scene();
    expect(await statusOf(url.search, new URL(other.sp.slo_url).pathname)).toBe(400);
    expect((await posted(at, { SAMLRequest: '!!!' })).status).toBe(400);
    expect((await posted(at, { SAMLRequest: 'YQ==', RelayState: 'r'.repeat(2_000) })).status).toBe(400);
    expect(await isLive(at.token)).toBe(true);
    expect(new Set(await audits(at))).toEqual(new Set(['check 5']));
    expect(await statusOf(url.search)).toBe(303);
  });

  it('show browsers a page after a refusal and at the end', async () => {
    const at = await scenes.scene({ slo_url: null });
    const refused = await posted(at, { SAMLRequest: 'YQ==' }, PAGE);
    expect([refused.status, refused.headers['content-type']]).toEqual([
      400,
      expect.stringContaining('text/html'),
    ]);
    const { pathname } = new URL(at.sp.slo_url);
    const end = await api.get(`${pathname}?SAMLResponse=x`);
    expect([end.status, end.text]).toEqual([200, expect.stringContaining('You are logged out')]);
  });

  it("are offered to users who log out at Tollgate, when a link can end the provider's session", async () => {
    const at = await loggedIn();
    const { body } = await api.post<{ logout_url: string }>('/v1/auth/logout', { token: at.token });
    const url = new URL(body.logout_url);
    expect(url.origin + url.pathname).toBe(`${at.idp.entityId}/slo`);
    expect(await at.idp.endedBy(await metadataOf(at), url.search.slice(1))).toEqual([emailOf(at), '_s']);
    expect(await isLive(at.token)).toBe(false);
    for (const saml of [{ slo_url: null }, { slo_binding: 'post' }]) {
      const { token } = await loggedIn(saml);
      expect((await api.post('/v1/auth/logout', { token })).body).toEqual({ logout_url: null });
    }
  });

  it('end the session at Tollgate also when the key of the connection cannot be opened', async () => {
    const at = await loggedIn();
    const sealedSecrets = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await api.dataSource.manager.update(SsoConnectionEntity, { id: at.id }, { sealedSecrets });
    const { status, body } = await api.post('/v1/auth/logout', { token: at.token });
    expect([status, body, await isLive(at.token)]).toEqual([200, { logout_url: null }, false]);
  });
});

describe('logouts by SAML with a console', () => {
  const api = new TestAdminApi({ CONSOLE_URL: 'https://console.example' });

  it('redirect to the console', async () => {
    const { status, headers } = await api.get(`/v2/auth/saml/slo/${uuidv7()}?SAMLResponse=x`);
    expect([status, headers['location']]).toEqual([303, 'https://console.example']);
  });
});
