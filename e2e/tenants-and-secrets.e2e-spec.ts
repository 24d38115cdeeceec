import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { eventually, type StubProvider } from '@gw/testing';

import { fakeOpenAi, OPENAI_QUOTA_ERROR } from './spec-support/fake-openai';
import { filesHolding } from './spec-support/files';
import { withProduct, type Call, type NewKey, type Reply } from './spec-support/workbench';

const canary = (name: string): string => `${name}${randomBytes(12).toString('hex')}`;

/** Secrets that may appear only where they were sent. */
const PROVIDER_KEY = canary('sk-saved-');
const HEADER_KEY = canary('saved-header-');
const CALLERS_KEY = canary('sk-callers-');
const WRONG_PASSWORD = canary('wrong-password-');
/** A control value: it must be found in the database, which proves that the search works. */
const PLAIN_NAME = canary('plain-name-');

const bench = withProduct();
let stub: StubProvider;
let ours: NewKey;
let theirs: NewKey;
let integrationId: string;
let configSlug: string;

beforeAll(async () => {
  stub = await bench().stub();
  stub.respond(fakeOpenAi);
  integrationId = await bench().provider({ slug: 'ours', type: 'openai', stub, apiKey: PROVIDER_KEY });
  await bench().manage('PUT', `/integrations/${integrationId}`, {
    body: { name: PLAIN_NAME, configurations: { custom_headers: { 'x-canary-token': HEADER_KEY } } },
  });
  configSlug = await bench().config({ provider: '@ours' });
  ours = await bench().newKey();
  const { id } = await bench().manage<{ id: string }>('POST', '/workspaces', {
    key: bench().adminKey,
    body: { name: 'Another team' },
  });
  const { data } = await bench().manage<{ data: { id: string; scopes: string[] }[] }>('GET', '/api-keys');
  const scopes = data.find((key) => key.id !== ours.id)?.scopes;
  theirs = await bench().newKey({ workspace_id: id, scopes });
});

/**
 * Returns what a caller can learn from a response: everything except the request id and the
 * requested name.
 */
const reported = ({ status, text }: Reply, name: string): unknown => [
  status,
  text.replaceAll(name, 'NAME').replaceAll(/"request_id":"[^"]+"/g, ''),
];

describe('workspace isolation', () => {
  const asThem = (options: Call = {}): Call => ({ ...options, key: theirs.key });

  it('returns the same error for another workspace’s providers, virtual keys and configs as for unknown ones', async () => {
    const requested = stub.requests.length;
    const { data } = await bench().manage<{ data: { slug: string } }>('POST', '/virtual-keys', {
      body: { name: 'Ours', provider: 'openai', key: PROVIDER_KEY, custom_host: `${stub.origin}/v1` },
    });
    const inline = (slug: string): string =>
      JSON.stringify({ strategy: { mode: 'single' }, targets: [{ provider: `@${slug}` }] });
    const cases = [
      { name: 'ours', headers: (name: string) => ({ 'x-gw-provider': `@${name}` }) },
      { name: data.slug, headers: (name: string) => ({ 'x-gw-virtual-key': name }) },
      { name: configSlug, headers: (name: string) => ({ 'x-gw-config': name }) },
      { name: 'ours', headers: (name: string) => ({ 'x-gw-config': inline(name) }) },
    ];
    for (const { name, headers } of cases) {
      expect(await bench().chat(headers(name))).toMatchObject({ status: 200 });
      const existing = await bench().chat(headers(name), asThem());
      const unknown = await bench().chat(headers('nothing-000'), asThem());
      expect(existing.status).toBe(400);
      expect(reported(existing, name)).toEqual(reported(unknown, 'nothing-000'));
    }
    expect(stub.requests).toHaveLength(requested + cases.length);
  });

  it('hides another workspace’s logs', async () => {
    const trace = bench().trace('private');
    await bench().chat({ 'x-gw-provider': '@ours', 'x-gw-trace-id': trace });
    const { id } = await bench().logOf(trace);
    const existing = await bench().call('GET', `/logs/${id}`, asThem());
    expect(existing.status).toBe(404);
    const unknownId = randomUUID();
    expect(reported(existing, id)).toEqual(
      reported(await bench().call('GET', `/logs/${unknownId}`, asThem()), unknownId),
    );
    expect((await bench().logs(`trace_id=${trace}`, theirs.key)).data).toEqual([]);
    const { workspace_id } = bench().product.credentials;
    const named = await bench().call('GET', `/logs?trace_id=${trace}&workspace_id=${workspace_id}`, asThem());
    expect(named.text).not.toContain(id);
  });

  it('hides another workspace’s resources from listing, reading, changing and deleting', async () => {
    for (const [list, reference] of [
      ['/providers', 'ours'],
      ['/configs', configSlug],
      ['/integrations', integrationId],
      ['/api-keys', ours.id],
    ] as const) {
      const { text } = await bench().call('GET', list, asThem());
      expect(text).not.toContain(`"${reference}"`);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { body: { name: 'Taken' } } : {};
        const { status } = await bench().call(method, `${list}/${reference}`, asThem(body));
        expect([method, list, status]).toEqual([method, list, 404]);
      }
      expect((await bench().call('GET', `${list}/${reference}`)).status).toBe(200);
    }
  });
});

