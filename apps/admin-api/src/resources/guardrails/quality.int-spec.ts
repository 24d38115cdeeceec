import { randomUUID } from 'node:crypto';
import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { AuditLogEntity } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';
import { addCounts, dayOf, ensureLogPartitions, insertVerdicts, type GuardrailVerdict } from '@gw/log-store';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Verdict {
  readonly log_id: string;
  readonly check: string;
  readonly verdict: string;
  readonly mark: string | null;
}

interface Numbers {
  readonly runs: number;
  readonly failed: number;
  readonly precision: { readonly estimate: number; readonly low: number; readonly high: number } | null;
  readonly precision_at_most: number | null;
}

interface Quality {
  readonly total: Numbers;
  readonly checks: readonly (Numbers & { readonly check: string })[];
}

const api = new TestAdminApi();
const BODY = { name: 'A', checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] };
const NOW = new Date();

beforeAll(async () => {
  await ensureLogPartitions(api.dataSource, [dayOf(NOW), dayOf(new Date(NOW.getTime() - DAY_MS))]);
});

async function guardrail(key: string, more: object = {}): Promise<string> {
  return (await api.post<{ slug: string }>('/v1/guardrails', { key, body: { ...BODY, ...more } })).body.slug;
}

async function judged(
  { organisationId, workspaceId }: Pick<Tenant, 'organisationId' | 'workspaceId'>,
  name: string,
  over: Partial<GuardrailVerdict> = {},
): Promise<string> {
  const row: GuardrailVerdict = {
    log_id: randomUUID(),
    created_at: NOW.toISOString(),
    place: 0,
    organisation_id: organisationId,
    workspace_id: workspaceId,
    user_id: null,
    guardrail: name,
    version_id: null,
    check_id: 'gw.pii',
    stage: 'input',
    verdict: 'failed',
    denied: true,
    duration_ms: 2,
    ...over,
  };
  await insertVerdicts(api.dataSource.manager, [row]);
  await addCounts(api.dataSource.manager, [
    {
      organisation_id: organisationId,
      workspace_id: row.workspace_id ?? workspaceId,
      guardrail: name,
      check_id: row.check_id,
      stage: row.stage,
      created_at: new Date(dayOf(row.created_at) * DAY_MS).toISOString(),
      runs: 10,
      failed: row.verdict === 'failed' ? 1 : 0,
      errored: row.verdict === 'errored' ? 1 : 0,
      duration_ms: 20,
    },
  ]);
  return row.log_id;
}

const mark = (
  slug: string,
  body: object,
  key: string,
): Promise<GatewayResponse<{ marked: number } & Failure>> =>
  api.post(`/v1/guardrails/${slug}/feedback`, { key, body });
const verdicts = async (slug: string, key: string, query = ''): Promise<readonly Verdict[]> =>
  (await api.get<{ data: Verdict[] }>(`/v1/guardrails/${slug}/verdicts${query}`, { key })).body.data;
const quality = async (slug: string, key: string, query = ''): Promise<Quality> =>
  (await api.get<Quality>(`/v1/guardrails/${slug}/quality${query}`, { key })).body;

