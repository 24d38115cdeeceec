import { DAY_MS } from '@gw/kernel';
import { addBalances, addBudgetHours, hourOf } from '@gw/ledger-store';
import { EntityManager } from 'typeorm';
import { TestAdminApi } from '../../spec-support/admin-api';
import { limitOwners } from '../../spec-support/limit-owners';

const USD = 100_000_000;

const api = new TestAdminApi();
const tenant = api.sharedTenant();

/**
 * Writes durable records in the same way as the worker: 7 USD in total, half of it nine days ago.
 */
async function charge(counter: string, organisationId = tenant.organisationId): Promise<void> {
  const { manager } = api.dataSource;
  const charged = { organisationId, account: `limit:${counter}`, period: 0, tokens: 1, requests: 1 };
  await addBalances(manager, [{ ...charged, cost: 7 * USD }]);
  const hours = [hourOf(new Date(Date.now() - 9 * DAY_MS)), hourOf(new Date())];
  await addBudgetHours(
    manager,
    hours.map((hour) => ({ ...charged, cost: 3.5 * USD, hour })),
  );
}

describe('usage of a budget', () => {
  it.each(limitOwners(api, tenant))(
    'of %s is shown in single responses and lists: current usage, burn rate per day and forecast',
    async (_name, make) => {
      const owner = await make({ usage_limits: { credit_limit: 10 }, rate_limits: [] });
      const unused = { current_usage: 0, burn_rate_per_day: null, forecast_exhausted_at: null };
      expect(await owner.shown()).toMatchObject(unused);
      await charge(owner.counter);
      const before = Date.now();
      for (const budget of [await owner.shown(), await owner.listed()]) {
        expect(budget).toMatchObject({ credit_limit: 10, current_usage: 7, burn_rate_per_day: 0.5 });
        const at = Date.parse(String(budget['forecast_exhausted_at']));
        expect(at).toBeGreaterThanOrEqual(before + 6 * DAY_MS);
        expect(at).toBeLessThanOrEqual(Date.now() + 6 * DAY_MS);
      }
    },
  );

  it.each(limitOwners(api, tenant))(
    'of %s may be sent back with the limit and is ignored',
    async (_name, make) => {
      const owner = await make({ usage_limits: { credit_limit: 10 }, rate_limits: [] });
      const again = await make({
        usage_limits: { ...(await owner.shown()), current_usage: 99 },
        rate_limits: [],
      });
      expect((await again.shown())['current_usage']).not.toBe(99);
    },
  );

  it('restarts with each period', async () => {
    const other = await api.tenant();
    const body = { name: 'k', scopes: ['completions.write'] };
    const limits = { credit_limit: 10, periodic_reset: 'monthly' };
    const { id } = (
      await api.post<{ id: string }>('/v1/api-keys/workspace/service', {
        ...{ key: other.key, body: { ...body, usage_limits: limits } },
      })
    ).body;
    await charge(`api_key:${id}:cost:budget`, other.organisationId);
    const shown = await api.get<{ usage_limits: object }>(`/v1/api-keys/${id}`, { key: other.key });
    expect(shown.body.usage_limits).toMatchObject({ current_usage: 0, burn_rate_per_day: null });
  });

  it('needs two queries of the durable record for a page, and none for a page without budgets', async () => {
    const query = jest.spyOn(EntityManager.prototype, 'query');
    const requested = async (key: string): Promise<number> => {
      query.mockClear();
      expect((await api.get('/v1/api-keys?page_size=100', { key })).status).toBe(200);
      return query.mock.calls.filter(([sql]) => /ledger_balances|budget_hours/.test(sql)).length;
    };
    const other = await api.tenant();
    expect(await requested(other.key)).toBe(0);
    for (let at = 0; at < 12; at += 1) {
      const body = { name: 'k', scopes: ['completions.write'], usage_limits: { credit_limit: 10 } };
      expect((await api.post('/v1/api-keys/workspace/service', { key: other.key, body })).status).toBe(200);
    }
    expect(await requested(other.key)).toBe(2);
    query.mockRestore();
  });
});
