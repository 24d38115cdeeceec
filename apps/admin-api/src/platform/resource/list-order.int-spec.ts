import { DataSource } from 'typeorm';
import { TestAdminApi } from '../../spec-support/admin-api';
import { createKey, type Failure, type List } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';

interface Named {
  readonly name: string;
  readonly email?: string;
}

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();

const NAMES = ['beta', 'Alpha', '100%', 'a_b', 'Gamma', 'alpha'];

const make = async (key: string, path: string, body: object): Promise<void> => {
  const { status, text } = await admin.post(path, { key, body });
  if (status !== 200) throw new Error(`POST ${path}: ${text}`);
};

/** Lists of rows with a name: the path, how a row is created, and the table. */
const LISTS: readonly [
  list: string,
  table: string,
  create: (key: string, name: string) => Promise<unknown>,
][] = [
  ['/v1/api-keys', 'api_keys', (key, name) => createKey(admin, key, { name })],
  [
    '/v1/configs',
    'configs',
    (key, name) => make(key, '/v1/configs', { name, config: { retry: { attempts: 1 } } }),
  ],
  [
    '/v1/integrations',
    'integrations',
    (key, name) => createIntegration(admin, key, { name, create_default_provider: false }),
  ],
  [
    '/v1/providers',
    'providers',
    (key, name) => make(key, '/v1/providers', { name, integration_id: 'account' }),
  ],
  [
    '/v1/virtual-keys',
    'providers',
    (key, name) => make(key, '/v1/virtual-keys', { name, provider: 'openai', key: 'sk-0123456789abcdef' }),
  ],
  [
    '/v1/guardrails',
    'guardrails',
    (key, name) =>
      make(key, '/v1/guardrails', {
        name,
        checks: [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }],
      }),
  ],
];

const found = async (url: string, key = ours.key): Promise<string[]> => {
  const { status, body, text } = await admin.get<List<Named>>(url, { key });
  if (status !== 200) throw new Error(`${url}: ${text}`);
  return body.data.map(({ name }) => name);
};

beforeAll(async () => {
  for (const { key } of [ours, theirs]) {
    await createIntegration(admin, key, { name: 'account', slug: 'account', create_default_provider: false });
    for (const [, , create] of LISTS) for (const name of NAMES) await create(key, name);
  }
});

describe.each(LISTS)('%s', (list, table) => {
  it('is ordered by name, ignoring case, then by id, in pages that do not overlap', async () => {
    const all = await found(`${list}?search=a&sort=name`);
    const lower = all.map((name) => name.toLowerCase());
    expect(lower).toEqual([...lower].sort());
    expect(lower).toEqual(expect.arrayContaining(['a_b', 'alpha', 'alpha', 'beta', 'gamma']));
    expect(await found(`${list}?search=a&sort=name&order=desc`)).toEqual([...all].reverse());
    const pages: string[] = [];
    for (const index of all.keys())
      pages.push(...(await found(`${list}?search=a&sort=name&page_size=1&current_page=${String(index)}`)));
    expect(pages).toEqual(all);
  });

  it('is ordered by time in both directions, newest first by default', async () => {
    const newest = await found(list);
    expect(await found(`${list}?sort=created_at`)).toEqual(newest);
    expect(await found(`${list}?sort=created_at&order=asc`)).toEqual([...newest].reverse());
    expect(await found(`${list}?order=asc`)).toEqual([...newest].reverse());
    expect((await found(`${list}?sort=last_updated_at`)).sort()).toEqual([...newest].sort());
  });

  it('is searched for literal text, within the tenant', async () => {
    expect(await found(`${list}?search=100%25`)).toEqual(['100%']);
    expect(await found(`${list}?search=A_B`)).toEqual(['a_b']);
    expect(await found(`${list}?search=%25%25`)).toEqual([]);
    const { body } = await admin.get<List<Named>>(`${list}?search=gamma`, { key: ours.key });
    expect([body.total, body.data.length]).toEqual([1, 1]);
  });

  it('refuses other fields, orders and search texts, and names the parameters', async () => {
    for (const [query, param] of [
      ['sort=sealed_credential', 'sort'],
      ['sort=name);--', 'sort'],
      ['order=up', 'order'],
      [`search=${'x'.repeat(256)}`, 'search'],
      ['search=', 'search'],
    ] as const) {
      const { status, body } = await admin.get<Failure>(`${list}?${query}`, { key: ours.key });
      expect([query, status, body.error.param]).toEqual([query, 400, param]);
    }
  });

  it('reads no rows of other tenants', async () => {
    const dataSource = admin.api.app.get(DataSource);
    await dataSource.query(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(one.r, jsonb_build_object('id', gen_random_uuid(),
         'slug', $2 || i, 'name', 'alpha ' || i, 'is_default', false))).*
       FROM (SELECT t AS r FROM ${table} t WHERE organisation_id = $1 LIMIT 1) one, generate_series(1, 5000) i`,
      [theirs.organisationId, `${list.replaceAll('/', '-')}-`],
    );
    await dataSource.query(`ANALYZE ${table}`);
    const queries: [string, unknown[]][] = [];
    const logged = jest
      .spyOn(dataSource.logger, 'logQuery')
      .mockImplementation((query, parameters) => queries.push([query, (parameters ?? []) as unknown[]]));
    await found(`${list}?search=alpha&sort=name`);
    logged.mockRestore();
    // Prepared statements, which authenticate callers, are objects.
    const texts = queries.filter(([query]) => typeof query === 'string');
    const reads = texts.filter(([query]) => query.includes(`"${table}"`) && query.includes('ILIKE'));
    expect(reads.length).toBeGreaterThan(0);
    for (const [query, parameters] of reads) {
      const plan = await dataSource.query<Record<string, string>[]>(`EXPLAIN ${query}`, parameters);
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).not.toContain(`Seq Scan on ${table}`);
      expect(text).toMatch(/Index Cond: .*(workspace_id|organisation_id)/);
    }
  });
});

describe('/v1/users', () => {
  it('is searched for names and addresses and ordered by address', async () => {
    const made = [];
    for (let i = 0; i < 3; i += 1) made.push((await admin.user(ours.organisationId, 'member')).email);
    const emails = async (query: string): Promise<(string | undefined)[]> =>
      (await admin.get<List<Named>>(`/v1/users?${query}`, { key: ours.adminKey })).body.data.map(
        ({ email }) => email,
      );
    const all = await emails('sort=email');
    expect(all).toEqual([...all].sort());
    expect(all).toEqual(expect.arrayContaining(made));
    expect(await emails('sort=email&order=desc')).toEqual([...all].reverse());
    expect(await emails(`search=${encodeURIComponent(made[1] ?? '')}`)).toEqual([made[1]]);
    expect(await emails('search=%25')).toEqual([]);
  });
});

describe('/v1/logs/exports', () => {
  it('is searched for its description and ordered by its times', async () => {
    for (const description of ['first of May', 'second of June'])
      await make(ours.key, '/v1/logs/exports', { filters: {}, requested_data: ['id'], description });
    const found = async (query: string): Promise<unknown[]> => {
      const { body } = await admin.get<List<{ description: string }>>(`/v1/logs/exports?${query}`, ours);
      return body.data.map(({ description }) => description);
    };
    expect(await found('search=MAY')).toEqual(['first of May']);
    expect(await found('sort=created_at&order=asc')).toEqual(['first of May', 'second of June']);
  });
});
