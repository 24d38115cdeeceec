import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, redisReady, type Redis } from '@gw/redis';
import { otlpTraceRequest } from '@gw/telemetry';
import { eventually, freePort, readCases, readPrometheus, startRedis, StubProvider } from '@gw/testing';
import { parquetReadObjects } from 'hyparquet';

import { fakeOpenAi } from './spec-support/fake-openai';
import { filesHolding } from './spec-support/files';
import {
  exportedFile,
  MailSink,
  receivedBy,
  redisDump,
  spellingsOf,
  TailSink,
  withRedisPassword,
} from './spec-support/sinks';
import { CHAT_REQUEST, withProduct } from './spec-support/workbench';

const { canaries } = readCases('secrets.json') as { canaries: { id: string; what: string; value: string }[] };
const canary = (number: number): string =>
  canaries.find(({ id }) => id === `sec-${String(number).padStart(2, '0')}`)?.value ?? '';

/**
 * Canaries that are planted elsewhere: the launcher generates the database's password, and denied
 * fields are secret only in exports.
 */
const NOT_HERE = [19, 28];
const NUMBERS = canaries.map(({ id }) => Number(id.slice(4))).filter((number) => !NOT_HERE.includes(number));
const PLANTED = NUMBERS.map(canary);
const MARKER = 'a-plain-marker';
/** Magic bytes of a journal block. */
const SEALED_BLOCK = 'TGB3';
const POLICY = 'Marked budget';
const FIELDS = ['id', 'trace_id', 'request', 'response', 'request_url', 'metadata', 'config'];
const MASTER_KEY = Buffer.from(canary(22).padEnd(32, '-').slice(0, 32)).toString('base64');

const mail = new MailSink();
const tail = new TailSink();
let server: Awaited<ReturnType<typeof startRedis>> | undefined;
let receiver: StubProvider;
let redis: Redis;
let metricsPort: number;

