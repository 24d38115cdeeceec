import { readCases } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';
import type { Failure, Key, List } from './spec-support/api-keys';
import { createKey } from './spec-support/api-keys';
import { createIntegration } from './spec-support/integrations';

interface QueryCase {
  readonly id: string;
  readonly endpoint: string;
  readonly query: string;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

const DATA_PLANE = 'GET /threads/{thread_id}/runs';
const CASES = (readCases('queries.json') as { cases: QueryCase[] }).cases.filter(
  ({ endpoint }) => endpoint !== DATA_PLANE,
);
/** Endpoints of the case file that exist. */
const SECRETS = 'GET /secret-references';
const RESTRICTIONS = 'GET /v1/logs/exports/field-restrictions';
const ENDPOINTS = [
  'GET /v2/api-keys',
  'GET /v2/workspaces/{id}',
  'GET /v2/policies/rate-limits',
  RESTRICTIONS,
  SECRETS,
  'GET /v1/scim/workspaces',
  'GET /v1/scim/groups',
];
/** Existing lists that accept the same parameters with the same bounds. */
const ALIKE: readonly (readonly [parameter: RegExp, lists: readonly string[]])[] = [
  [/^(?:current_page=|page_size=|$)/, ['/v2/audit-logs']],
  [/^(?:<search>|search)=/, ['/v2/integrations']],
  [/^<tags>=/, ['/v2/integrations', '/v2/providers']],
];
const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();
const foreign = { keyId: '' };

beforeAll(async () => {
  foreign.keyId = (await createKey(admin, theirs.key)).id;
  await createIntegration(admin, ours.key, { name: 'Plain', tags: { a: 'b' } });
  await createIntegration(admin, ours.key, { name: 'Odd 100%', slug: 'odd_1' });
});

/** Cases that name a foreign resource expect 404; all other refused cases expect 400. */
const FOREIGN = '<OTHER_ORG>';

/**
 * Returns the query as a client library sends it: escapes only characters that a URL cannot
 * contain.
 */
const written = (query: string): string =>
  query
    .replace('<UUID_OF_OTHER_WORKSPACE>', foreign.keyId)
    .replace(FOREIGN, theirs.workspaceId)
    .replaceAll(/<(\w+)>=/g, '$1=')
    .replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);

const nameOf = (query: string): string => (query.split('=', 1)[0] ?? '').replaceAll(/[<>]/g, '');

async function check(
  url: string,
  query: string,
  expected: QueryCase['expect'],
  key = ours.key,
): Promise<void> {
  const response = await admin.get<Failure & List>(`${url}?${written(query)}`, { key });
  const allowed = { accept: [200], reject: [query.includes(FOREIGN) ? 404 : 400], either: [200, 400] }[
    expected
  ];
  expect([url, allowed.includes(response.status) || response.status]).toEqual([url, true]);
  if (response.status === 400) expectRefused(response, nameOf(query));
}

function expectRefused({ status, body }: GatewayResponse<Failure>, parameter: string): void {
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: 'validation_failed', code: 'AB01', param: parameter });
}

const titled = (cases: readonly QueryCase[]): [string, QueryCase][] =>
  cases.map((item) => [`${item.id} ${item.expect}: ${item.reason}`, item]);

describe('queries of the case file', () => {
  it('use only endpoints that exist', () => {
    expect([...new Set(CASES.map(({ endpoint }) => endpoint))].sort()).toEqual([...ENDPOINTS].sort());
  });

  it.each(titled(CASES))(
    '[CTL-07] [CTL-09] [SRF-02] %s',
    async (_title, { endpoint, query, expect: expected }) => {
      const path = endpoint.replace('GET ', '').replace('{id}', ours.workspaceId);
      if (endpoint === SECRETS) await check(`/v1${path}`, query, expected, ours.adminKey);
      else await check(path, query, expected, path.includes('/scim/') ? ours.adminKey : ours.key);
    },
  );

  const alike = CASES.flatMap((item) => {
    const [, lists = []] =
      item.endpoint === SECRETS ? (ALIKE.find(([parameter]) => parameter.test(item.query)) ?? []) : [];
    return lists.map((list): [string, string, QueryCase] => [list, `${item.id}: ${item.reason}`, item]);
  });
  it('have parameters that existing lists also accept', () => {
    expect(alike.length).toBeGreaterThanOrEqual(30);
  });
  it.each(alike)('also apply to %s, %s', async (list, _title, { query, expect: expected }) => {
    await check(list, query, expected, list === '/v2/audit-logs' ? ours.adminKey : ours.key);
  });
});

