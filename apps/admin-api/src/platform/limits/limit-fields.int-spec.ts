import { documentKey, type WorkspaceDocument } from '@gw/contracts';
import { DocumentsService } from '../../publishing/documents.service';
import { TestAdminApi } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { limitOwners } from '../../spec-support/limit-owners';

const BUDGET = { credit_limit: 5, enforcement: 'strict', on_outage: 'hold' };
const RATES = [
  { type: 'tokens', unit: 'rpm', value: 9, window: 'sliding', enforcement: 'strict', on_outage: 'refuse' },
  { type: 'concurrency', value: 3 },
];
const SHOWN_RATES = [RATES[0], { type: 'concurrency', unit: null, value: 3 }];
const BUDGET_RULE = { type: 'cost', creditLimit: 5, enforcement: 'strict', onOutage: 'hold' };
const RATE_RULES = [
  { type: 'tokens', unit: 'rpm', value: 9, window: 'sliding', enforcement: 'strict', onOutage: 'refuse' },
  { type: 'concurrency', unit: null, value: 3 },
];

const api = new TestAdminApi();
const tenant = api.sharedTenant();

const made = async (method: 'POST' | 'PUT', path: string, body: object) => {
  const response = await api.call<Record<string, string>>(method, path, { key: tenant.key, body });
  if (response.status !== 200) throw new Error(response.text);
  return response.body;
};
const read = async (path: string): Promise<Record<string, unknown>> =>
  (await api.get(path, { key: tenant.key })).body;
const OWNERS = limitOwners(api, tenant);

describe('enforcement options of a limit', () => {
  it.each(OWNERS)('are saved with %s, shown, and sent to the gateways', async (_name, make) => {
    const { response, document } = await make({ usage_limits: BUDGET, rate_limits: RATES });
    expect(response['usage_limits']).toMatchObject(BUDGET);
    expect(response['rate_limits']).toEqual(SHOWN_RATES);
    expect(document.usageLimits).toMatchObject([BUDGET_RULE]);
    expect(document.rateLimits).toEqual(RATE_RULES);
  });

  it.each(OWNERS)(
    'are absent from %s when they were not set, so that defaults apply',
    async (_name, make) => {
      const plain = { type: 'requests', unit: 'rpm', value: 1 };
      const { response, document } = await make({
        usage_limits: { credit_limit: 5, enforcement: null },
        rate_limits: [{ ...plain, window: null, on_outage: null }],
      });
      expect(response['usage_limits']).not.toHaveProperty('enforcement');
      expect(response['rate_limits']).toEqual([plain]);
      expect(document.usageLimits[0]).not.toHaveProperty('enforcement');
      expect(document.usageLimits[0]).not.toHaveProperty('onOutage');
      expect(document.rateLimits).toEqual([plain]);
    },
  );

  it.each<[string, object]>([
    ['usage_limits.enforcement', { usage_limits: { credit_limit: 5, enforcement: 'hard' } }],
    ['usage_limits.on_outage', { usage_limits: { credit_limit: 5, on_outage: 'open' } }],
    ['rate_limits.0.window', { rate_limits: [{ ...RATES[0], window: 'rolling' }] }],
    ['rate_limits.0.on_outage', { rate_limits: [{ ...RATES[0], on_outage: 'allow' }] }],
    ['rate_limits.0.unit', { rate_limits: [{ type: 'requests', value: 1 }] }],
    ['rate_limits.0.unit', { rate_limits: [{ type: 'concurrency', unit: 'rpm', value: 1 }] }],
    ['rate_limits.0.window', { rate_limits: [{ type: 'concurrency', value: 1, window: 'fixed' }] }],
    [
      'rate_limits.0.enforcement',
      { rate_limits: [{ type: 'requests', unit: 'rpm', value: 1, enforcement: 'strict' }] },
    ],
    ['rate_limits.1', { rate_limits: [RATES[1], RATES[1]] }],
  ])('are refused when invalid: %s of %j', async (param, limits) => {
    const body = { name: 'k', scopes: ['completions.write'], ...limits };
    const response = await api.post<Failure>('/v1/api-keys/workspace/service', { key: tenant.key, body });
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });
});

