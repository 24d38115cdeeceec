import { OauthArtifactEntity } from '@gw/entities';
import { ProofKey } from '@gw/testing';
import * as client from 'openid-client';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { CALLBACK, OauthJourney, PUBLIC_URL, RESOURCE } from './spec-support/oauth-journey';

const PATH = '/v1/logs';
const URL_OF_PATH = `${PUBLIC_URL}${PATH}`;

/** Runs requests of the library against the API, with the headers of its responses. */
const fetchBy =
  (api: TestAdminApi): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const response = await api.call(method, pathname + search, {
      headers,
      body: body instanceof URLSearchParams ? body.toString() : (body ?? undefined),
    });
    const kept = Object.entries(response.headers).filter(([name]) => /^(?:content-type|dpop|www)/.test(name));
    return new Response(response.text, {
      status: response.status,
      headers: Object.fromEntries(kept) as Record<string, string>,
    });
  };

describe('access tokens that are bound to a key (DPoP)', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  let config: client.Configuration;
  let handle: client.DPoPHandle;
  let tokens: client.TokenEndpointResponse;
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
    config = await client.dynamicClientRegistration(
      new URL(PUBLIC_URL),
      { client_name: 'Bound', redirect_uris: [CALLBACK] },
      client.None(),
      {
        ...{ execute: [client.allowInsecureRequests], algorithm: 'oauth2' },
        [client.customFetch]: fetchBy(api),
      },
    );
    handle = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const { begun, code } = await journey.code(config.clientMetadata().client_id, user, tenant.workspaceId, {
      scope: 'logs.list offline_access',
    });
    const back = new URL(`${CALLBACK}?code=${code}&state=s&iss=${encodeURIComponent(PUBLIC_URL)}`);
    tokens = await client.authorizationCodeGrant(
      config,
      back,
      { pkceCodeVerifier: begun.verifier, expectedState: 's' },
      { resource: RESOURCE },
      { DPoP: handle },
    );
  });

  const listed = async (token: string, by = handle): Promise<number> =>
    (
      await client.fetchProtectedResource(config, token, new URL(URL_OF_PATH), 'GET', null, undefined, {
        DPoP: by,
      })
    ).status;

  it('are issued to a client that proves possession of a key, and authenticate its requests', async () => {
    expect(tokens.token_type).toBe('dpop');
    expect([await listed(tokens.access_token), await listed(tokens.access_token)]).toEqual([200, 200]);
    const { body } = await journey.introspect(tokens.access_token, tenant.adminKey);
    expect(body).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: await handle.calculateThumbprint() },
    });
  });

  it('are refused as bearer tokens, with another key, and without a proof', async () => {
    const sent = (headers: Readonly<Record<string, string>>): Promise<GatewayResponse> =>
      api.call('GET', PATH, { headers });
    const bearer = await sent({ authorization: `Bearer ${tokens.access_token}` });
    expect([bearer.status, bearer.headers['www-authenticate']]).toEqual([
      401,
      'DPoP error="invalid_token", algs="ES256 EdDSA RS256 PS256"',
    ]);
    expect((await sent({ 'x-gw-api-key': tokens.access_token })).status).toBe(401);
    const authorization = `DPoP ${tokens.access_token}`;
    const bare = await sent({ authorization });
    expect([bare.status, bare.headers['www-authenticate']]).toEqual([
      401,
      'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA RS256 PS256"',
    ]);
    const proof = new ProofKey().proof({ token: tokens.access_token, method: 'GET', url: URL_OF_PATH });
    expect((await sent({ authorization, dpop: proof })).status).toBe(401);
    expect((await sent({ authorization: `DPoP ${tenant.adminKey}`, dpop: proof })).status).toBe(401);
  });

  it('need a new proof for each request, even when ten arrive at the same time', async () => {
    const key = new ProofKey();
    const { access_token: token } = tokens;
    await api.dataSource.query(
      `UPDATE oauth_artifacts SET payload = jsonb_set(payload, '{jkt}', to_jsonb($1::text)) WHERE model = 'AccessToken'`,
      [key.thumbprint],
    );
    const dpop = key.proof({ token, method: 'GET', url: URL_OF_PATH });
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        api.call('GET', PATH, { headers: { authorization: `DPoP ${token}`, dpop } }),
      ),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(401)]);
    const foreign = key.proof({ token, method: 'GET', url: `${PUBLIC_URL}/v1/workspaces` });
    const moved = await api.call('GET', PATH, {
      headers: { authorization: `DPoP ${token}`, dpop: foreign },
    });
    expect(moved.status).toBe(401);
  });

  it('can be refreshed only with the same key', async () => {
    const refreshToken = tokens.refresh_token ?? '';
    const by = async (DPoP: client.DPoPHandle): Promise<client.TokenEndpointResponse> =>
      client.refreshTokenGrant(config, refreshToken, undefined, { DPoP });
    const another = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    await expect(by(another)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(client.refreshTokenGrant(config, refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const url = `${PUBLIC_URL}/oauth/token`;
    const foreign = new ProofKey();
    const many = await Promise.all(
      Array.from({ length: 12 }, () =>
        api.post('/oauth/token', {
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            dpop: foreign.proof({ token: '', method: 'POST', url }),
          },
          body: new URLSearchParams({
            ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
            client_id: config.clientMetadata().client_id,
          }).toString(),
        }),
      ),
    );
    // There are more requests than connections in the pool: none waits for a second connection
    // while it holds one.
    expect(many.map(({ status }) => status)).toEqual(Array<number>(12).fill(400));
    const fresh = await by(handle);
    expect(await listed(fresh.access_token)).toBe(200);
    const bound = await api.dataSource.manager.findBy(OauthArtifactEntity, { model: 'RefreshToken' });
    expect(bound.every(({ payload }) => 'jkt' in payload)).toBe(true);
  });

  it('are announced in the metadata, with the algorithms', async () => {
    const server = await api.get<Record<string, readonly string[]>>(
      '/.well-known/oauth-authorization-server',
    );
    expect(server.body['dpop_signing_alg_values_supported']).toContain('ES256');
    const resource = await api.get<Record<string, readonly string[]>>(
      '/.well-known/oauth-protected-resource/v1',
    );
    expect(resource.body['dpop_signing_alg_values_supported']).toEqual(['ES256', 'EdDSA', 'RS256', 'PS256']);
  });
});
