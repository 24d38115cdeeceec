import { eventually, readCases, type StubProvider } from '@gw/testing';
import { parquetReadObjects } from 'hyparquet';
import { join } from 'node:path';

import { fakeOpenAi } from './spec-support/fake-openai';
import { filesHolding } from './spec-support/files';
import { CHAT_REQUEST, withProduct, type NewKey } from './spec-support/workbench';

const { canaries } = readCases('secrets.json') as {
  canaries: { id: string; value: string }[];
};
const canary = (number: number): string =>
  canaries.find(({ id }) => id === `sec-${String(number).padStart(2, '0')}`)?.value ?? '';
/** Canaries whose name or shape identifies them as secrets. */
const SECRETS = [1, 2, 3, 5, 6, 8, 9, 11, 13, 15, 18].map(canary);
const PROMPT = canary(26);
const RESPONSE = canary(27);
const DENIED = canary(28);
const FIELDS = [
  'id',
  'trace_id',
  'created_at',
  'request',
  'response',
  'request_url',
  'cost',
  'response_status_code',
];

const bench = withProduct(() => Promise.resolve({ environment: { LOG_STORE: 'local' } }));
let stub: StubProvider;
let key: string;

beforeAll(async () => {
  stub = await bench().stub();
  stub.respond(fakeOpenAi);
  await bench().provider({ slug: 'main', type: 'openai', stub });
  const made: NewKey = await bench().newKey({
    scopes: ['completions.write', 'logs.list', 'logs.view', 'logs.write', 'logs.export'],
  });
  key = made.key;
});

interface Export {
  readonly status: string;
  readonly progress: { readonly rows: number };
}

/** Downloads the file of a completed export. */
async function exported(body: object): Promise<Buffer> {
  const { id } = await bench().manage<{ id: string }>('POST', '/logs/exports', { key, body });
  await bench().manage('POST', `/logs/exports/${id}/start`, { key });
  await eventually(
    async () => (await bench().manage<Export>('GET', `/logs/exports/${id}`, { key })).status === 'success',
    { timeoutMs: 60_000 },
  );
  const { signed_url: url } = await bench().manage<{ signed_url: string }>(
    'GET',
    `/logs/exports/${id}/download`,
    { key },
  );
  const file = await fetch(url);
  expect(file.status).toBe(200);
  return Buffer.from(await file.arrayBuffer());
}
const lines = (file: Buffer): Record<string, unknown>[] =>
  file
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A request that did not pass the gateway, with secrets in every field that can have one. */
const foreign = {
  request: {
    url: `https://api.example.com/v1/x?api_key=${encodeURIComponent(canary(5))}&key=${canary(6)}`,
    headers: { authorization: `Bearer ${canary(3)}`, cookie: canary(14) },
    body: {
      model: 'acme-1',
      client_secret: canary(9),
      refresh_token: canary(11),
      code_verifier: canary(13),
      text: [canary(1), canary(2), canary(3), canary(6), canary(15), canary(18)].join(' and '),
      pem: canary(8),
    },
  },
  response: { body: { usage: { prompt_tokens: 3, completion_tokens: 4 }, seen: `Bearer ${canary(3)}` } },
  metadata: { trace_id: 'foreign', api_key: canary(5), team: DENIED },
};

