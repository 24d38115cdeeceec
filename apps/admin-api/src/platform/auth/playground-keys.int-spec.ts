import { INTERNAL, documentKey, type AccessTokenDocument, type DocumentsResponse } from '@gw/contracts';
import {
  ChangeEventEntity,
  OrganisationUserEntity,
  PlaygroundKeyEntity,
  SessionEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import {
  MASTER_KEY,
  PASSWORD,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
} from '../../spec-support/admin-api';

const PATH = '/v1/auth/playground-key';
const NEW = 'quiet lamp under seven rivers';
const MINUTE_MS = 60_000;

interface Made {
  readonly key: string;
  readonly expires_at: string;
  readonly base_url: string;
  readonly error: { readonly type: string; readonly param?: string };
}

const keyOf = (key: string): ReturnType<typeof documentKey.accessToken> =>
  documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), key) ?? '');

describe('POST /auth/playground-key', () => {
  const admin = new TestAdminApi({ PUBLIC_GATEWAY_URL: 'https://gateway.example' });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  let member: { readonly id: string; readonly email: string };
  let token: string;

  beforeEach(async () => {
    member = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    token = await admin.login(member.email);
  });

  const make = (by = token, workspaceId = ours.workspaceId): Promise<GatewayResponse<Made>> =>
    admin.post<Made>(PATH, { token: by, body: { workspace_id: workspaceId } });
  /** Returns the document of a key that gateways read. */
  const documentOf = async (key: string): Promise<AccessTokenDocument | undefined> => {
    const at = keyOf(key);
    const { body } = await admin.post<DocumentsResponse>(INTERNAL.documents, {
      ...{ token: SERVICE_TOKEN, body: { keys: [at] } },
    });
    return (body.documents[at] ?? undefined) as AccessTokenDocument | undefined;
  };
  const lastEventNames = async (key: string): Promise<boolean> => {
    const [event] = await admin.dataSource.manager.find(ChangeEventEntity, {
      ...{ order: { sequence: 'DESC' }, take: 1 },
    });
    return JSON.stringify(event).includes(keyOf(key));
  };

  it('returns a key that has the user’s own rights in the workspace for 15 minutes, with fixed metadata', async () => {
    const { status, body } = await make();
    expect([status, body.base_url]).toEqual([200, 'https://gateway.example/v1']);
    expect(body.key).toMatch(/^pat_[\w-]{43}$/);
    const life = Date.parse(body.expires_at) - Date.now();
    expect(life).toBeGreaterThan(14 * MINUTE_MS);
    expect(life).toBeLessThanOrEqual(15 * MINUTE_MS);
    expect(await lastEventNames(body.key)).toBe(true);
    const document = await documentOf(body.key);
    expect(document).toMatchObject({
      ...{ userId: member.id, organisationId: ours.organisationId, workspaceId: ours.workspaceId },
      ...{ resourcePath: '/v1', metadata: { source: 'playground' }, expiresAt: body.expires_at },
    });
    expect(document?.scopes).toContain('completions.write');
    expect(document?.scopes).not.toContain('workspaces.update');
    const again = await documentOf((await make()).body.key);
    expect(again?.grantId).toBe(document?.grantId);
    const rows = await admin.dataSource.manager.find(PlaygroundKeyEntity);
    expect(JSON.stringify(rows)).not.toContain(body.key);
  });

  it('returns a key that is no credential of the control plane and occurs in no list', async () => {
    const { key } = (await make()).body;
    expect((await admin.get('/v1/workspaces', { key })).status).toBe(401);
    expect((await admin.post(PATH, { key, body: { workspace_id: ours.workspaceId } })).status).toBe(401);
    const keys = await admin.get<{ total: number }>('/v1/api-keys', { token });
    const grants = await admin.get('/v1/auth/grants', { token });
    expect([keys.body.total, grants.text.includes('layground')]).toEqual([0, false]);
    expect((await admin.post(PATH, { key: ours.key, body: {} })).status).toBe(401);
  });

  it('hides workspaces of other organisations, and refuses a user who may not call models', async () => {
    expect((await make(token, theirs.workspaceId)).status).toBe(404);
    const sibling = await admin.workspace(ours.organisationId);
    expect((await make(token, sibling)).status).toBe(404);
    const owner = await admin.user(ours.organisationId, 'owner');
    const unnamed = await admin.post<Made>(PATH, { token: await admin.login(owner.email), body: {} });
    expect([unnamed.status, unnamed.body.error.param]).toEqual([400, 'workspace_id']);
    expect((await make(await admin.login(owner.email), sibling)).status).toBe(200);
    const alone = await admin.user(ours.organisationId, 'member');
    const refused = await admin.post<Made>(PATH, { token: await admin.login(alone.email), body: {} });
    expect(refused.status).toBe(400);
  });

  it('returns a key that ends with its session, however the session ends, and gateways are notified', async () => {
    const { manager } = admin.dataSource;
    let password = PASSWORD;
    let refreshToken = '';
    const login = async (): Promise<string> => {
      const body = { email: member.email, password };
      const opened = await admin.post<Record<string, string>>('/v1/auth/login', { body });
      refreshToken = opened.body['refresh_token'] ?? '';
      return opened.body['auth_token'] ?? '';
    };
    const ends: Record<string, (by: string) => Promise<unknown>> = {
      logout: (by) => admin.post('/v1/auth/logout', { token: by }),
      'a password that another session changes': async () => {
        const other = await login();
        const body = { current_password: PASSWORD, new_password: NEW };
        expect((await admin.post('/v1/auth/password', { token: other, body })).status).toBe(200);
        password = NEW;
      },
      'a refresh token that is used twice': async () => {
        const refresh = (): Promise<GatewayResponse> =>
          admin.post('/v1/auth/refresh', { body: { refresh_token: refreshToken } });
        expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 401]);
      },
      'a life of sessions that is shorter': async (by) => {
        const before = new Date(Date.now() - 20 * MINUTE_MS);
        await manager.update(SessionEntity, { userId: member.id }, { createdAt: before });
        const body = { session_settings: { max_session_ttl: 900 } };
        const settings = '/v1/admin/organisation/settings';
        expect((await admin.put(settings, { key: ours.adminKey, body })).status).toBe(200);
        expect((await admin.get('/v1/auth/self', { token: by })).status).toBe(401);
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const own = await login();
      const { key } = (await make(own)).body;
      expect([name, await documentOf(key)]).toEqual([name, expect.objectContaining({ userId: member.id })]);
      await end(own);
      expect([name, await documentOf(key), await lastEventNames(key)]).toEqual([name, undefined, true]);
    }
  });

  it('returns a key that ends with the user’s membership, role and account, and with the workspace', async () => {
    const { manager } = admin.dataSource;
    const seat = { organisationId: ours.organisationId, userId: member.id };
    const { key } = (await make()).body;
    const scopes = async (): Promise<readonly string[] | undefined> => (await documentOf(key))?.scopes;
    await manager.update(OrganisationUserEntity, seat, { role: 'admin' });
    expect(await scopes()).toContain('workspaces.update');
    await manager.update(OrganisationUserEntity, seat, { role: 'member' });
    expect(await scopes()).not.toContain('workspaces.update');
    await manager.update(UserEntity, { id: member.id }, { status: 'archived' });
    expect(await scopes()).toBeUndefined();
    await manager.update(UserEntity, { id: member.id }, { status: 'active' });
    await manager.update(WorkspaceEntity, { id: ours.workspaceId }, { status: 'archived' });
    expect(await scopes()).toBeUndefined();
    await manager.update(WorkspaceEntity, { id: ours.workspaceId }, { status: 'active' });
    await manager.delete(WorkspaceUserEntity, { userId: member.id });
    expect(await scopes()).toBeUndefined();
  });

  it('makes gateways read the key again when the user leaves the workspace or the organisation', async () => {
    const by = { key: ours.adminKey };
    const first = (await make()).body.key;
    const path = `/v1/admin/workspaces/${ours.workspaceId}/users/${member.id}`;
    expect((await admin.put(path, { ...by, body: { role: 'manager' } })).status).toBe(200);
    expect(await lastEventNames(first)).toBe(true);
    expect((await admin.delete(path, by)).status).toBe(200);
    expect([await documentOf(first), await lastEventNames(first)]).toEqual([undefined, true]);
    await admin.dataSource.manager.insert(WorkspaceUserEntity, {
      ...{ workspaceId: ours.workspaceId, userId: member.id, role: 'member' },
    });
    const second = (await make()).body.key;
    expect((await admin.delete(`/v1/admin/users/${member.id}`, by)).status).toBe(200);
    expect([await documentOf(second), await lastEventNames(second)]).toEqual([undefined, true]);
  });

  it('never returns a key that outlives its session, even when the session ends at the same time', async () => {
    const { manager } = admin.dataSource;
    const expiresAt = new Date(Date.now() + MINUTE_MS);
    await manager.update(SessionEntity, { userId: member.id }, { expiresAt });
    expect((await make()).body.expires_at).toBe(expiresAt.toISOString());
    const made = await Promise.all([
      ...Array.from({ length: 4 }, () => make()),
      admin.post<Made>('/v1/auth/logout', { token }),
      ...Array.from({ length: 4 }, () => make()),
    ]);
    const keys = made.flatMap(({ body }) => body.key ?? []);
    for (const key of keys) expect(await documentOf(key)).toBeUndefined();
    expect(await manager.countBy(PlaygroundKeyEntity, { userId: member.id })).toBe(0);
    expect((await make()).status).toBe(401);
  });

  it('ends the oldest key when a user creates more than 20', async () => {
    const first = (await make()).body.key;
    await Promise.all(Array.from({ length: 24 }, () => make()));
    expect(await admin.dataSource.manager.countBy(PlaygroundKeyEntity, { userId: member.id })).toBe(20);
    expect(await documentOf(first)).toBeUndefined();
  });
});
