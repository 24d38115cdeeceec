import { claimMail, UserInviteEntity } from '@gw/entities';
import { sealingKeyring } from '@gw/kernel';
import { MASTER_KEY, PASSWORD, TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { UNKNOWN_ID, type Failure, type List } from '../../spec-support/api-keys';

interface Invite {
  readonly id: string;
  readonly invite_link: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

describe('invites', () => {
  const admin = new TestAdminApi({ CONSOLE_URL: 'https://console.example.com/app/', INVITE_DAYS: '3' });
  const theirs = admin.sharedTenant();
  let ours: Tenant;
  let count = 0;
  beforeEach(async () => {
    ours = await admin.tenant();
  });

  const URL = '/v1/admin/users/invites';
  const address = (): string => `Person.${String((count += 1))}@Example.com`;
  const invite = (body: object = {}): Promise<{ status: number; body: Invite & Failure }> =>
    admin.post<Invite & Failure>(URL, {
      key: ours.adminKey,
      body: { email: address(), role: 'member', workspaces: [], ...body },
    });
  const tokenOf = (link: string): string => link.split('/').at(-1) ?? '';
  const accept = (
    link: string,
    more: object = {},
  ): Promise<{ status: number; body: Record<string, unknown> & Failure }> =>
    admin.post('/v1/invites/accept', { body: { token: tokenOf(link), password: PASSWORD, ...more } });
  const shown = async (id: string): Promise<Invite> =>
    (await admin.get<Invite>(`${URL}/${id}`, { key: ours.adminKey })).body;

  it('return a link that adds a user with the roles of the invite, once', async () => {
    const email = address();
    const { status, body } = await invite({
      email,
      workspaces: [{ id: ours.workspaceId, role: 'manager' }],
    });
    expect(status).toBe(200);
    expect(body.invite_link).toMatch(/^https:\/\/console\.example\.com\/app\/invite\/[A-Za-z0-9]{48}$/);
    const days = (Date.parse(String((await shown(body.id))['expires_at'])) - Date.now()) / 86_400_000;
    expect([days > 2.9, days <= 3]).toEqual([true, true]);

    const first = await accept(body.invite_link, { first_name: 'Ada' });
    expect([first.status, first.body['email']]).toEqual([200, email.toLowerCase()]);
    const token = await admin.login(email.toLowerCase());
    const { body: self } = await admin.get('/v1/auth/self', { token });
    expect(self).toMatchObject({
      first_name: 'Ada',
      organisation: { id: ours.organisationId, role: 'member' },
      workspaces: [{ id: ours.workspaceId, role: 'manager' }],
    });
    expect(await shown(body.id)).toMatchObject({ status: 'accepted' });
    expect((await accept(body.invite_link)).status).toBe(404);
  });

  it('are accepted once when two requests race', async () => {
    const { body } = await invite();
    const responses = await Promise.all([accept(body.invite_link), accept(body.invite_link)]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('store only a hash of the token', async () => {
    const { body } = await invite();
    const rows = await admin.dataSource.query<unknown[]>('SELECT * FROM user_invites');
    const audits = await admin.dataSource.query<unknown[]>('SELECT * FROM audit_logs');
    expect(JSON.stringify([rows, audits])).not.toContain(tokenOf(body.invite_link));
  });

  it('return 404 for the link of a cancelled, resent or expired invite', async () => {
    const { body: cancelled } = await invite();
    const call = { key: ours.adminKey };
    expect((await admin.delete(`${URL}/${cancelled.id}`, call)).status).toBe(200);
    expect((await accept(cancelled.invite_link)).status).toBe(404);
    expect((await admin.delete(`${URL}/${cancelled.id}`, call)).status).toBe(409);
    expect((await admin.post(`${URL}/${cancelled.id}/resend`, call)).status).toBe(409);

    const { body: sent } = await invite();
    const again = await admin.post<{ inviteLink: string }>(`${URL}/${sent.id}/resend`, call);
    expect((await accept(sent.invite_link)).status).toBe(404);
    expect((await accept(again.body.inviteLink)).status).toBe(200);

    const { body: over } = await invite();
    await admin.dataSource.manager.update(UserInviteEntity, { id: over.id }, { expiresAt: new Date(0) });
    expect((await accept(over.invite_link)).status).toBe(404);
    expect((await shown(over.id)).status).toBe('expired');
    const renewed = await admin.post<{ inviteLink: string }>(`${URL}/${over.id}/resend`, call);
    expect((await accept(renewed.body.inviteLink)).status).toBe(200);
  });

  it('return 409 for an address that has a pending invite, in any letter case, or is a member', async () => {
    const email = address();
    const { body } = await invite({ email });
    const second = await invite({ email: email.toUpperCase() });
    expect([second.status, second.body.error.type]).toEqual([409, 'conflict']);
    // An expired invite does not block a new one.
    await admin.dataSource.manager.update(UserInviteEntity, { id: body.id }, { expiresAt: new Date(0) });
    const third = await invite({ email });
    expect(third.status).toBe(200);
    await accept(third.body.invite_link);
    expect((await invite({ email })).status).toBe(409);
  });

  it('require the existing password of a user with a proven address, and never change it', async () => {
    const { email } = await admin.user(theirs.organisationId, 'owner');
    const { body } = await invite({ email });
    const wrong = await accept(body.invite_link, { password: 'another password' });
    expect([wrong.status, wrong.body.error.type]).toEqual([401, 'unauthenticated']);
    expect((await accept(body.invite_link)).status).toBe(200);
    const login = await admin.post('/v1/auth/login', { body: { email, password: 'another password' } });
    expect(login.status).toBe(401);
  });

  it('add a removed user to the organisation again', async () => {
    const email = address();
    const { body } = await invite({ email });
    const { body: user } = await accept(body.invite_link);
    await admin.delete(`/v1/users/${String(user['id'])}`, { key: ours.adminKey });
    const again = await invite({ email, role: 'admin' });
    expect((await accept(again.body.invite_link)).status).toBe(200);
    const back = await admin.get(`/v1/users/${String(user['id'])}`, { key: ours.adminKey });
    expect(back.body['role']).toBe('admin');
  });

  it('create a user key in each workspace with the requested scopes that the role allows', async () => {
    const { body } = await invite({
      workspaces: [{ id: ours.workspaceId, role: 'member' }],
      workspace_api_key_details: {
        name: 'first key',
        scopes: ['logs.list', 'configs.read', 'configs.delete'],
        defaults: { metadata: { team: 'search' } },
      },
    });
    const { body: user } = await accept(body.invite_link);
    const { body: keys } = await admin.get<List>('/v1/api-keys', { key: ours.adminKey });
    const own = keys.data.filter((key) => key['user_id'] === user['id']);
    expect(own).toMatchObject([
      {
        name: 'first key',
        type: 'workspace-user',
        creation_mode: 'auto',
        scopes: ['logs.list', 'configs.read'],
        defaults: { metadata: { team: 'search' } },
      },
    ]);
  });

  it.each([
    ['no address', { email: 'nobody' }, 'email'],
    ['the role of an owner', { role: 'owner' }, 'role'],
    ['an unknown workspace', { workspaces: [{ id: UNKNOWN_ID, role: 'member' }] }, 'workspaces.0.id'],
    [
      'a scope of service keys',
      { workspace_api_key_details: { scopes: ['organisation_users.list'] } },
      'scopes.0',
    ],
  ])('return 400 for %s', async (_case, body, param) => {
    const response = await invite(body);
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });

  it("are listed for the caller's organisation only, by status, role and address", async () => {
    const email = address();
    const { body: pending } = await invite({ email, role: 'admin' });
    const { body: cancelled } = await invite();
    await admin.delete(`${URL}/${cancelled.id}`, { key: ours.adminKey });
    const ids = async (query: string, key = ours.adminKey): Promise<string[]> =>
      (await admin.get<List>(`${URL}?${query}`, { key })).body.data.map(({ id }) => id);
    expect(await ids('')).toEqual([cancelled.id, pending.id]);
    expect(await ids('status=pending')).toEqual([pending.id]);
    expect(await ids('status=cancelled')).toEqual([cancelled.id]);
    const { body: overdue } = await invite();
    const past = { expiresAt: new Date(0) };
    await admin.dataSource.manager.update(UserInviteEntity, { id: overdue.id }, past);
    expect(await ids('status=pending')).toEqual([pending.id]);
    expect(await ids('status=expired&role=member')).toEqual([overdue.id]);
    await admin.dataSource.manager.update(UserInviteEntity, { id: overdue.id }, { status: 'expired' });
    expect(await ids('status=expired')).toEqual([overdue.id]);
    await admin.dataSource.manager.delete(UserInviteEntity, { id: overdue.id });
    expect(await ids('role=admin')).toEqual([pending.id]);
    expect(await ids(`email=${email.toLowerCase()}`)).toEqual([pending.id]);
    expect(await ids('pageSize=1&currentPage=1')).toEqual([pending.id]);
    expect(await ids('', theirs.adminKey)).not.toContain(pending.id);
    for (const [method, path] of [
      ['GET', `${URL}/${pending.id}`],
      ['DELETE', `${URL}/${pending.id}`],
      ['POST', `${URL}/${pending.id}/resend`],
    ] as const) {
      expect((await admin.call(method, path, { key: theirs.adminKey })).status).toBe(404);
      expect((await admin.call(method, path, { key: ours.key })).status).toBe(403);
    }
  });
});

describe('invites with mail', () => {
  const admin = new TestAdminApi({ SMTP_HOST: 'mail.example.com' });
  const ours = admin.sharedTenant();
  const URL = '/v1/admin/users/invites';
  const call = {
    get key() {
      return ours.adminKey;
    },
  };
  const nextMail = () => claimMail(admin.dataSource.manager, sealingKeyring(MASTER_KEY));
  const invite = async (email: string): Promise<Invite> =>
    (await admin.post<Invite>(URL, { ...call, body: { email, role: 'member', workspaces: [] } })).body;

  it('mail the link, show it in no response, and store the mail encrypted until the worker sends it', async () => {
    const { id, invite_link } = await invite('Ada@Example.com');
    // The inviter could use the link to set the password of the invited user.
    expect(invite_link).toBeNull();
    const rows: unknown = await admin.dataSource.query('SELECT * FROM mails');
    const mail = await nextMail();
    expect(mail).toMatchObject({
      organisationId: ours.organisationId,
      topic: `invite/${id}`,
      recipient: 'ada@example.com',
      message: { subject: 'Invitation to Acme' },
    });
    const url = mail?.message.action?.url ?? '';
    expect(url).toMatch(/\/invite\/[A-Za-z0-9]{48}$/);
    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1));
  });

  it('replace an unsent mail on a resend, and delete it with a cancelled invite', async () => {
    const { id } = await invite('bob@example.com');
    const waiting = (): Promise<{ id: string }[]> =>
      admin.dataSource.query(`SELECT id FROM mails WHERE recipient = 'bob@example.com'`);
    const first = await waiting();
    const { body } = await admin.post<{ inviteLink: null }>(`${URL}/${id}/resend`, call);
    expect(body.inviteLink).toBeNull();
    const second = await waiting();
    expect([first.length, second.length, first[0]?.id === second[0]?.id]).toEqual([1, 1, false]);
    expect(await nextMail()).toMatchObject({ recipient: 'bob@example.com' });
    const { id: cancelled } = await invite('eve@example.com');
    await admin.delete(`${URL}/${cancelled}`, call);
    expect(await nextMail()).toBeNull();
  });

  it('queue no mail when the write fails', async () => {
    await invite('dan@example.com');
    await nextMail();
    const again = await admin.post(URL, {
      ...call,
      body: { email: 'dan@example.com', role: 'member', workspaces: [] },
    });
    expect([again.status, await nextMail()]).toEqual([409, null]);
  });
});