describe('quality of a guardrail', () => {
  it('is measured by verdicts and feedback, for each check and in total [GRD-02]', async () => {
    const tenant = await api.tenant();
    const { key } = tenant;
    const slug = await guardrail(key);
    const logs = [await judged(tenant, slug), await judged(tenant, slug), await judged(tenant, slug)];
    await judged(tenant, slug, { check_id: 'default.webhook', verdict: 'errored' });
    expect(await quality(slug, key)).toMatchObject({
      total: { runs: 40, failed: 3, errored: 1, average_ms: 2, precision: null, precision_at_most: 1 },
      checks: [
        { check: 'default.webhook', failed: 0, errored: 1, precision_at_most: null },
        { check: 'gw.pii', failed: 3, errored: 0 },
      ],
    });
    expect(
      (await mark(slug, { log_id: logs[0], mark: 'false_positive', note: 'A street.' }, key)).body,
    ).toEqual({
      marked: 1,
    });
    await mark(slug, { log_id: logs[1], mark: 'true_positive', check: 'gw.pii', stage: 'input' }, key);
    const { total } = await quality(slug, key);
    expect(total).toMatchObject({ false_positives: 1, true_positives: 1, precision_at_most: 0.6667 });
    expect(total.precision?.estimate).toBe(0.5);
    expect(total.precision?.low).toBeLessThan(0.2);
    expect(total.precision?.high).toBeGreaterThan(0.8);
    await mark(slug, { log_id: logs[0], mark: 'none' }, key);
    expect((await quality(slug, key)).total).toMatchObject({ false_positives: 0, precision_at_most: 1 });
  });

  it('covers the given period, and lists verdicts that match the filters', async () => {
    const tenant = await api.tenant();
    const { key } = tenant;
    const slug = await guardrail(key);
    const before = new Date(NOW.getTime() - DAY_MS).toISOString();
    const old = await judged(tenant, slug, { created_at: before });
    const fresh = await judged(tenant, slug);
    const since = `?time_of_generation_min=${encodeURIComponent(NOW.toISOString())}`;
    expect([(await quality(slug, key)).total.runs, (await quality(slug, key, since)).total.runs]).toEqual([
      20, 10,
    ]);
    expect((await verdicts(slug, key)).map(({ log_id }) => log_id)).toEqual([fresh, old]);
    expect((await verdicts(slug, key, since)).map(({ log_id }) => log_id)).toEqual([fresh]);
    await mark(slug, { log_id: old, mark: 'false_positive' }, key);
    expect((await verdicts(slug, key, '?mark=none')).map(({ log_id }) => log_id)).toEqual([fresh]);
    expect(await verdicts(slug, key, '?mark=false_positive')).toMatchObject([
      { log_id: old, check: 'gw.pii', verdict: 'failed', mark: 'false_positive' },
    ]);
    expect(await verdicts(slug, key, '?verdict=errored')).toEqual([]);
    expect(await verdicts(slug, key, '?check=default.webhook')).toEqual([]);
    expect(await verdicts(slug, key, '?page_size=1&current_page=1')).toMatchObject([{ log_id: old }]);
  });

  it('of an organisation’s guardrail is separate for each workspace', async () => {
    const tenant = await api.tenant();
    const other = await api.workspace(tenant.organisationId);
    const slug = await guardrail(tenant.adminKey);
    const own = await judged(tenant, slug);
    const foreign = await judged({ ...tenant, workspaceId: other }, slug);
    expect((await quality(slug, tenant.key)).total.runs).toBe(10);
    expect((await quality(slug, tenant.adminKey)).total.runs).toBe(20);
    expect((await verdicts(slug, tenant.key)).map(({ log_id }) => log_id)).toEqual([own]);
    expect((await mark(slug, { log_id: foreign, mark: 'false_positive' }, tenant.key)).status).toBe(404);
    expect((await mark(slug, { log_id: own, mark: 'false_positive' }, tenant.key)).status).toBe(200);
    const stranger = await api.tenant();
    expect((await mark(slug, { log_id: own, mark: 'none' }, stranger.key)).status).toBe(404);
  });

  it('is refused to users restricted to their own data, because runs are not counted by user', async () => {
    const tenant = await api.tenant();
    const { organisationId, workspaceId } = tenant;
    const slug = await guardrail(tenant.key);
    const member = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    const token = await api.login(member.email);
    const own = await judged(tenant, slug, { user_id: member.id });
    await judged(tenant, slug, { user_id: randomUUID() });
    const get = (path: string): Promise<GatewayResponse<{ data: Verdict[] }>> =>
      api.get(`/v1/guardrails/${slug}/${path}`, { token });
    expect((await get('quality')).status).toBe(200);
    const security_settings = { ...DEFAULT_SECURITY, membersViewAllData: false };
    await api.put('/v1/admin/organisation/settings', { key: tenant.adminKey, body: { security_settings } });
    const refused = await get('quality');
    expect([refused.status, refused.body['error' as never]]).toEqual([
      403,
      expect.objectContaining({
        type: 'forbidden',
        message: expect.stringContaining('/verdicts') as unknown,
      }),
    ]);
    expect((await get('verdicts')).body.data.map(({ log_id }) => log_id)).toEqual([own]);
  });

  it('requires the update scope for feedback, and writes each mark to the audit log', async () => {
    const tenant = await api.tenant();
    const slug = await guardrail(tenant.key);
    const log_id = await judged(tenant, slug);
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const reader = await api.apiKey('workspace-service', at, ['guardrails.read']);
    expect((await mark(slug, { log_id, mark: 'false_positive' }, reader)).status).toBe(403);
    expect((await verdicts(slug, reader)).length).toBe(1);
    await mark(slug, { log_id, mark: 'false_positive' }, tenant.key);
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, { action: 'feedback' });
    expect(rows.some((row) => JSON.stringify(row).includes(log_id))).toBe(true);
  });

  it.each([
    ['no log', { mark: 'false_positive' }],
    ['no mark', { log_id: randomUUID() }],
    ['another mark', { log_id: randomUUID(), mark: 'wrong' }],
    ['an unknown field', { log_id: randomUUID(), mark: 'none', colour: 'red' }],
  ])('refuses feedback with %s', async (_title, body) => {
    const tenant = await api.tenant();
    expect((await mark(await guardrail(tenant.key), body, tenant.key)).status).toBe(400);
  });
});