const bench = withProduct(async () => {
  server = await startRedis();
  const redisUrl = await withRedisPassword(server.url, canary(20));
  redis = connectRedis({ url: redisUrl, name: 'spec' });
  await redisReady(redis, 60_000);
  receiver = await StubProvider.start();
  receiver.respond({ headers: { 'content-type': 'application/x-protobuf' }, body: '' });
  metricsPort = await freePort();
  return {
    redisUrl,
    environment: {
      ...(await mail.start()),
      LOG_LEVEL: 'debug',
      ENCRYPTION_KEY: MASTER_KEY,
      METRICS_PORT: String(metricsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${canary(10)}`,
      HTTPS_PROXY: `http://proxy:${canary(23)}@127.0.0.1:9`,
    },
  };
});
afterAll(async () => {
  tail.stop();
  if (!server) return;
  redis.disconnect();
  await Promise.all([server.stop(), receiver.stop(), mail.stop()]);
});

/** Saves secrets in every control-plane resource of a provider account. */
async function plantResources(stub: StubProvider): Promise<void> {
  const key = bench().adminKey;
  const { workspace_id } = bench().product.credentials;
  const manage = (path: string, body: object): Promise<unknown> =>
    bench().manage('POST', path, { key, body });
  await bench().provider({ slug: 'main', type: 'openai', stub, apiKey: canary(3) });
  await bench().provider({ slug: 'azure', type: 'openai', stub, apiKey: canary(5) });
  const virtual = { name: 'Ours', provider: 'openai', key: canary(2), custom_host: `${stub.origin}/v1` };
  await bench().manage('POST', '/virtual-keys', { body: virtual });
  const path = { secret_path: 'secret/data/x' };
  await manage('/secret-references', {
    ...{ ...path, name: 'Vault', manager_type: 'vendor3_vault' },
    auth_config: { vault_auth_type: 'token', vault_addr: stub.origin, vault_token: canary(18) },
  });
  await manage('/secret-references', {
    ...{ ...path, name: 'AWS', manager_type: 'cloud1_sm' },
    auth_config: {
      ...{ aws_auth_type: 'accessKey', aws_access_key_id: 'AKIA', aws_region: 'eu-central-1' },
      aws_secret_access_key: canary(7),
    },
  });
  await manage('/alert-webhooks', { name: 'Hook', url: `${stub.origin}/alert`, workspace_id });
  await manage('/policies/usage-limits', {
    ...{ name: POLICY, workspace_id, type: 'tokens', credit_limit: 1_000_000, alert_threshold: 1 },
    conditions: [{ key: 'workspace_id', value: workspace_id }],
    group_by: [{ key: 'api_key' }],
  });
}

const bodyWith = (content: string, more: object = {}): object => ({
  ...{ ...CHAT_REQUEST, model: 'gpt-4o', messages: [{ role: 'user', content }] },
  ...more,
});

/**
 * Sends requests with a secret wherever a client can put one: successful, refused, and without a
 * valid key.
 */
async function plantRequests(stub: StubProvider): Promise<void> {
  const marked = { 'x-gw-trace-id': 'canaries', 'x-gw-metadata': JSON.stringify({ marker: MARKER }) };
  const main = { ...marked, 'x-gw-provider': '@main' };
  const inline = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
    ...main,
    ...headers,
  });
  const secrets = { oauth_client_secret: canary(9), refresh_token: canary(11), code_verifier: canary(13) };
  const text = `use ${canary(15)} and ${canary(21)}`;
  await bench().chat(main, { body: bodyWith(text, { ...secrets, private_key: canary(8) }) });
  await bench().chat(
    inline({
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${stub.origin}/v1`,
      authorization: `Bearer ${canary(4)}`,
    }),
  );
  const config = { provider: 'openai', api_key: canary(4), custom_host: `${stub.origin}/v1` };
  await bench().chat(inline({ 'x-gw-config': JSON.stringify(config) }));
  await bench().chat(inline({ 'x-gw-config': `{"api_key":"${canary(4)}","nonsense` }));
  await bench().chat(
    inline({ 'x-gw-metadata': JSON.stringify({ marker: MARKER, note: canary(1), api_key: canary(16) }) }),
  );
  await bench().chat(
    inline({
      cookie: `session=${canary(14)}`,
      'x-client-secret': canary(25),
      'sec-websocket-protocol': canary(24),
    }),
  );
  const queries = {
    key: 6,
    client_secret: 9,
    access_token: 10,
    refresh_token: 11,
    code: 12,
    code_verifier: 13,
  };
  const query = Object.entries(queries).map(
    ([name, number]) => `${name}=${encodeURIComponent(canary(number))}`,
  );
  await bench().call('GET', `/own/route?${query.join('&')}`, { headers: main });
  const check = {
    id: 'default.webhook',
    parameters: { webhookURL: `${stub.origin}/check`, headers: { authorization: canary(17) } },
  };
  await bench().chat(
    inline({ 'x-gw-config': JSON.stringify({ provider: '@main', input_guardrails: [{ checks: [check] }] }) }),
  );
  await bench().chat(inline({ 'x-gw-debug': 'false' }), { body: bodyWith(canary(26)) });
  for (const [headers, path] of [
    [{ authorization: `Bearer ${canary(15)}` }, '/configs'],
    [{ authorization: `Bearer ${canary(16)}` }, '/scim/workspaces'],
    [{ 'x-gw-api-key': canary(1) }, '/configs'],
    [{ 'x-gw-api-key': canary(1), 'x-gw-provider': '@main' }, '/models'],
  ] as const)
    await bench().call('GET', path, { key: null, headers });
  await bench().call('POST', '/auth/login', {
    key: null,
    body: { email: 'a@example.com', password: canary(14) },
  });
  await bench().call('POST', '/integrations', {
    key: bench().adminKey,
    body: { name: 1, key: canary(3), surplus: canary(7) },
  });
}

/**
 * Scrapes over a new connection each time, because the server closes idle connections while the
 * test searches files.
 */
const scrape = async (place: number): Promise<string> => {
  const url = `http://127.0.0.1:${String(metricsPort + place)}/metrics`;
  return (await fetch(url, { headers: { connection: 'close' } })).text();
};

interface Span {
  readonly name: string;
  readonly traceId: Uint8Array;
}

/** Decodes all spans that the receiver has. */
function receivedSpans(): readonly Span[] {
  const type = otlpTraceRequest();
  return receiver.requests.flatMap(({ body }) => {
    const { resourceSpans } = type.decode(body) as unknown as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
}
const isChat = ({ name }: Span): boolean => name === 'chat gpt-4o';

/**
 * Places where secrets might appear. Each must show its marker, which proves that the search works.
 */
interface Sink {
  readonly name: string;
  readonly marker: string;
  read(): Promise<string> | string;
  readonly except?: readonly number[];
}

const reported = (stub: StubProvider): readonly Sink[] => [
  {
    name: 'request logs with their bodies',
    marker: MARKER,
    read: async () => {
      const { data } = await bench().logs('trace_id=canaries');
      const details = await Promise.all(data.map(({ id }) => bench().manage('GET', `/logs/${id}`)));
      return JSON.stringify(details);
    },
  },
  {
    name: 'exports as lines',
    marker: MARKER,
    read: async () =>
      (await exportedFile(bench(), { filters: {}, requested_data: FIELDS })).toString('latin1'),
  },
  {
    name: 'exports as Parquet',
    marker: MARKER,
    read: async () => {
      const file = await exportedFile(bench(), { filters: {}, requested_data: FIELDS, format: 'parquet' });
      const rows = await parquetReadObjects({ file: new Uint8Array(file).buffer });
      return file.toString('latin1') + JSON.stringify(rows);
    },
  },
  { name: 'the tail of the log', marker: 'canaries', read: () => tail.text },
  {
    name: 'the audit log',
    marker: POLICY,
    read: async () =>
      (await bench().call('GET', '/audit-logs?page_size=100', { key: bench().adminKey })).text,
  },
  {
    name: 'metrics',
    marker: 'tollgate_requests_total',
    read: async () => (await Promise.all([0, 1, 2].map(scrape))).join(''),
  },
  {
    name: 'spans',
    marker: 'gen_ai.request.model',
    read: () => receiver.requests.map(({ body }) => body.toString('latin1')).join(''),
  },
  {
    name: 'webhooks of alerts',
    marker: 'limit.threshold_reached',
    read: () =>
      stub.requests
        .filter(({ url }) => url === '/alert')
        .map(({ body }) => body.toString())
        .join(''),
  },
  { name: 'mails', marker: POLICY, read: () => mail.mails.join('') },
  { name: 'Redis: keys, values and jobs', marker: 'bull:', read: () => redisDump(redis) },
  {
    name: 'responses and errors',
    marker: '"error"',
    read: () => bench().responses.join('\n'),
    // The response to the caller with logging off.
    except: [27],
  },
  { name: 'what the launcher prints', marker: 'Tollgate is ready', read: () => bench().product.printed },
  {
    name: 'command lines',
    marker: 'main.js',
    read: () =>
      (['gateway', 'admin-api', 'worker'] as const)
        .map((name) => readFileSync(`/proc/${String(bench().product.pidOf(name))}/cmdline`, 'latin1'))
        .join(''),
  },
];

describe('secrets of clients and operators', () => {
  let stub: StubProvider;
  beforeAll(async () => {
    stub = await bench().stub();
    stub.respond((request) => {
      if (request.url === '/alert') return { status: 204 };
      if (request.url === '/check') return { body: { verdict: true } };
      const isPrivate = request.body.includes(canary(26));
      return isPrivate ? { body: { choices: [{ message: { content: canary(27) } }] } } : fakeOpenAi(request);
    });
    await plantResources(stub);
    await tail.start(bench(), bench().apiKey);
    await plantRequests(stub);
    await eventually(
      async () => {
        const { data } = await bench().logs('trace_id=canaries');
        return data.length >= 8 && mail.mails.length > 0 && stub.requests.some(({ url }) => url === '/alert');
      },
      { timeoutMs: 90_000, everyMs: 250 },
    );
    await eventually(() => receivedSpans().filter(isChat).length > 1 && tail.text.includes('canaries'), {
      timeoutMs: 90_000,
    });
  });

  it('reached their intended recipients, so that the test is valid', () => {
    const got = receivedBy(stub);
    for (const number of [3, 4, 8, 9, 15, 17, 26])
      expect([number, got.includes(canary(number))]).toEqual([number, true]);
    expect(receiver.requests[0]?.headers['authorization']).toBe(`Bearer ${canary(10)}`);
  });

  it('appear in no log, export, tail, audit, metric, span, alert, mail, queue, response or command line', async () => {
    const sinks = reported(stub);
    const spellings = NUMBERS.map((number) => [number, spellingsOf(canary(number))] as const);
    const hits: unknown[] = [];
    for (const { name, marker, read, except = [] } of sinks) {
      const text = await read();
      expect([name, text.includes(marker)]).toEqual([name, true]);
      for (const [number, texts] of spellings.filter(([each]) => !except.includes(each)))
        for (const found of texts.filter((each) => text.includes(each))) hits.push([name, number, found]);
    }
    expect(hits).toEqual([]);
  });

  it('appear in no file of processes, the journal, the snapshot or the database', () => {
    const { dataDir } = bench().product;
    const inPlace = (folder: string, texts: readonly string[]): string[] =>
      filesHolding(join(dataDir, folder), texts);
    const spellings = PLANTED.flatMap(spellingsOf);
    expect(inPlace('logs', ['gateway is ready'])).not.toEqual([]);
    expect(inPlace('logs', spellings)).toEqual([]);
    // Records are in sealed blocks: the folder has some, and their content is not readable.
    expect(inPlace('gateway', [SEALED_BLOCK])).not.toEqual([]);
    expect(inPlace('gateway', [MARKER, ...spellings])).toEqual([]);
    expect(inPlace('postgres', [POLICY])).not.toEqual([]);
    expect(inPlace('postgres', PLANTED)).toEqual([]);
  });

  it('of the installation appear in no log, response, metric or span', async () => {
    const { dataDir } = bench().product;
    const made = Object.values(
      JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as object,
    ) as string[];
    const own = [...made, MASTER_KEY].flatMap(spellingsOf);
    expect(filesHolding(join(dataDir, 'logs'), own)).toEqual([]);
    const texts = [
      ...bench().responses,
      receivedBy(stub),
      ...(await Promise.all([0, 1, 2].map(scrape))),
    ].join('\n');
    expect(own.filter((secret) => texts.includes(secret))).toEqual([]);
  });
});

describe('telemetry of the launcher’s processes', () => {
  it('exposes metrics of all three processes that a Prometheus parser reads', async () => {
    const wanted = [
      'tollgate_requests_total',
      'tollgate_http_request_duration_seconds',
      'tollgate_ingest_records_total',
    ];
    for (const [place, name] of wanted.entries()) {
      const families = readPrometheus(await scrape(place));
      expect([name, families.get(name)?.metrics.length]).toEqual([name, expect.any(Number)]);
      expect(families.get('process_cpu_seconds_total')?.type).toBe('COUNTER');
    }
    await eventually(async () => {
      const stored = readPrometheus(await scrape(2)).get('tollgate_ingest_records_total')?.metrics ?? [];
      expect(
        Number(stored.find(({ labels }) => labels?.['result'] === 'stored')?.value),
      ).toBeGreaterThanOrEqual(8);
      return true;
    });
  });

  it('sends spans that an OTLP receiver reads as protobuf', () => {
    for (const { url, headers } of receiver.requests)
      expect([url, headers['content-type']]).toEqual(['/v1/traces', 'application/x-protobuf']);
    const spans = receivedSpans();
    expect(spans.filter(isChat).length).toBeGreaterThan(1);
    expect(spans.every(({ traceId }) => traceId.length === 16)).toBe(true);
  });
});