describe('key boundaries', () => {
  it('prevent an organisation key from calling a provider', async () => {
    const requested = stub.requests.length;
    const response = await bench().chat({ 'x-gw-provider': '@ours' }, { key: bench().adminKey });
    expect([response.status, response.body]).toMatchObject([403, { error: { type: 'scope_missing' } }]);
    expect(stub.requests).toHaveLength(requested);
  });

  it('prevent a workspace key from managing the organisation', async () => {
    const calls = [
      ['POST', '/workspaces', { name: 'Mine' }],
      ['GET', '/admin/organisation'],
      ['PUT', '/admin/organisation', { name: 'Mine' }],
      ['PUT', '/admin/organisation/settings', { settings: { debug_log: 0 } }],
      ['POST', '/api-keys/organisation/service', { name: 'Mine', scopes: ['workspaces.list'] }],
      ['GET', '/audit-logs'],
    ] as const;
    for (const [method, path, body] of calls) {
      const { status } = await bench().call(method, path, body ? { body } : {});
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });

  it('[AUT-06] refuse a missing or unknown key without calling a provider', async () => {
    const requested = stub.requests.length;
    const cases = [
      [null, 'api_key_missing'],
      ['x'.repeat(32), 'api_key_invalid'],
    ] as const;
    for (const [key, type] of cases) {
      const { status, body } = await bench().chat({ 'x-gw-provider': '@ours' }, { key });
      expect([status, body]).toMatchObject([401, { error: { type, code: 'AB05' } }]);
    }
    expect(stub.requests).toHaveLength(requested);
  });
});

describe('secrets', () => {
  const trace = 'canaries';
  const secrets = (): string[] => [
    PROVIDER_KEY,
    HEADER_KEY,
    CALLERS_KEY,
    WRONG_PASSWORD,
    ours.key,
    bench().apiKey,
    bench().adminKey,
    bench().product.credentials.owner_password,
  ];

  /**
   * Sends requests that succeed, fail and are denied, with secrets wherever a client can put one.
   */
  async function useThemAll(): Promise<void> {
    const { owner_email: email, owner_password: password } = bench().product.credentials;
    const own = { 'x-gw-provider': 'openai', authorization: `Bearer ${CALLERS_KEY}`, 'x-gw-trace-id': trace };
    const saved = { 'x-gw-provider': '@ours', 'x-gw-trace-id': trace };
    const key = ours.key;
    await bench().chat(saved, { key });
    expect(stub.lastRequest.headers).toMatchObject({
      authorization: `Bearer ${PROVIDER_KEY}`,
      'x-canary-token': HEADER_KEY,
    });
    await bench().chat({ ...own, 'x-gw-custom-host': `${stub.origin}/v1` }, { key });
    await bench().chat({ ...own, 'x-gw-custom-host': 'http://10.0.0.1' }, { key });
    await bench().chat({ ...own, 'x-gw-custom-host': 'http://127.0.0.1:1' }, { key });
    await bench().chat({ ...saved, 'x-gw-metadata': JSON.stringify({ api_key: CALLERS_KEY }) }, { key });
    await bench().chat({ ...saved, 'x-gw-config': `{"api_key":"${CALLERS_KEY}","nonsense` }, { key });
    await bench().call('GET', `/own/route?api_key=${CALLERS_KEY}`, { headers: saved, key });
    stub.respond(OPENAI_QUOTA_ERROR);
    await bench().chat(saved, { key });
    for (const body of [
      { email, password },
      { email, password: WRONG_PASSWORD },
    ]) {
      await bench().call('POST', '/auth/login', { key: null, body });
    }
  }

  /** Reads every resource that may contain traces of the requests, with a key that may read it. */
  async function readEverything(): Promise<void> {
    const logs = await eventually(async () => {
      const { data } = await bench().logs(`trace_id=${trace}`);
      return data.length === 8 && data;
    });
    for (const { id } of logs) await bench().manage('GET', `/logs/${id}`);
    for (const path of [
      '/integrations',
      '/providers',
      '/virtual-keys',
      '/api-keys',
      '/configs',
      '/audit-logs',
    ]) {
      const query = `?workspace_id=${bench().product.credentials.workspace_id}`;
      await bench().manage('GET', `${path}${query}`, { key: bench().adminKey });
    }
    await bench().manage('GET', `/integrations/${integrationId}`);
    await bench().manage('GET', '/providers/ours');
    await bench().manage('GET', `/api-keys/${ours.id}`);
  }

  it('appear in no response, log record or log file, and in no table unencrypted', async () => {
    bench().responses.length = 0;
    await useThemAll();
    await readEverything();
    expect(bench().responses.length).toBeGreaterThan(25);
    const found = secrets().filter((secret) =>
      bench().responses.some((response) => response.includes(secret)),
    );
    expect(found).toEqual([]);
    const { dataDir } = bench().product;
    expect(filesHolding(join(dataDir, 'logs'), secrets())).toEqual([]);
    expect(filesHolding(join(dataDir, 'gateway'), secrets())).toEqual([]);
    expect(filesHolding(join(dataDir, 'postgres'), [PLAIN_NAME])).not.toEqual([]);
    expect(filesHolding(join(dataDir, 'postgres'), secrets())).toEqual([]);
  });
});
