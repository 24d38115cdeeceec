import { TestAdminApi } from '../../spec-support/admin-api';
import { createKey, type Failure, type List } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';

interface Model {
  readonly id: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly context_tokens: number | null;
  readonly price_source: string | null;
  readonly prices: readonly { unit: string; list_exact: string; price_exact: string }[];
  readonly routes: { readonly native: readonly string[] };
  readonly provider: { readonly slug: string; readonly status: string };
}

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();

const list = async (query: string, key = ours.key): Promise<List<Model>> => {
  const { status, body, text } = await admin.get<List<Model>>(`/v1/providers/models?${query}`, { key });
  if (status !== 200) throw new Error(text);
  return body;
};
const put = async (path: string, body: object): Promise<void> => {
  const { status, text } = await admin.put(path, { key: ours.key, body });
  if (status !== 200) throw new Error(text);
};

const PRICING = {
  type: 'static',
  pay_as_you_go: { request_token: { price: 0.0001 }, response_token: { price: 0.0002 } },
};

beforeAll(async () => {
  await createIntegration(admin, ours.key, { name: 'open', slug: 'open' });
  await createIntegration(admin, ours.key, {
    ...{ name: 'few', slug: 'few', allow_all_models: false },
    pricing_adjustments: { multiplier: { default: 0.5 } },
  });
  await put('/v1/integrations/few/models', {
    models: [
      { slug: 'gpt-4o', enabled: true },
      { slug: 'own', enabled: true, is_custom: true, pricing_config: PRICING },
      { slug: 'like-4o', enabled: true, is_custom: true, base_model_slug: 'gpt-4o' },
      { slug: 'unpriced', enabled: true },
      { slug: 'off', enabled: false },
    ],
  });
  await createIntegration(admin, theirs.key, { name: 'foreign', slug: 'foreign' });
});

describe('GET /v1/providers/models', () => {
  it('lists the models of the catalogue when all are allowed, otherwise those with settings', async () => {
    const { data, total } = await list('page_size=500');
    expect(total).toBe(data.length);
    const of = (slug: string): Model[] => data.filter(({ provider }) => provider.slug === slug);
    expect(of('few').map(({ id, enabled }) => [id, enabled])).toEqual([
      ['@few/gpt-4o', true],
      ['@few/like-4o', true],
      ['@few/off', false],
      ['@few/own', true],
      ['@few/unpriced', true],
    ]);
    expect(of('open').map(({ slug }) => slug)).toEqual(expect.arrayContaining(['gpt-4o', 'gpt-4o-mini']));
    expect(of('open').find(({ slug }) => slug === 'gpt-4o')).toMatchObject({
      enabled: true,
      context_tokens: 128_000,
      price_source: 'catalogue',
      routes: { native: expect.arrayContaining(['chat.completions']) as unknown },
    });
  });

  it('shows exact prices with their source and the adjustment of the integration', async () => {
    const { data } = await list('provider=few');
    const prices = Object.fromEntries(
      data.map(({ slug, price_source: source, prices: rates }) => [
        slug,
        [
          source,
          ...rates
            .filter(({ unit }) => unit === 'input' || unit === 'output')
            .map(({ unit, list_exact, price_exact }) => [unit, list_exact, price_exact]),
        ],
      ]),
    );
    const four = ['catalogue', ['input', '250000000', '125000000'], ['output', '1000000000', '500000000']];
    expect(prices).toMatchObject({
      'gpt-4o': four,
      'like-4o': four,
      own: ['custom', ['input', '100000000', '50000000'], ['output', '200000000', '100000000']],
      unpriced: [null],
    });
    expect(data.find(({ slug }) => slug === 'like-4o')?.context_tokens).toBe(128_000);
  });

  it('can be filtered, and pages in a stable order', async () => {
    expect((await list('provider=few&enabled=false')).data.map(({ slug }) => slug)).toEqual(['off']);
    expect((await list('search=LIKE-')).data.map(({ id }) => id)).toEqual(['@few/like-4o']);
    const whole = (await list('page_size=500')).data.map(({ id }) => id);
    const parts: string[] = [];
    for (let page = 0; parts.length < whole.length; page += 1)
      parts.push(...(await list(`page_size=40&current_page=${String(page)}`)).data.map(({ id }) => id));
    expect(parts).toEqual(whole);
    expect(new Set(whole).size).toBe(whole.length);
  });

  it('shows nothing of other tenants or of integrations that the workspace may not use', async () => {
    const sibling = await admin.workspace(ours.organisationId);
    const { body } = await admin.get<List<Model>>(`/v1/providers/models?workspace_id=${sibling}`, {
      key: ours.adminKey,
    });
    expect([body.total, body.data]).toEqual([0, []]);
    expect((await list('page_size=500')).data.some(({ id }) => id.startsWith('@foreign/'))).toBe(false);
    const foreign = await admin.get<Failure>(`/v1/providers/models?workspace_id=${theirs.workspaceId}`, {
      key: ours.adminKey,
    });
    expect([foreign.status, foreign.body.error.type]).toEqual([404, 'not_found']);
  });

  it('shows models of an expired or exhausted provider as not enabled', async () => {
    await admin.dataSource.query(`UPDATE providers SET status = 'exhausted' WHERE slug = 'open'`);
    const { data } = await list('provider=open&search=gpt-4o-mini');
    expect(data[0]).toMatchObject({ enabled: false, provider: { status: 'exhausted' } });
    await admin.dataSource.query(`UPDATE providers SET status = 'active' WHERE slug = 'open'`);
  });

  it('requires a scope for calls or for providers', async () => {
    for (const [scope, status] of [
      ['completions.write', 200],
      ['virtual_keys.list', 200],
      ['providers.list', 200],
      ['logs.list', 403],
    ] as const) {
      const { key } = await createKey(admin, ours.key, { scopes: [scope] });
      expect([scope, (await admin.get('/v1/providers/models', { key })).status]).toEqual([scope, status]);
    }
  });
});
