import { documentKey, type AccessTokenDocument } from '@gw/contracts';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { ProofKey, StubProvider } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';

const TOKEN = `pat_${'t'.repeat(43)}`;
const [GRANT, USER] = ['0a000000-0000-4000-8000-0000000000bb', '0a000000-0000-4000-8000-0000000000cc'];

describe('callers with an access token of the OAuth server', () => {
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

  const at = (): string => documentKey.accessToken(accessTokenHash(oauthPepper(gateway.master), TOKEN) ?? '');

  /** Keeps the token as the control plane publishes it. */
  function save(more: Partial<AccessTokenDocument> = {}): void {
    gateway.documents.set(at(), {
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
  const statuses = async (...changes: (() => void)[]): Promise<number[]> => {
    const seen: number[] = [];
    for (const change of changes) {
      change();
      seen.push((await call()).status);
    }
    return seen;
  };

  it('are served as their user, and logged with grant, user and client, never with the token', async () => {
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const records = await gateway.records();
    expect(records.at(-1)).toMatchObject({
      ...{ apiKeyId: GRANT, userId: USER, workspaceId: WORKSPACE_ID, organisationId: ORGANISATION_ID },
      metadata: { _user: USER, _client: 'gw_client' },
    });
    const kept = JSON.stringify(records) + JSON.stringify(provider.requests);
    expect(kept).not.toContain(TOKEN.slice(4));
  });

  it('have metadata that no request can change, where the control plane fixed some', async () => {
    save({ clientId: 'playground', metadata: { source: 'playground', _user: 'someone' } });
    const metadata = JSON.stringify({ source: 'app', _client: 'app', team: 'search' });
    expect((await call(TOKEN, { 'x-gw-metadata': metadata })).status).toBe(200);
    expect((await gateway.records()).at(-1)).toMatchObject({
      metadata: { source: 'playground', _user: USER, _client: 'playground', team: 'search' },
    });
  });

  it('are refused at once when the token ends, loses its scope, or its workspace or organisation ends', async () => {
    expect(
      await statuses(
        () => undefined,
        () => save({ scopes: ['logs.list'] }),
        () => save(),
        () => gateway.addTenant(WORKSPACE_ID, 'main', { status: 'archived' }),
        () => gateway.addTenant(WORKSPACE_ID, 'main'),
        () => gateway.setOrganisation({ status: 'archived' }),
        () => gateway.setOrganisation(),
        () => gateway.documents.remove(at()),
      ),
    ).toEqual([200, 403, 200, 401, 200, 401, 200, 401]);
  });

  it('get errors as RFC 6750 describes them', async () => {
    save({ scopes: [] });
    const lacking = await call();
    expect([lacking.status, lacking.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="completions.write"',
    ]);
    gateway.documents.remove(at());
    const unknown = await call();
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });

  it('need a token for this resource and of a workspace, unexpired and whole', async () => {
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

  describe('bound to a key', () => {
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

    it('need a proof of their own for each request, which no provider gets', async () => {
      const one = proofOf();
      expect([(await bound(one)).status, (await bound(proofOf())).status]).toEqual([200, 200]);
      const again = await bound(one);
      expect([again.status, again.headers.get('www-authenticate')]).toEqual([
        401,
        'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA RS256 PS256"',
      ]);
      const kept = JSON.stringify(provider.requests) + JSON.stringify(await gateway.records());
      for (const secret of [TOKEN.slice(4), one]) expect(kept).not.toContain(secret);
      expect(provider.requests.every(({ headers }) => !('dpop' in headers))).toBe(true);
    });

    it('are refused as bearer tokens, without a proof, and with one of another key, request or host', async () => {
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

    it('are the only ones that take a proof', async () => {
      save();
      expect((await bound(proofOf())).status).toBe(401);
      expect((await call()).status).toBe(200);
    });
  });

  it('end at their expiry although they were served before', async () => {
    const endsAt = Date.now() + 1_500;
    save({ expiresAt: new Date(endsAt).toISOString() });
    expect((await call()).status).toBe(200);
    let last = 200;
    while (last === 200 && Date.now() < endsAt + 5_000) last = (await call()).status;
    expect(last).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
  });

  it('may not send the token in a query', async () => {
    const url = `${gateway.baseUrl.replace('/v1', '/v1beta')}/models/gemini-2.5-flash:generateContent?key=${TOKEN}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-provider': '@main' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('query')]);
    expect(provider.requests).toHaveLength(0);
  });

  it('are found neither in other parameters of a query nor in a body, and are not logged from there', async () => {
    const body = { model: 'gpt-4o', messages: [], access_token: TOKEN };
    const ask = (query: string, contentType: string, sent: string): Promise<Response> =>
      fetch(`${gateway.baseUrl}/chat/completions${query}`, {
        method: 'POST',
        headers: { 'content-type': contentType, 'x-gw-provider': '@main' },
        body: sent,
      });
    const seen = [
      await ask(`?access_token=${TOKEN}`, 'application/json', JSON.stringify({ ...body, access_token: '' })),
      await ask('', 'application/json', JSON.stringify(body)),
      await ask('', 'application/x-www-form-urlencoded', `access_token=${TOKEN}`),
    ];
    expect(seen.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(provider.requests).toHaveLength(0);
    const records = await gateway.records();
    expect(records).toHaveLength(3);
    expect(JSON.stringify(records)).not.toContain(TOKEN.slice(4));
  });
});