describe('request log with bodies on disk', () => {
  it('[SVC-02] contains gateway requests and uploaded logs with their bodies', async () => {
    const trace = bench().trace('ours');
    await bench().chat({ 'x-gw-provider': '@main', 'x-gw-trace-id': trace }, { key });
    await bench().manage('POST', '/logs', { key, body: foreign });
    const { id } = await bench().logOf(trace);
    const log = await bench().manage<{
      request: { body: unknown };
      response: { body: { choices: unknown } };
    }>('GET', `/logs/${id}`, { key });
    expect(log.request.body).toEqual(CHAT_REQUEST);
    expect(log.response.body.choices).toBeDefined();
    const { data } = await bench().logs('trace_id=foreign', key);
    expect(data).toHaveLength(1);
  });

  it('[CTL-03] is exported as JSON lines and as Parquet with the same rows', async () => {
    const body = { filters: {}, requested_data: FIELDS };
    const rows = lines(await exported(body));
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows.find((row) => row['trace_id'] === 'foreign')?.['request']).toMatchObject({ model: 'acme-1' });
    const file = await exported({ filters: {}, requested_data: FIELDS, format: 'parquet' });
    const table = await parquetReadObjects({ file: new Uint8Array(file).buffer });
    expect(table.map((row) => String(row['id']))).toEqual(
      expect.arrayContaining(rows.map((row) => row['id'])),
    );
  });

  it('stores no text of requests and responses when debug_log is off', async () => {
    const settings = (debug_log: 0 | 1): Promise<unknown> =>
      bench().manage('PUT', `/workspaces/${bench().product.credentials.workspace_id}`, {
        key: bench().adminKey,
        body: { settings: { debug_log } },
      });
    await settings(0);
    // The gateway receives the change within moments.
    const seen = await eventually(async () => {
      const trace = bench().trace('metrics');
      await bench().chat({ 'x-gw-provider': '@main', 'x-gw-trace-id': trace }, { key });
      const { id } = await bench().logOf(trace);
      const log = await bench().manage<{ request: { body: unknown } }>('GET', `/logs/${id}`, { key });
      return log.request.body === null;
    });
    expect(seen).toBe(true);
    stub.respond((request) => {
      const response = fakeOpenAi(request);
      return {
        ...response,
        body: JSON.stringify({
          choices: [{ message: { content: RESPONSE } }],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        }),
      };
    });
    const trace = bench().trace('private');
    const body = { ...CHAT_REQUEST, messages: [{ role: 'user', content: PROMPT }] };
    const response = await bench().chat({ 'x-gw-provider': '@main', 'x-gw-trace-id': trace }, { key, body });
    expect(response.text).toContain(RESPONSE);
    await bench().logOf(trace);
    await bench().manage('POST', '/logs', {
      key,
      body: {
        request: { url: 'https://x.example', body: { text: PROMPT } },
        response: { body: { text: RESPONSE } },
      },
    });
    await settings(1);
    stub.respond(fakeOpenAi);
    expect(filesHolding(bench().product.dataDir, [PROMPT])).toEqual([]);
    expect(filesHolding(join(bench().product.dataDir, 'objects'), [RESPONSE])).toEqual([]);
    expect((await exported({ filters: {}, requested_data: FIELDS })).includes(PROMPT)).toBe(false);
  });

  it('[ERR-04] exports no denied field', async () => {
    const settings = (deniedFields: string[] | null): Promise<unknown> =>
      bench().manage('PUT', '/admin/organisation/settings', {
        key: bench().adminKey,
        body: { export_settings: { deniedFields } },
      });
    const all = { filters: {}, requested_data: [...FIELDS, 'metadata'] };
    expect((await exported(all)).includes(DENIED)).toBe(true);
    await settings(['metadata']);
    expect((await bench().call('POST', '/logs/exports', { key, body: all })).status).toBe(400);
    expect((await exported({ filters: {}, requested_data: FIELDS })).includes(DENIED)).toBe(false);
    await settings(null);
  });

  it('contains no planted secret in responses, rows, bodies, exports, the journal or process logs', async () => {
    bench().responses.length = 0;
    const { data } = await bench().logs('trace_id=foreign', key);
    for (const { id } of data) await bench().manage('GET', `/logs/${id}`, { key });
    const body = { filters: {}, requested_data: [...FIELDS, 'metadata'] };
    const files = [await exported(body), await exported({ ...body, format: 'parquet' })];
    const spellings = SECRETS.flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
      encodeURIComponent(secret),
    ]);
    const reported = [...bench().responses, ...files.map((file) => file.toString('latin1'))];
    expect(reported.length).toBeGreaterThan(3);
    expect(spellings.filter((text) => reported.some((each) => each.includes(text)))).toEqual([]);
    const { dataDir } = bench().product;
    for (const folder of ['objects', 'logs', 'gateway', 'postgres'])
      expect([folder, filesHolding(join(dataDir, folder), spellings)]).toEqual([folder, []]);
    expect(filesHolding(join(dataDir, 'postgres'), ['foreign'])).not.toEqual([]);
  });
});