describe('enforcement options of a policy', () => {
  const common = {
    ...{ name: 'p', conditions: [{ key: 'metadata.team', value: '*' }], group_by: [{ key: 'api_key' }] },
  };
  const policies = async (): Promise<NonNullable<WorkspaceDocument['policies']>> => {
    const key = documentKey.workspace(tenant.workspaceId);
    const { documents } = await api.api.app.get(DocumentsService).read([key]);
    return (documents[key] as WorkspaceDocument).policies ?? { usageLimits: [], rateLimits: [] };
  };

  it('[CTL-08] are saved, sent to the gateways, changed, and cleared by null', async () => {
    const { id = '' } = await made('POST', '/v1/policies/usage-limits', {
      ...{ ...common, type: 'cost', credit_limit: 5, enforcement: 'strict' },
    });
    const path = `/v1/policies/usage-limits/${id}`;
    expect(await read(path)).toMatchObject({ enforcement: 'strict', on_outage: 'refuse' });
    const ruleOf = async (): Promise<unknown> =>
      (await policies()).usageLimits.find((policy) => policy.id === id)?.limit;
    expect(await ruleOf()).toMatchObject({ enforcement: 'strict' });
    await made('PUT', path, { on_outage: 'hold' });
    expect(await read(path)).toMatchObject({ enforcement: 'strict', on_outage: 'hold' });
    expect(await ruleOf()).toMatchObject({ enforcement: 'strict', onOutage: 'hold' });
    await made('PUT', path, { enforcement: null, on_outage: null });
    expect(await read(path)).toMatchObject({ enforcement: 'standard', on_outage: 'hold' });
    expect(await ruleOf()).not.toHaveProperty('enforcement');
  });

  it('[CTL-08] include a window for a rate policy, but not for a concurrency policy', async () => {
    const { id: rate = '' } = await made('POST', '/v1/policies/rate-limits', {
      ...{ ...common, type: 'tokens', unit: 'rpm', value: 5, window: 'sliding', enforcement: 'strict' },
    });
    const { id: atOnce = '' } = await made('POST', '/v1/policies/rate-limits', {
      ...{ ...common, type: 'concurrency', value: 2, on_outage: 'refuse' },
    });
    const shown = (id: string): Promise<object> => read(`/v1/policies/rate-limits/${id}`);
    expect(await shown(rate)).toMatchObject({
      ...{ unit: 'rpm', window: 'sliding', enforcement: 'strict', on_outage: 'hold' },
    });
    expect(await shown(atOnce)).toMatchObject({
      ...{ type: 'concurrency', unit: null, window: null, enforcement: null, on_outage: 'refuse' },
    });
    const limits = (await policies()).rateLimits;
    expect(limits.find(({ id }) => id === rate)?.limit).toEqual({
      ...{ type: 'tokens', unit: 'rpm', value: 5, window: 'sliding', enforcement: 'strict' },
    });
    expect(limits.find(({ id }) => id === atOnce)?.limit).toEqual({
      ...{ type: 'concurrency', unit: null, value: 2, onOutage: 'refuse' },
    });
    await made('PUT', `/v1/policies/rate-limits/${rate}`, { window: 'fixed', unit: 'rph' });
    expect(await shown(rate)).toMatchObject({ unit: 'rph', window: 'fixed', enforcement: 'strict' });
    const listed = (await read('/v1/policies/rate-limits?type=concurrency')) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual([atOnce]);
  });

  it.each<[string, object, object]>([
    ['unit', { type: 'requests' }, { unit: null }],
    ['unit', { type: 'concurrency', unit: 'rpm' }, {}],
    ['enforcement', { type: 'requests', unit: 'rpm', enforcement: 'strict' }, { enforcement: 'strict' }],
    ['window', { type: 'requests', unit: 'rpm', window: 'rolling' }, { window: 'rolling' }],
  ])('are refused when invalid, also in an update: %s of %j', async (param, limit, change) => {
    const url = '/v1/policies/rate-limits';
    const body = { ...common, value: 5, ...limit };
    const created = await api.post<Failure>(url, { key: tenant.key, body });
    expect([created.status, created.body.error.param]).toEqual([400, param]);
    if (Object.keys(change).length === 0) return;
    const { id = '' } = await made('POST', url, { ...common, type: 'requests', unit: 'rpm', value: 5 });
    const changed = await api.put<Failure>(`${url}/${id}`, { key: tenant.key, body: change });
    expect([changed.status, changed.body.error.param]).toEqual([400, param]);
  });
});
