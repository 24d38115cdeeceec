import type { LogRecord } from '@gw/contracts';
import { uuidv7 } from '@gw/kernel';
import {
  bodyReference,
  dayOf,
  encodeLogBodies,
  ensureLogPartitions,
  insertLogs,
  requestLogRow,
  type LogBodies,
} from '@gw/log-store';
import { OBJECT_STORE_SETTINGS, openLogStores, type ObjectStore } from '@gw/object-store';
import { readSettings } from '@gw/kernel';
import { sampleLogRecord, STUB_S3_KEYS, StubObjectStore } from '@gw/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { LogDetailResponse } from '../../platform/logs/log-responses.dto';
import { LogBodiesReader } from './log-bodies.reader';

const FOLDER = mkdtempSync(join(tmpdir(), 'tollgate-bodies-'));
let bucket: StubObjectStore;
beforeAll(async () => {
  bucket = await StubObjectStore.start();
});
afterAll(async () => {
  await bucket.stop();
  rmSync(FOLDER, { recursive: true, force: true });
});

const ENVIRONMENTS = {
  postgres: () => ({ LOG_STORE: 'postgres' }),
  local: () => ({ LOG_STORE: 'local', DATA_DIR: FOLDER }),
  s3: () => ({
    LOG_STORE: 's3',
    LOG_STORE_ENDPOINT: bucket.origin,
    LOG_STORE_GENERATIONS_BUCKET: 'bodies',
    LOG_STORE_ACCESS_KEY: STUB_S3_KEYS.keyId,
    LOG_STORE_SECRET_KEY: STUB_S3_KEYS.secret,
  }),
};

