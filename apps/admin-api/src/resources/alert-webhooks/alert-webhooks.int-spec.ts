import { AlertWebhookEntity, AuditLogEntity, webhookBinding } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { Secrets } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import type { Failure, List } from '../../spec-support/api-keys';

const URL = '/v1/alert-webhooks';
const HOOK = 'https://hooks.example.com/budgets';
const BODY = { name: 'On call', url: HOOK };

interface Created {
  readonly id: string;
  readonly secret: string;
}

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();

const create = async (body: object = BODY, key = ours.key): Promise<Created> => {
  const response = await admin.post<Created>(URL, { key, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
};

describe('/v1/alert-webhooks', () => {
  it('shows the secret once, and stores it sealed', async () => {
    const { id, secret } = await create();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { text } = await admin.get(`${URL}/${id}`, { key: ours.key });
    const listed = await admin.get(URL, { key: ours.key });
    const audits = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audits).toHaveLength(1);
    for (const shown of [text, listed.text, JSON.stringify(audits)]) {
      expect(shown).not.toContain(secret.slice('whsec_'.length));
    }
    const row = await admin.dataSource.manager.findOneByOrFail(AlertWebhookEntity, { id });
    const ring = new Secrets(MASTER_KEY, SERVICE_TOKEN).sealingKeyring;
    const opened = unseal(ring, row.sealedSecret, webhookBinding(id));
    expect(`whsec_${opened.toString('base64')}`).toBe(secret);
  });

  it('creates a new secret for a new address, and shows it once in the response', async () => {
    const { id, secret } = await create();
    const secretAfter = async (body: object): Promise<string> => {
      expect((await admin.put(`${URL}/${id}`, { key: ours.key, body })).status).toBe(200);
      const row = await admin.dataSource.manager.findOneByOrFail(AlertWebhookEntity, { id });
      const ring = new Secrets(MASTER_KEY, SERVICE_TOKEN).sealingKeyring;
      return `whsec_${unseal(ring, row.sealedSecret, webhookBinding(id)).toString('base64')}`;
    };
    expect(await secretAfter({ name: 'Night shift' })).toBe(secret);
    expect(await secretAfter({ url: HOOK })).toBe(secret);
    const body = { url: 'https://elsewhere.example.com/budgets' };
    const moved = await admin.put<Created>(`${URL}/${id}`, { key: ours.key, body });
    expect(moved.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(moved.body.secret).not.toBe(secret);
    expect(await secretAfter(body)).toBe(moved.body.secret);
    expect((await admin.get(`${URL}/${id}`, { key: ours.key })).text).not.toContain('whsec_');
  });

  it('returns saved and changed values, checks If-Match on writes, and deletes', async () => {
    const { id } = await create();
    const path = `${URL}/${id}`;
    const { headers, body } = await admin.get(path, { key: ours.key });
    expect(body).toMatchObject({ ...BODY, enabled: true, workspace_id: ours.workspaceId });
    const stale = {
      key: ours.key,
      body: { enabled: false },
      headers: { 'if-match': String(headers['etag']) },
    };
    expect((await admin.put(path, stale)).status).toBe(200);
    expect((await admin.put(path, stale)).status).toBe(412);
    expect((await admin.get(path, { key: ours.key })).body).toMatchObject({ ...BODY, enabled: false });
    expect((await admin.delete(path, { key: ours.key })).status).toBe(200);
    expect((await admin.get(path, { key: ours.key })).status).toBe(404);
  });

  it('belongs to the organisation when created with its credential, and is then hidden from workspaces', async () => {
    const { id } = await create(BODY, ours.adminKey);
    expect((await admin.get(`${URL}/${id}`, { key: ours.adminKey })).body).toMatchObject({
      workspace_id: null,
    });
    expect((await admin.get(`${URL}/${id}`, { key: ours.key })).status).toBe(404);
    const mine = await create();
    const all = await admin.get<List<Created>>(`${URL}?page_size=100`, { key: ours.adminKey });
    expect(all.body.data.map((each) => each.id)).toEqual(expect.arrayContaining([id, mine.id]));
  });

  it('is hidden from other tenants', async () => {
    const { id } = await create();
    for (const key of [theirs.key, theirs.adminKey]) {
      expect((await admin.get(`${URL}/${id}`, { key })).status).toBe(404);
      expect((await admin.put(`${URL}/${id}`, { key, body: { name: 'x' } })).status).toBe(404);
      expect((await admin.delete(`${URL}/${id}`, { key })).status).toBe(404);
    }
  });

  it('requires a key and a scope', async () => {
    expect((await admin.get(URL)).status).toBe(401);
    const { organisationId, workspaceId } = ours;
    const key = await admin.apiKey('workspace-service', { organisationId, workspaceId }, ['logs.list']);
    expect((await admin.get(URL, { key })).status).toBe(403);
    expect((await admin.post(URL, { key, body: BODY })).status).toBe(403);
  });

  it.each([
    ['name', { ...BODY, name: ' ' }],
    ['url', { name: 'x' }],
    ['url', { ...BODY, url: 'http://127.0.0.1/x' }],
    ['url', { ...BODY, url: 'http://169.254.169.254/latest' }],
    ['url', { ...BODY, url: 'ftp://hooks.example.com/' }],
    ['url', { ...BODY, url: 'https://u:p@hooks.example.com/' }],
    ['enabled', { ...BODY, enabled: 'yes' }],
    ['secret', { ...BODY, secret: 'x' }],
  ])('refuses an invalid %s and names it, also in an update', async (param, body) => {
    const created = await admin.post<Failure>(URL, { key: ours.key, body });
    expect([created.status, created.body.error.param]).toEqual([400, param]);
    if (!Object.hasOwn(body, param)) return;
    const { id } = await create();
    const change = { [param]: (body as Record<string, unknown>)[param] };
    const changed = await admin.put<Failure>(`${URL}/${id}`, { key: ours.key, body: change });
    expect([changed.status, changed.body.error.param]).toEqual([400, param]);
    await admin.delete(`${URL}/${id}`, { key: ours.key });
  });

  it('allows ten webhooks of a workspace, even when two requests compete for the last one', async () => {
    const { key } = await admin.tenant();
    const statuses = await Promise.all(
      Array.from({ length: 14 }, async () => (await admin.post(URL, { key, body: BODY })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });
});
