import { AuditLogEntity, RepricingEntity } from '@gw/entities';
import { UNITS_PER_USD } from '@gw/kernel';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import type { Failure, List } from '../../spec-support/api-keys';

const URL = '/v1/repricings';
const BODY = { start_time: '2026-10-01T00:00:00Z', end_time: '2026-11-01T00:00:00Z' };

const admin = new TestAdminApi();
let ours: Tenant;
beforeEach(async () => {
  ours = await admin.tenant();
});

const create = async (body: object = BODY): Promise<string> => {
  const response = await admin.post<{ id: string }>(URL, { key: ours.adminKey, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body.id;
};
const change = (id: string, fields: Partial<RepricingEntity>): Promise<unknown> =>
  admin.dataSource.manager.update(RepricingEntity, { id }, fields);
const get = async (id: string): Promise<Record<string, unknown>> =>
  (await admin.get(`${URL}/${id}`, { key: ours.adminKey })).body;
const apply = (id: string, key = ours.adminKey) =>
  admin.post<Failure>(`${URL}/${id}/apply`, { key, body: {} });

describe('/v1/repricings', () => {
  it('starts with a preview that shows the difference of each provider and model in USD', async () => {
    const id = await create({ ...BODY, provider: 'openai' });
    expect(await get(id)).toMatchObject({ status: 'previewing', provider: 'openai', model: null, seen: 0 });
    const group = { provider: 'openai', model: 'gpt-4o', changed: 2, unpriced: 1 };
    const money = { before: 1.5 * UNITS_PER_USD, after: UNITS_PER_USD };
    await change(id, { status: 'previewed', report: { seen: 9, groups: [{ ...group, ...money }] } });
    expect(await get(id)).toMatchObject({
      ...{ status: 'previewed', seen: 9, difference: -0.5 },
      data: [{ ...group, before: 1.5, after: 1, difference: -0.5 }],
    });
    const { body } = await admin.get<List<{ id: string }>>(URL, { key: ours.adminKey });
    expect(body.data.map((each) => each.id)).toEqual([id]);
  });

  it('applies a repricing once, after the preview is complete', async () => {
    const id = await create();
    expect((await apply(id)).status).toBe(409);
    await change(id, { status: 'previewed', cursorTime: new Date(), cursorId: id });
    const [one, other] = await Promise.all([apply(id), apply(id)]);
    expect([one.status, other.status].sort()).toEqual([200, 409]);
    expect(await admin.dataSource.manager.findOneBy(RepricingEntity, { id })).toMatchObject({
      ...{ status: 'applying', cursorTime: null, cursorId: null },
    });
    const audits = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceId: id, action: 'apply' });
    expect(audits.filter(({ responseStatusCode: status }) => status === 200)).toHaveLength(1);
  });

  it('applies no further repricing while the maximum number is open', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      ids.push(await create());
      await change(ids[count] ?? '', { status: 'previewed' });
    }
    const statuses: number[] = [];
    for (const id of ids) statuses.push((await apply(id)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 409]);
    expect(await get(ids[5] ?? '')).toMatchObject({ status: 'previewed' });
  });

  it('limits the number of open repricings', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await admin.post(URL, { key: ours.adminKey, body: BODY })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
  });

  it.each([
    ['start_time', { ...BODY, start_time: 'yesterday' }],
    ['end_time', { start_time: BODY.start_time }],
    ['end_time', { start_time: BODY.end_time, end_time: BODY.start_time }],
    ['end_time', { ...BODY, end_time: '2027-10-03T00:00:00Z' }],
    ['dry_run', { ...BODY, dry_run: false }],
  ])('refuses an invalid %s and names it', async (param, body) => {
    const { status, body: failure } = await admin.post<Failure>(URL, { key: ours.adminKey, body });
    expect([status, failure.error.param]).toEqual([400, param]);
  });

  it('is for credentials of the whole organisation, and hides repricings from other organisations', async () => {
    const id = await create();
    const theirs = await admin.tenant();
    expect((await admin.get(`${URL}/${id}`, { key: theirs.adminKey })).status).toBe(404);
    expect((await apply(id, theirs.adminKey)).status).toBe(404);
    expect((await admin.get(URL)).status).toBe(401);
    for (const response of [
      await admin.get(URL, { key: ours.key }),
      await admin.post(URL, { key: ours.key, body: BODY }),
      await apply(id, ours.key),
    ]) {
      expect(response.status).toBe(403);
    }
  });
});