describe.each(['postgres', 'local', 's3'] as const)('bodies of logs, stored in %s', (kind) => {
  const admin = new TestAdminApi(() => Promise.resolve(ENVIRONMENTS[kind]()));
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  let store: ObjectStore | null;
  beforeAll(() => {
    const settings = { ...readSettings(OBJECT_STORE_SETTINGS, ENVIRONMENTS[kind]()), DATA_DIR: FOLDER };
    const run = (sql: string, parameters?: unknown[]) => admin.dataSource.query(sql, parameters);
    store = openLogStores({ ...settings, HTTP_PROXY: null, HTTPS_PROXY: null, NO_PROXY: '' }, run).bodies;
  });
  afterAll(() => store?.close());

  /** Stores a log in the same way as the worker. */
  async function log(bodies: LogBodies, changes: Partial<LogRecord> = {}): Promise<string> {
    const { organisationId, workspaceId } = ours;
    const record = sampleLogRecord({ organisationId, workspaceId, ...changes });
    await ensureLogPartitions(admin.dataSource, [dayOf(record.createdAt)]);
    const row = requestLogRow(record);
    const encoded = encodeLogBodies(bodies);
    if (store === null || encoded === null) {
      await insertLogs(admin.dataSource.manager, [{ row, ...bodies }]);
      return record.id;
    }
    const key = `bodies/2026-01-01/${uuidv7()}`;
    await store.put(key, Buffer.concat([Buffer.from('other'), encoded, Buffer.from('other')]));
    const body_ref = bodyReference({ key, offset: 5, length: encoded.length });
    await insertLogs(admin.dataSource.manager, [
      { row: { ...row, body_ref }, request: null, response: null },
    ]);
    return record.id;
  }
  const part = async (path: string, headers: Record<string, string> = {}, key = ours.key) => {
    const response = await admin.api.app.inject({
      method: 'GET',
      url: `/v1/logs/${path}`,
      headers: { 'x-gw-api-key': key, ...headers },
    });
    return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload };
  };

  it('are sent byte for byte, as files that no browser renders', async () => {
    const page = Buffer.concat([Buffer.from('<script>alert(1)</script>'), Buffer.from([0, 0xff, 0xfe])]);
    const id = await log(
      { request: Buffer.from('{"a": 1.0}'), response: page },
      { requestContentType: 'application/json; charset=utf-8', responseContentType: 'text/html' },
    );
    const request = await part(`${id}/request`);
    expect([request.status, request.bytes.toString()]).toEqual([200, '{"a": 1.0}']);
    expect(request.headers['content-type']).toBe('application/json; charset=utf-8');
    const response = await part(`${id}/response`);
    expect([response.status, response.bytes]).toEqual([200, page]);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': `attachment; filename="log-${id}-response"`,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
      'content-length': String(page.length),
    });
  });

  it('are sent in one range, whole for several ranges or with If-Range, and refused with 416 for a range outside', async () => {
    const text = Buffer.from(Array.from({ length: 40_000 }, (_, i) => String(i)).join(' '));
    const id = await log({ request: null, response: text });
    const range = await part(`${id}/response`, { range: 'bytes=1000-1999' });
    expect([range.status, range.bytes]).toEqual([206, text.subarray(1_000, 2_000)]);
    expect(range.headers['content-range']).toBe(`bytes 1000-1999/${String(text.length)}`);
    expect(range.headers['content-length']).toBe('1000');
    const last = await part(`${id}/response`, { range: 'bytes=-7' });
    expect([last.status, last.bytes]).toEqual([206, text.subarray(-7)]);
    for (const headers of [{ range: 'bytes=0-1,5-6' }, { range: 'bytes=0-1', 'if-range': '"x"' }] as Record<
      string,
      string
    >[]) {
      const whole = await part(`${id}/response`, headers);
      expect([whole.status, whole.bytes.length]).toEqual([200, text.length]);
    }
    const outside = await part(`${id}/response`, { range: `bytes=${String(text.length)}-` });
    expect([outside.status, outside.headers['content-range']]).toEqual([
      416,
      `bytes */${String(text.length)}`,
    ]);
    expect(JSON.parse(outside.bytes.toString())).toMatchObject({
      error: { type: 'range_not_satisfiable', param: 'range' },
    });
  });

  it.each([
    'text/html\r\nset-cookie: a=b',
    'text/html; charset="\n"',
    'no type',
    'text/ü',
    `text/${'x'.repeat(300)}`,
  ])(
    'are sent as application/octet-stream when their stored type is not a simple media type: %j',
    async (responseContentType) => {
      const id = await log({ request: null, response: Buffer.from('x') }, { responseContentType });
      const { status, headers } = await part(`${id}/response`);
      expect([status, headers['content-type']]).toEqual([200, 'application/octet-stream']);
      expect(headers['set-cookie']).toBeUndefined();
    },
  );

  it('respond with 404 when none is stored or the caller may not read the log, and with 403 without a scope for logs', async () => {
    const bodies = { request: Buffer.from('{}'), response: null };
    const id = await log(bodies);
    const none = await log({ request: null, response: null });
    const statuses = async (paths: readonly string[], key?: string): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await part(path, {}, key)).status));
    expect(await statuses([`${id}/request`, `${id}/response`, `${none}/request`])).toEqual([200, 404, 404]);
    expect(await statuses([`${id}/request`, `${id}/response`], theirs.key)).toEqual([404, 404]);
    expect(await statuses([`${uuidv7()}/request`, 'x/response'])).toEqual([404, 404]);
    const listing = await admin.apiKey('workspace-service', ours, ['logs.list']);
    expect(await statuses([`${id}/request`], listing)).toEqual([403]);
    // Such keys read only the logs of their own requests.
    const calling = await admin.apiKey('workspace-service', ours, ['completions.write']);
    expect(await statuses([`${id}/request`], calling)).toEqual([404]);
  });

  it('are left out of a log with bodies=false, and are not read', async () => {
    const id = await log({ request: Buffer.from('{"a":1}'), response: Buffer.from('{"b":2}') });
    const get = (query: string): Promise<GatewayResponse<LogDetailResponse>> =>
      admin.get<LogDetailResponse>(`/v1/logs/${id}${query}`, { key: ours.key });
    const whole = await get('');
    expect([whole.body.request.body, whole.body.response.body]).toEqual([{ a: 1 }, { b: 2 }]);
    expect((await get('?bodies=true')).body).toEqual(whole.body);
    const read = jest.spyOn(admin.api.app.get(LogBodiesReader), 'of');
    const bare = await get('?bodies=false');
    expect(read).not.toHaveBeenCalled();
    await get('');
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
    expect(bare.body).toEqual({
      ...whole.body,
      request: { ...whole.body.request, encoding: null, body: null },
      response: { ...whole.body.response, encoding: null, body: null },
    });
    const bad = await get('?bodies=maybe');
    expect([bad.status, bad.body]).toMatchObject([400, { error: { param: 'bodies' } }]);
  });
});
