import { documentKey, type AccessTokenDocument } from '@gw/contracts';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { ProofKey, StubProvider } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';

const TOKEN = `pat_${'t'.repeat(43)}`;
const [GRANT, USER] = ['0a000000-0000-4000-8000-0000000000bb', '0a000000-0000-4000-8000-0000000000cc'];

describe('access tokens of the OAuth server', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;

  beforeEach(async () => {
    provider = await StubProvider.start();
    provider.respondJson({ object: 'chat.completion', choices: [{ message: { content: 'Hi' } }] });
    gateway = await GatewayHarness.start();
    gateway.addTenant(WORKSPACE_ID, 'main');
    gateway.addProvider('main', 'openai', provider.origin);
    save();
  });
  afterEach(() => Promise.all([gateway.stop(), provider.stop()]));

  const tokenKey = (): string =>
    documentKey.accessToken(accessTokenHash(oauthPepper(gateway.master), TOKEN) ?? '');

  /** Adds the token's document to those that the control plane publishes, or replaces it. */
  function save(more: Partial<AccessTokenDocument> = {}): void {
    gateway.documents.set(tokenKey(), {
      ...{ kind: 'access_token', version: String(Math.random()), grantId: GRANT, userId: USER },
      ...{ clientId: 'gw_client', clientName: 'Editor', resourcePath: '/v1', targetId: null },
      ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID, scopes: ['completions.write'] },
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
      ...more,
    });
  }

  const call = (token = TOKEN, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-provider': '@main',
        authorization: `Bearer ${token}`,
        ...more,
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  /** Makes each change, then a call, and returns the statuses of the calls. */
  const statuses = async (...changes: (() => void)[]): Promise<number[]> => {
    const seen: number[] = [];
    for (const change of changes) {
      change();
      seen.push((await call()).status);
    }
    return seen;
  };

  it('serves requests as the user of the token, and logs grant, user and client but never the token', async () => {
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const records = await gateway.records();
    expect(records.at(-1)).toMatchObject({
      ...{ apiKeyId: GRANT, userId: USER, workspaceId: WORKSPACE_ID, organisationId: ORGANISATION_ID },
      metadata: { _user: USER, _client: 'gw_client' },
    });
    const stored = JSON.stringify(records) + JSON.stringify(provider.requests);
    expect(stored).not.toContain(TOKEN.slice(4));
  });

  it('lets no request change metadata that the control plane has fixed for a token', async () => {
    save({ clientId: 'playground', metadata: { source: 'playground', _user: 'someone' } });
    const metadata = JSON.stringify({ source: 'app', _client: 'app', team: 'search' });
    expect((await call(TOKEN, { 'x-gw-metadata': metadata })).status).toBe(200);
    expect((await gateway.records()).at(-1)).toMatchObject({
      metadata: { source: 'playground', _user: USER, _client: 'playground', team: 'search' },
    });
  });

  it('refuses a token at once when it ends or loses its scope, or its workspace or organisation is archived', async () => {
    expect(
      await statuses(
        () => undefined,
        () => save({ scopes: ['logs.list'] }),
        () => save(),
        () => gateway.addTenant(WORKSPACE_ID, 'main', { status: 'archived' }),
        () => gateway.addTenant(WORKSPACE_ID, 'main'),
        () => gateway.setOrganisation({ status: 'archived' }),
        () => gateway.setOrganisation(),
        () => gateway.documents.remove(tokenKey()),
      ),
    ).toEqual([200, 403, 200, 401, 200, 401, 200, 401]);
  });

  it('returns the errors of RFC 6750 for a token that lacks the scope, and for an unknown token', async () => {
    save({ scopes: [] });
    const lacking = await call();
    expect([lacking.status, lacking.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="completions.write"',
    ]);
    gateway.documents.remove(tokenKey());
    const unknown = await call();
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });

  it('refuses a token that is for another resource, expired, without a workspace or misspelt', async () => {
    const path = (resourcePath: string) => () => save({ resourcePath });
    const ended = new Date(Date.now() - 1).toISOString();
    expect(
      await statuses(
        path('/team/server/mcp'),
        path('/v1/'),
        path('/V1'),
        () => save({ expiresAt: ended }),
        () => save({ workspaceId: null }),
      ),
    ).toEqual([401, 401, 401, 401, 403]);
    save();
    const texts = [`${TOKEN}x`, TOKEN.slice(0, -1), TOKEN.toUpperCase(), 'pat_', `prt_${'t'.repeat(43)}`];
    const seen = await Promise.all(texts.map(async (text) => (await call(text)).status));
    expect(seen).toEqual(texts.map(() => 401));
  });

  describe('access tokens bound to a key by DPoP', () => {
    const key = new ProofKey();
    const ORIGIN = 'https://gateway.example.com';
    const url = `${ORIGIN}/v1/chat/completions`;
    const proofOf = (claims: object = {}, by = key): string =>
      by.proof({ token: TOKEN, method: 'POST', url }, claims);
    const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-provider': '@main', ...headers },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
      });
    const bound = (dpop: string): Promise<Response> =>
      send({ authorization: `DPoP ${TOKEN}`, ...(dpop === '' ? {} : { dpop }) });
    beforeEach(() => {
      save({ boundTo: { thumbprint: key.thumbprint, origin: ORIGIN } });
    });

    it('accepts a proof for one request only, and sends neither proof nor token to the provider', async () => {
      const proof = proofOf();
      expect([(await bound(proof)).status, (await bound(proofOf())).status]).toEqual([200, 200]);
      const again = await bound(proof);
      expect([again.status, again.headers.get('www-authenticate')]).toEqual([
        401,
        'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA RS256 PS256"',
      ]);
      const stored = JSON.stringify(provider.requests) + JSON.stringify(await gateway.records());
      for (const secret of [TOKEN.slice(4), proof]) expect(stored).not.toContain(secret);
      expect(provider.requests.every(({ headers }) => !('dpop' in headers))).toBe(true);
    });

    it('refuses a bound token as a bearer token, without a proof, and with that of another key, request or host', async () => {
      const refused = [
        await call(),
        await send({ 'x-gw-api-key': TOKEN, dpop: proofOf() }),
        await send({ 'x-gw-api-key': TOKEN, authorization: `DPoP ${TOKEN}`, dpop: proofOf() }),
        await bound(''),
        await bound('x'),
        await bound(proofOf({}, new ProofKey())),
        await bound(proofOf({ htm: 'GET' })),
        await bound(proofOf({ htu: `${gateway.baseUrl}/chat/completions` })),
      ];
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
      expect(provider.requests).toHaveLength(0);
    });

    it('refuses a proof with a token that is not bound to a key', async () => {
      save();
      expect((await bound(proofOf())).status).toBe(401);
      expect((await call()).status).toBe(200);
    });
  });

  it('refuses a token from its expiry on, even if it was accepted before', async () => {
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    const endsAt = now + 1_500;
    save({ expiresAt: new Date(endsAt).toISOString() });
    expect((await call()).status).toBe(200);
    now = endsAt - 1;
    expect((await call()).status).toBe(200);
    now = endsAt;
    expect((await call()).status).toBe(401);
    clock.mockRestore();
  });

  it('refuses a token in the query parameter key, and calls no provider', async () => {
    const url = `${gateway.baseUrl.replace('/v1', '/v1beta')}/models/gemini-2.5-flash:generateContent?key=${TOKEN}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-provider': '@main' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('query')]);
    expect(provider.requests).toHaveLength(0);
  });

  it('ignores a token in access_token of a query or a body, and does not log it', async () => {
    const body = { model: 'gpt-4o', messages: [], access_token: TOKEN };
    const post = (query: string, contentType: string, sent: string): Promise<Response> =>
      fetch(`${gateway.baseUrl}/chat/completions${query}`, {
        method: 'POST',
        headers: { 'content-type': contentType, 'x-gw-provider': '@main' },
        body: sent,
      });
    const seen = [
      await post(`?access_token=${TOKEN}`, 'application/json', JSON.stringify({ ...body, access_token: '' })),
      await post('', 'application/json', JSON.stringify(body)),
      await post('', 'application/x-www-form-urlencoded', `access_token=${TOKEN}`),
    ];
    expect(seen.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(provider.requests).toHaveLength(0);
    const records = await gateway.records();
    expect(records).toHaveLength(3);
    expect(JSON.stringify(records)).not.toContain(TOKEN.slice(4));
  });
});
