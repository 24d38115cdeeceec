import {
  OrganisationDomainEntity,
  OrganisationUserEntity,
  SsoConnectionEntity,
  SsoLinkEntity,
  TrustEntity,
  UserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { rsaKeyPair, signedToken, TOKEN_AUDIENCE } from '@gw/testing';
import { issuerDigest } from '@gw/trusts';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

interface Self {
  readonly id: string;
  readonly auth_type: string;
  readonly scopes: readonly string[];
  readonly organisations: readonly { readonly id: string }[];
  readonly workspaces: readonly { readonly id: string }[];
  readonly error: { readonly type: string; readonly param?: string };
}

describe('signed tokens that act for users on the control plane', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const key = rsaKeyPair('k1');
  const issuer = 'https://idp.example.org';
  const email = 'ann@example.org';
  let userId: string;
  let trustId: string;

  const trust = (more: object = {}, adminKey = tenant.adminKey): Promise<GatewayResponse<Self>> =>
    api.post<Self>('/v1/trusts', {
      key: adminKey,
      body: {
        ...{ name: uuidv7(), kind: 'jwt', issuer, jwks: { keys: [key.jwk] }, audiences: [TOKEN_AUDIENCE] },
        maps: [{ scopes: ['completions.write', 'logs.list'], workspace: tenant.workspaceId }],
        ...{ link_users: true, ...more },
      },
    });
  beforeAll(async () => {
    const { organisationId, workspaceId } = tenant;
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId, domain: 'example.org', token: 'x', verifiedAt: new Date() },
    });
    ({ id: userId } = await api.user(organisationId, 'member', { [workspaceId]: 'member' }));
    await api.dataSource.manager.update(UserEntity, { id: userId }, { email });
    const made = await trust();
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    trustId = made.body.id;
  });

  const token = (more: object = {}): string =>
    signedToken(key, {
      ...{ iss: issuer, aud: TOKEN_AUDIENCE, sub: 'u1', email },
      exp: Math.floor(Date.now() / 1_000) + 300,
      ...more,
    });
  const self = (by = token()): Promise<GatewayResponse<Self>> =>
    api.get<Self>('/v1/auth/self', { token: by });
  const statusOf = async (more: object): Promise<number> => (await self(token(more))).status;

  it('[CTL-14] oauth-189: show their user where an API key is refused', async () => {
    const { status, body } = await self();
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ id: userId, auth_type: 'jwt', scopes: ['completions.write', 'logs.list'] }),
    ]);
    expect(body.workspaces.map(({ id }) => id)).toEqual([tenant.workspaceId]);
    expect((await api.get('/v1/auth/self', { key: tenant.adminKey })).status).toBe(401);
  });

  it("may do what the map and the user's rights allow, in the workspace of the map", async () => {
    const by = { token: token() };
    expect((await api.get('/v1/logs', by)).status).toBe(200);
    expect((await api.get('/v1/configs', by)).status).toBe(403);
    expect((await api.get('/v1/auth/permissions', by)).status).toBe(401);
    expect((await api.post('/v1/auth/logout', by)).status).toBe(401);
    const other = await api.tenant();
    expect((await api.get(`/v1/logs?workspace_id=${other.workspaceId}`, by)).status).toBe(404);
    const named = await self(token({ scope: 'completions.write' }));
    expect(named.body.scopes).toEqual(['completions.write']);
  });

  it('identify an active member by an address of a verified domain, and never an owner', async () => {
    const { organisationId, workspaceId } = tenant;
    const { manager } = api.dataSource;
    const owner = await api.user(organisationId, 'owner');
    await manager.update(UserEntity, { id: owner.id }, { email: 'owner@example.org' });
    const stranger = await api.user((await api.tenant()).organisationId, 'member');
    await manager.update(UserEntity, { id: stranger.id }, { email: 'eve@example.org' });
    const outside = await api.user(organisationId, 'member');
    await manager.update(UserEntity, { id: outside.id }, { email: 'out@example.org' });
    const elsewhere = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    await manager.update(UserEntity, { id: elsewhere.id }, { email: 'ann@elsewhere.example' });
    const seen = [
      await statusOf({ email: 'owner@example.org' }),
      await statusOf({ email: 'eve@example.org' }),
      await statusOf({ email: 'out@example.org' }),
      await statusOf({ email: 'ann@elsewhere.example' }),
      await statusOf({ email: 'nobody@example.org' }),
      await statusOf({ email_verified: false }),
      await statusOf({ email: 'ann\u0000@example.org' }),
      await statusOf({ email: undefined }),
      await statusOf({ aud: 'other' }),
      await statusOf({ iss: 'https://evil.example' }),
      await statusOf({ exp: 1 }),
    ];
    expect(seen).toEqual(seen.map(() => 401));
    expect(await statusOf({ email: 'Ann@Example.org' })).toBe(200);
    await manager.update(OrganisationUserEntity, { userId }, { status: 'archived' });
    expect(await statusOf({})).toBe(401);
    await manager.update(OrganisationUserEntity, { userId }, { status: 'active' });
    expect(await statusOf({})).toBe(200);
  });

  it('are refused without link_users, and end with the trust', async () => {
    const path = `/v1/trusts/${trustId}`;
    const put = (body: object): Promise<GatewayResponse<Self>> =>
      api.put<Self>(path, { key: tenant.adminKey, body });
    expect((await put({ link_users: false })).status).toBe(200);
    expect(await statusOf({})).toBe(401);
    expect((await put({ link_users: true })).status).toBe(200);
    expect(await statusOf({})).toBe(200);
    expect((await put({ status: 'disabled' })).status).toBe(200);
    expect(await statusOf({})).toBe(401);
    expect((await put({ status: 'active' })).status).toBe(200);
  });

  it('are found among any number of trusts that other organisations have in the issuer', async () => {
    const { organisationId } = await api.tenant();
    const others = Array.from({ length: 200 }, () => ({
      ...{ id: uuidv7(), organisationId, name: uuidv7(), kind: 'jwt' as const, issuer, maxTtl: 300 },
      ...{ issuerDigest: issuerDigest(issuer), audiences: [organisationId], linkUsers: true },
      createdAt: new Date(0),
    }));
    await api.dataSource.manager.insert(TrustEntity, others);
    const seen = [
      await statusOf({}),
      await statusOf({ aud: ['other\u0000', TOKEN_AUDIENCE, 1] }),
      await statusOf({ aud: [] }),
    ];
    await api.dataSource.manager.delete(TrustEntity, { organisationId });
    expect(seen).toEqual([200, 200, 401]);
  });

  it('never act for a user whom a login at the issuer has linked to another subject', async () => {
    const { organisationId } = tenant;
    const { manager } = api.dataSource;
    const connectionId = uuidv7();
    await manager.insert(SsoConnectionEntity, {
      ...{
        id: connectionId,
        organisationId,
        name: 'idp',
        issuer,
        clientId: 'x',
        tokenEndpointAuthMethod: 'none',
      },
    });
    const link = { connectionId, subject: 'linked', userId, lastLoginAt: new Date() };
    await manager.insert(SsoLinkEntity, link);
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ sub: 'linked', email: 'x@example.org' })).toBe(200);
    await manager.update(SsoConnectionEntity, { id: connectionId }, { status: 'disabled' });
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ sub: 'linked' })).toBe(200);
    await manager.delete(SsoConnectionEntity, { id: connectionId });
    expect(await statusOf({ email_verified: 'false' })).toBe(401);
    expect(await statusOf({ email_id: email, email: 'x@example.org' })).toBe(401);
  });

  it('act only in active workspaces, and show no other organisation', async () => {
    const { organisationId, workspaceId } = tenant;
    const { manager } = api.dataSource;
    const other = await api.tenant();
    await manager.insert(OrganisationUserEntity, {
      ...{ organisationId: other.organisationId, userId, role: 'member' },
    });
    const { body } = await self();
    expect(body.organisations.map(({ id }) => id)).toEqual([organisationId]);
    await manager.update(WorkspaceEntity, { id: workspaceId }, { status: 'archived' });
    expect(await statusOf({})).toBe(401);
    await manager.update(WorkspaceEntity, { id: workspaceId }, { status: 'active' });
  });

  it('are refused with the DPoP scheme', async () => {
    const headers = { authorization: `DPoP ${token()}` };
    expect((await api.get('/v1/auth/self', { headers })).status).toBe(401);
  });

  it('can be allowed only by callers with the rights of an administrator, and only with the kind jwt', async () => {
    const { body } = await api.post<{ key: string }>('/v1/api-keys/organisation/service', {
      key: tenant.adminKey,
      body: {
        name: 'weak',
        scopes: ['organisation_settings.update', 'organisation_settings.read', 'logs.list'],
      },
    });
    const maps = [{ scopes: ['logs.list'], workspace: tenant.workspaceId }];
    expect((await trust({ maps, link_users: false }, body.key)).status).toBe(200);
    const weak = await trust({ maps }, body.key);
    expect([weak.status, weak.body.error.param]).toEqual([403, 'link_users']);
    const workload = await trust({ kind: 'workload' });
    expect([workload.status, workload.body.error.param]).toEqual([400, 'link_users']);
    const once = await trust({ require_jti_once: true });
    expect([once.status, once.body.error.param]).toEqual([400, 'link_users']);
    const all = [];
    for (let made = 0; made < 20; made += 1) all.push((await trust({ audiences: [uuidv7()] })).status);
    expect(new Set(all)).toEqual(new Set([200, 400]));
  });
});
