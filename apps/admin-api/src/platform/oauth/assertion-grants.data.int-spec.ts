import {
  AuditLogEntity,
  OauthConsentEntity,
  OrganisationDomainEntity,
  OrganisationUserEntity,
  SsoConnectionEntity,
  SsoLinkEntity,
  UserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { ASSERTION_GRANT } from '@gw/oauth';
import { readCases, rsaKeyPair, signedToken } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { formOf, OauthJourney, PUBLIC_URL, RESOURCE, type TokenBody } from './spec-support/oauth-journey';

interface Vector {
  readonly id: string;
  readonly reason: string;
  readonly expect: string;
  readonly trust: { readonly kind: string; readonly issuer: string };
  readonly token: Readonly<Record<string, unknown>>;
  readonly typ: string;
}

interface Client {
  readonly id: string;
  readonly client_secret: string;
}

const ISSUER = 'https://idp.example.org';
const EMAIL = 'user@example.org';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const KEY = rsaKeyPair('k1');
const TYP = 'oauth-id-jag+jwt';
const { cases } = readCases('workload.json') as { readonly cases: readonly Vector[] };

describe('assertions of identity providers (ID-JAG)', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let client: Client;
  let userId: string;

  const trustFields = { kind: 'id_jag', issuer: ISSUER, audiences: [PUBLIC_URL], jwks: { keys: [KEY.jwk] } };
  const trust = (more: object = {}, key = tenant.adminKey): Promise<GatewayResponse<Faulty>> =>
    api.post<Faulty>('/v1/trusts', { key, body: { name: uuidv7(), ...trustFields, ...more } });
  const registered = async (more: object = {}): Promise<Client> => {
    const body = {
      ...{ name: 'Assistant', redirect_uris: ['https://assistant.example.org/cb'] },
      ...{ token_endpoint_auth_method: 'client_secret_post', grant_types: [ASSERTION_GRANT] },
      ...more,
    };
    const made = await api.post<Client>('/v1/admin/organisation/oauth-clients', {
      key: tenant.adminKey,
      body,
    });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    return made.body;
  };

  beforeAll(async () => {
    const { manager } = api.dataSource;
    const { organisationId, workspaceId } = tenant;
    await manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId, domain: 'example.org', token: 'x', verifiedAt: new Date() },
    });
    ({ id: userId } = await api.user(organisationId, 'member', { [workspaceId]: 'member' }));
    await manager.update(UserEntity, { id: userId }, { email: EMAIL });
    expect((await trust()).status).toBe(200);
    client = await registered();
  });

  const now = (): number => Math.floor(Date.now() / 1_000);
  const claims = (more: object = {}): object => ({
    ...{ iss: ISSUER, sub: 'u1', aud: PUBLIC_URL, client_id: client.id, jti: uuidv7() },
    ...{ iat: now(), exp: now() + 300, resource: RESOURCE, scope: 'mcp.invoke' },
    ...{ email: EMAIL, email_verified: true },
    ...more,
  });
  const signed = (content: object, typ = TYP, key = KEY): string =>
    signedToken(key, content, { alg: 'RS256', kid: 'k1', typ });
  const exchange = (
    assertion: string,
    more: Readonly<Record<string, string>> = {},
    by = client,
  ): Promise<GatewayResponse<TokenBody & { readonly error?: string }>> =>
    api.post('/oauth/token', {
      headers: FORM,
      body: formOf({
        ...{ grant_type: ASSERTION_GRANT, assertion, client_id: by.id, client_secret: by.client_secret },
        ...more,
      }),
    });
  const refusals = async (): Promise<string[]> => {
    const { organisationId } = tenant;
    const rows = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId, action: 'approve', errorType: 'invalid_grant' },
      order: { sequence: 'ASC' },
    });
    return rows.map(({ after }) => String((after as { reason: string }).reason));
  };

  const used = uuidv7();
  const placeholders: Readonly<Record<string, () => unknown>> = {
    '<OUR ISSUER>': () => PUBLIC_URL,
    '<OUR TOKEN ENDPOINT>': () => `${PUBLIC_URL}/oauth/token`,
    '<CLIENT>': () => client.id,
    '<NEW>': () => uuidv7(),
    '<USED>': () => used,
    '<GATEWAY>/ws1/srv/mcp': () => RESOURCE,
  };
  const contentOf = ({ token }: Vector): object =>
    Object.fromEntries(
      Object.entries(token).map(([name, value]) => {
        const time = /^now([+-]\d+)?$/.exec(String(value));
        if (time !== null) return [name, now() + Number(time[1] ?? 0)];
        return [name, placeholders[String(value)]?.() ?? value];
      }),
    );

  it.each(
    cases.filter(({ trust: { kind } }) => kind === 'id_jag').map((each) => [each.id, each.reason, each]),
  )('%s: %s', async (id, _, vector) => {
    if (id === 'wl-077') expect((await exchange(signed(claims({ jti: used })))).status).toBe(200);
    const sent = signed(contentOf(vector), vector.typ);
    const before = (await refusals()).length;
    const { status, body } = await exchange(sent);
    if (vector.expect.startsWith('invalid_grant')) {
      expect([status, body]).toEqual([
        400,
        { error: 'invalid_grant', error_description: 'grant request is invalid' },
      ]);
      expect((await refusals()).length).toBe(before + 1);
    } else expect([status, body.scope]).toEqual([200, 'mcp.invoke completions.write']);
  });

  it('give a token of the user without a refresh token, with scopes that the user holds', async () => {
    const { status, body } = await exchange(
      signed(claims({ scope: 'mcp.invoke workspaces.delete nothing' })),
    );
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^pat_[\w-]{43}$/),
        ...{ token_type: 'Bearer', expires_in: 3_600, scope: 'mcp.invoke' },
      },
    ]);
    const { body: introspected } = await journey.introspect(body.access_token, tenant.adminKey);
    expect(introspected).toMatchObject({
      ...{ active: true, client_id: client.id, sub: userId, scope: 'mcp.invoke', aud: RESOURCE },
      ...{ organisation_id: tenant.organisationId, workspace_id: tenant.workspaceId },
    });
    const { body: again } = await exchange(signed(claims()));
    const grants = await api.dataSource.manager.findBy(OauthConsentEntity, {
      ...{ userId, clientId: client.id },
    });
    // One grant is from the vector with more scopes, and one from this client's first assertion.
    expect(grants.length).toBeLessThanOrEqual(2);
    expect(again.access_token).not.toBe(body.access_token);
    const narrow = await exchange(signed(claims({ scope: 'mcp.invoke completions.write' })), {
      scope: 'completions.write virtual_keys.read',
    });
    expect(narrow.body.scope).toBe('completions.write');
  });

  it('are refused when the user holds none of the scopes, with and without an earlier grant', async () => {
    const own = await registered();
    const exchanged = (more: object): ReturnType<typeof exchange> =>
      exchange(signed(claims({ client_id: own.id, ...more })), {}, own);
    const refused = async (): Promise<unknown> => {
      const { status, body } = await exchanged({ scope: 'workspaces.delete' });
      return [status, body.error, (await refusals()).at(-1)];
    };
    const expected = [400, 'invalid_grant', 'The user holds none of the scopes.'];
    expect(await refused()).toEqual(expected);
    expect((await exchanged({})).status).toBe(200);
    expect(await refused()).toEqual(expected);
  });

  it('end with the grant, and with the user', async () => {
    const { body } = await exchange(signed(claims()));
    const active = async (): Promise<unknown> =>
      (await journey.introspect(body.access_token, tenant.adminKey)).body['active'];
    expect(await active()).toBe(true);
    const { manager } = api.dataSource;
    await manager.update(OrganisationUserEntity, { userId }, { status: 'inactive' as 'active' });
    expect(await active()).toBe(false);
    expect((await exchange(signed(claims()))).status).toBe(400);
    expect((await refusals()).at(-1)).toBe('The user is not active in the organisation.');
    await manager.update(OrganisationUserEntity, { userId }, { status: 'active' });
  });

  it('work once, even when ten arrive at the same time, and share one grant', async () => {
    const assertion = signed(claims());
    const all = await Promise.all(Array.from({ length: 10 }, () => exchange(assertion)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
  });

  it('hold no connection while their refusal is recorded, and use up no proof of a key', async () => {
    const before = (await refusals()).length;
    const all = await Promise.all(
      Array.from({ length: 12 }, () => exchange(signed(claims({ sub: 'x', email: 'nobody@example.org' })))),
    );
    expect(all.map(({ status }) => status)).toEqual(Array<number>(12).fill(400));
    expect((await refusals()).length).toBe(before + 12);
    const proven = await api.post<{ error: string }>('/oauth/token', {
      headers: { ...FORM, dpop: 'x' },
      body: formOf({
        ...{ grant_type: ASSERTION_GRANT, assertion: signed(claims()) },
        ...{ client_id: client.id, client_secret: client.client_secret },
      }),
    });
    expect([proven.status, proven.body.error]).toEqual([400, 'invalid_request']);
  });

  it('identify the user by the subject of a login first, and never an owner', async () => {
    const { organisationId, workspaceId } = tenant;
    const { manager } = api.dataSource;
    const [linked, owner] = [
      await api.user(organisationId, 'member', { [workspaceId]: 'manager' }),
      await api.user(organisationId, 'owner'),
    ];
    const connectionId = uuidv7();
    await manager.insert(SsoConnectionEntity, {
      ...{ id: connectionId, organisationId, name: 'idp', issuer: ISSUER, clientId: 'x' },
      tokenEndpointAuthMethod: 'none',
    });
    for (const [subject, { id }] of [['linked', linked] as const, ['owner', owner] as const])
      await manager.insert(SsoLinkEntity, { connectionId, subject, userId: id, lastLoginAt: new Date() });
    const { body } = await exchange(signed(claims({ sub: 'linked' })));
    expect((await journey.introspect(body.access_token, tenant.adminKey)).body['sub']).toBe(linked.id);
    expect((await exchange(signed(claims({ sub: 'owner' })))).status).toBe(400);
    expect((await refusals()).at(-1)).toBe('The user is not known in the organisation, or is an owner.');
    await manager.update(SsoConnectionEntity, { id: connectionId }, { status: 'disabled' });
    expect((await exchange(signed(claims({ sub: 'linked', email: 'x@other.example' })))).status).toBe(400);
  });

  it('must name a workspace when the user has several', async () => {
    const { organisationId, workspaceId } = tenant;
    const other = await api.tenant();
    const admin = await api.user(organisationId, 'admin');
    await api.dataSource.manager.update(UserEntity, { id: admin.id }, { email: 'admin@example.org' });
    const workspaceOf = async (more: object): Promise<unknown> => {
      const { status, body } = await exchange(signed(claims({ email: 'admin@example.org', ...more })));
      if (status !== 200) return status;
      return (await journey.introspect(body.access_token, tenant.adminKey)).body['workspace_id'];
    };
    expect(await workspaceOf({})).toBeNull();
    expect(await workspaceOf({ gw_workspace: workspaceId })).toBe(workspaceId);
    expect(await workspaceOf({ gw_workspace: other.workspaceId })).toBe(400);
    expect(await workspaceOf({ gw_workspace: 'a\u0000b' })).toBe(400);
    expect(await workspaceOf({ email: 'a\u0000@example.org' })).toBe(400);
  });

  it("are only for confidential clients that an administrator of the trust's organisation registered", async () => {
    const without = await registered({ grant_types: ['authorization_code'] });
    const plain = await exchange(signed(claims({ client_id: without.id })), {}, without);
    expect([plain.status, plain.body.error]).toEqual([400, 'invalid_request']);
    const body = { name: 'x', redirect_uris: ['https://a.example.org/cb'], grant_types: [ASSERTION_GRANT] };
    const open = await api.post<Faulty>('/v1/admin/organisation/oauth-clients', {
      key: tenant.adminKey,
      body,
    });
    expect([open.status, open.body.error.param]).toEqual([400, 'grant_types']);
    const other = await api.tenant();
    const made = await api.post<Client>('/v1/admin/organisation/oauth-clients', {
      key: other.adminKey,
      body: { ...body, token_endpoint_auth_method: 'client_secret_post' },
    });
    const foreign = await exchange(signed(claims({ client_id: made.body.id })), {}, made.body);
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant']);
    expect((await exchange(signed(claims(), TYP, rsaKeyPair('k1')))).status).toBe(400);
    const wrong = { ...client, client_secret: 'gws_other' };
    expect((await exchange(signed(claims()), {}, wrong)).status).toBe(401);
    const metadata = await api.get<Record<string, readonly string[]>>(
      '/.well-known/oauth-authorization-server',
    );
    expect(metadata.body['grant_types_supported']).toContain(ASSERTION_GRANT);
    expect(metadata.body['authorization_grant_profiles_supported']).toEqual([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ]);
  });

  it("can be trusted only by callers with the rights of an administrator, for minutes and for Tollgate's issuer only", async () => {
    const faulty = async (more: object): Promise<unknown> => (await trust(more)).body.error.param;
    expect(await faulty({ max_ttl: 301 })).toBe('max_ttl');
    expect(await faulty({ audiences: ['https://other.example'] })).toBe('audiences');
    expect(await faulty({ maps: [{ scopes: ['completions.write'] }] })).toBe('maps');
    expect(await faulty({ kind: 'jwt', audiences: ['x'] })).toBe('maps');
    expect(await faulty({ issuer: 'https://accounts.google.com' })).toBe('conditions');
    const made = await trust();
    const path = `/v1/trusts/${made.body.id}`;
    const changed = await api.put<Faulty>(path, { key: tenant.adminKey, body: { kind: 'jwt' } });
    expect([changed.status, changed.body.error.param]).toEqual([400, 'kind']);
    const keyOf = async (scopes: readonly string[]): Promise<string> => {
      const { body } = await api.post<{ key: string }>('/v1/api-keys/organisation/service', {
        key: tenant.adminKey,
        body: { name: uuidv7(), scopes },
      });
      return body.key;
    };
    const weak = await keyOf(['organisation_settings.update', 'organisation_settings.read']);
    expect((await trust({}, weak)).status).toBe(403);
    expect((await api.put(path, { key: weak, body: { max_ttl: 60 } })).status).toBe(403);
    expect((await api.put(path, { key: weak, body: { status: 'disabled' } })).status).toBe(200);
  });

  it('can be tested', async () => {
    const { body: made } = await trust();
    const tried = async (token: string): Promise<unknown> => {
      const { body } = await api.post<{ accepted: boolean; steps: readonly { outcome: string }[] }>(
        `/v1/trusts/${made.id}/test`,
        { key: tenant.adminKey, body: { token } },
      );
      return [body.accepted, body.steps.filter(({ outcome }) => outcome === 'passed').length];
    };
    expect(await tried(signed(claims()))).toEqual([true, 8]);
    expect(await tried(signed(claims(), 'JWT'))).toEqual([false, 0]);
  });
});

interface Faulty {
  readonly id: string;
  readonly error: { readonly param: string };
}