describe('ids of GET /v2/api-keys', () => {
  const get = (ids: string, key = ours.key): Promise<GatewayResponse<List>> =>
    admin.get(`/v2/api-keys?ids=${ids}`, { key });

  it('[CTL-09] match in either case, each once, in one page', async () => {
    const [a, b] = [await createKey(admin, ours.key), await createKey(admin, ours.key)] as [Key, Key];
    const { body } = await get(`${a.id.toUpperCase()},${b.id},${a.id}`);
    expect([body.total, body.data.map(({ id }) => id).sort()]).toEqual([2, [a.id, b.id].sort()]);
  });

  it('[CTL-09] are left out in the same way when foreign or unknown', async () => {
    const unknown = await get('3fa85f64-5717-4562-b3fc-2c963f66afa6');
    const other = await get(foreign.keyId);
    expect([other.status, other.body]).toEqual([200, { object: 'list', total: 0, data: [] }]);
    expect(other.text).toBe(unknown.text);
  });
});

describe('paging of the control plane', () => {
  it('returns every row once in a stable order, and empty pages after the last', async () => {
    const fresh = await admin.tenant();
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.unshift((await createIntegration(admin, fresh.key)).id);
    const page = async (query: string): Promise<[number, string[]]> => {
      const { body } = await admin.get<List>(`/v2/integrations?${query}`, fresh);
      return [body.total, body.data.map(({ id }) => id)];
    };
    expect(await page('page_size=2')).toEqual([5, made.slice(0, 2)]);
    expect(await page('page_size=2&current_page=1')).toEqual([5, made.slice(2, 4)]);
    expect(await page('page_size=2&current_page=2')).toEqual([5, made.slice(4)]);
    for (const far of [3, 1_000_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(await page(`page_size=1000&current_page=${String(far)}`)).toEqual([5, []]);
    }
  });
});

describe('search in the control plane', () => {
  it('takes every character literally, in the normal form in which names are stored', async () => {
    const fresh = await admin.tenant();
    const names = ['100%', 'a_b', String.raw`back\slash`, "O'Brien", 'Café', '😀', '*', 'plain'];
    for (const name of names)
      await createIntegration(admin, fresh.key, { name, slug: `s${String(names.indexOf(name))}` });
    const found = async (search: string): Promise<string[]> => {
      const url = `/v2/integrations?search=${encodeURIComponent(search)}`;
      return (await admin.get<List>(url, fresh)).body.data.map(({ name }) => name);
    };
    for (const name of names) expect(await found(name)).toEqual([name]);
    expect(await found('Cafe\u0301')).toEqual(['Café']);
    for (const nothing of ['%%', '__', String.raw`\%`, "' OR '1'='1"])
      expect(await found(nothing)).toEqual([]);
  });

  it('returns all rows with an empty tag filter', async () => {
    const fresh = await admin.tenant();
    await createIntegration(admin, fresh.key);
    await createIntegration(admin, fresh.key, { tags: { a: "' OR 1=1--", "a'": 'b' } });
    const found = async (tags: object): Promise<number> => {
      const url = `/v2/integrations?tags=${encodeURIComponent(JSON.stringify(tags))}`;
      return (await admin.get<List>(url, fresh)).body.total;
    };
    expect(await found({})).toBe(2);
    expect(await found({ a: "' OR 1=1--", "a'": 'b' })).toBe(1);
    expect(await found({ a: 'x' })).toBe(0);
  });
});
