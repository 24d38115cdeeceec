import { isSuccess, resultOf, type LogRecord } from '@gw/contracts';
import { uuidv7, HOUR_MS } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { LogResponse, LogDetailResponse, LogPage } from '../../platform/logs/log-responses.dto';

describe('logs', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  let foreign: Tenant;
  let sibling: string;
  const now = Date.now();

  const log = async (
    changes: Partial<LogRecord>,
    bodies: { request?: Buffer; response?: Buffer } = {},
  ): Promise<LogRecord> => {
    const { organisationId, workspaceId } = tenant;
    const record = sampleLogRecord({ organisationId, workspaceId, ...changes });
    await ensureLogPartitions(admin.dataSource, [dayOf(record.createdAt)]);
    const { request = null, response = null } = bodies;
    await insertLogs(admin.dataSource.manager, [{ row: requestLogRow(record), request, response }]);
    return record;
  };
  const at = (hoursAgo: number): string => new Date(now - hoursAgo * HOUR_MS).toISOString();
  const list = (query: string, key: string = tenant.key): Promise<GatewayResponse<LogPage>> =>
    admin.get<LogPage>(`/v1/logs?${query}`, { key });
  const ids = async (query: string, key?: string): Promise<string[]> => {
    const { status, body } = await list(query, key);
    expect({ query, status }).toEqual({ query, status: 200 });
    return body.data.map((row) => row.id);
  };

  beforeAll(async () => {
    tenant = await admin.tenant();
    foreign = await admin.tenant();
    sibling = await admin.workspace(tenant.organisationId);
  });

  it('[SVC-02] show status, provider, model, tokens, cost, latency, key, workspace and trace, under /v1 and /v2', async () => {
    const record = await log({ traceId: 'shown', cost: 123_456_789, metadata: { team: 'a' } });
    const { status, body } = await list('trace_id=shown');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      object: 'log',
      id: record.id,
      created_at: record.createdAt,
      response_status_code: 200,
      is_success: true,
      outcome: 'ok',
      ai_org: 'openai',
      ai_model: 'gpt-4o',
      req_units: 100,
      res_units: 20,
      total_units: 120,
      cost: 123.456789,
      cost_exact: '123456789',
      cost_currency: 'USD',
      response_time: 120.5,
      overhead_ms: 1.5,
      api_key_id: record.apiKeyId,
      workspace_id: tenant.workspaceId,
      trace_id: 'shown',
      metadata: { team: 'a' },
    } satisfies Partial<LogResponse>);
    const second = await admin.get<LogPage>('/v2/logs?trace_id=shown', { key: tenant.key });
    expect(second.body).toEqual(body);
  });

  it('derive success from outcome and status in the same way in rows, filters and analytics', async () => {
    const outcomes = ['ok', 'provider_error', 'denied', 'failed', 'client_closed', 'interrupted'] as const;
    const ends = outcomes.flatMap((outcome) =>
      [101, 200, 246, 304, 429, 446, 500].map((status) => ({ outcome, status })),
    );
    const traceId = 'ends';
    for (const end of ends) await log({ traceId, ...end, createdAt: at(1) });
    const page = async (query: string): Promise<readonly LogResponse[]> =>
      (await list(`trace_id=${traceId}&page_size=100${query}`)).body.data;
    const rows = await page('');
    expect(
      rows.filter(({ is_success: reported, outcome, response_status_code: status }) => {
        const end = { outcome: outcome, status };
        return reported !== isSuccess(end);
      }),
    ).toEqual([]);
    const total = async (query: string, graph = 'requests'): Promise<unknown> => {
      const path = `/v1/analytics/graphs/${graph}?trace_id=${traceId}${query}`;
      const time = `&time_of_generation_min=${at(3)}&time_of_generation_max=${at(0)}`;
      const { body } = await admin.get<{ summary: unknown }>(`${path}${time}`, { key: tenant.key });
      return body.summary;
    };
    for (const wanted of [true, false]) {
      const expected = rows.filter(({ is_success: reported }) => reported === wanted);
      const query = `&is_success=${String(wanted)}`;
      expect(await page(query)).toEqual(expected);
      expect(await total(query)).toMatchObject({ total: expected.length });
    }
    const errors = ends.filter((end) => resultOf(end) === 'error').length;
    expect(await total('', 'errors')).toEqual({ total: errors });
  });

  it('show and filter which logs had a response from another target', async () => {
    const traceId = 'fallbacks';
    const attempt = (target: number, end: 'answered' | 'status') => ({
      ...{ target: `config.targets[${String(target)}]`, provider: 'openai', credential: null, model: null },
      ...{
        retry: 0,
        status: end === 'status' ? 503 : 200,
        end,
        reason: null,
        startedMs: target,
        durationMs: 1,
      },
    });
    const decision = { config: { source: 'none', slug: null, versionId: null }, stages: {} } as const;
    const made = (attempts: readonly ReturnType<typeof attempt>[]) =>
      log({ traceId, decision: { ...sampleLogRecord().decision, ...decision, attempts } });
    const moved = await made([attempt(0, 'status'), attempt(1, 'answered')]);
    const straight = await made([attempt(0, 'answered')]);
    const shown = async (query: string) =>
      (await list(`trace_id=${traceId}${query}`)).body.data.map((row) => [row.id, row.fell_back]);
    expect(await shown('&fell_back=true')).toEqual([[moved.id, true]]);
    expect(await shown('&fell_back=false')).toEqual([[straight.id, false]]);
    expect(await shown('')).toHaveLength(2);
  });

  it('show and filter which logs were hedged', async () => {
    const traceId = 'hedges';
    const attempt = (target: number, end: 'answered' | 'cancelled', hedge?: 'first' | 'second') => ({
      ...{ target: `config.targets[${String(target)}]`, provider: 'openai', credential: null, model: null },
      ...{ retry: 0, status: end === 'answered' ? 200 : null, end, reason: null, startedMs: target },
      durationMs: 1,
      ...(hedge === undefined ? {} : { hedge }),
    });
    const made = (...attempts: readonly ReturnType<typeof attempt>[]) =>
      log({ traceId, decision: { ...sampleLogRecord().decision, attempts } });
    const [won, lost] = [
      await made(attempt(0, 'cancelled', 'first'), attempt(1, 'answered', 'second')),
      await made(attempt(1, 'cancelled', 'second'), attempt(0, 'answered', 'first')),
    ];
    const single = await made(attempt(0, 'answered'));
    const shown = async (query: string) =>
      (await list(`trace_id=${traceId}${query}`)).body.data
        .map((row) => [row.id, row.hedged, row.fell_back])
        .sort();
    const pairs = [won, lost].map(({ id }) => [id, true, false]).sort();
    expect(await shown('&hedged=true')).toEqual(pairs);
    expect(await shown('&hedged=false')).toEqual([[single.id, false, false]]);
    expect(await shown('')).toHaveLength(3);
  });

  it('show one log with its decision, usage and bodies: JSON, text and bytes', async () => {
    const record = await log(
      { traceId: 'detail', responseBodyTruncated: true },
      { request: Buffer.from('{"model":"gpt-4o"}'), response: Buffer.from('data: [DONE]\n') },
    );
    const binary = await log({ traceId: 'detail', usage: null }, { response: Buffer.from([0xff, 0xfe, 0]) });
    const get = async (id: string): Promise<LogDetailResponse> =>
      (await admin.get(`/v1/logs/${id}`, { key: tenant.key })).body as unknown as LogDetailResponse;

    const shown = await get(record.id);
    expect(shown.decision).toEqual(record.decision);
    expect(shown.usage).toMatchObject({ input_tokens: 100, output_tokens: 20, total_tokens: 120 });
    expect(shown.request).toMatchObject({ encoding: 'json', body: { model: 'gpt-4o' }, truncated: false });
    expect(shown.response).toMatchObject({ encoding: 'utf8', body: 'data: [DONE]\n', truncated: true });
    const other = await get(binary.id);
    expect(other.usage).toBeNull();
    expect(other.request).toMatchObject({ encoding: null, body: null });
    expect(other.response).toMatchObject({ encoding: 'base64', body: '//4A' });
  });

  it('are paged once each, newest first, across days and equal times, while new ones arrive', async () => {
    const written: string[] = [];
    for (let i = 0; i < 23; i += 1) {
      const { id } = await log({ traceId: 'paged', createdAt: at(Math.floor(i / 3) * 9) });
      written.push(id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const query: string = `trace_id=paged&page_size=5${cursor ? `&cursor=${cursor}` : ''}`;
      const { body } = await list(query);
      expect(body.data.length).toBeLessThanOrEqual(5);
      expect(body.has_more).toBe(body.next_cursor !== null);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
      if (pages === 0) await log({ traceId: 'paged', createdAt: new Date(now + 60_000).toISOString() });
    }
    expect([...seen].sort()).toEqual([...written].sort());
    expect(seen).toHaveLength(23);
  });

  it('are returned in numbered pages once each, until an empty page', async () => {
    const written: string[] = [];
    for (let i = 0; i < 7; i += 1) written.push((await log({ traceId: 'numbered', createdAt: at(i) })).id);
    const pages: string[][] = [];
    for (let page = 0; page < 4; page += 1) {
      const { body } = await list(`trace_id=numbered&page_size=3&current_page=${String(page)}`);
      expect(body.has_more).toBe(page < 2);
      pages.push(body.data.map(({ id }) => id));
    }
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1, 0]);
    expect(pages.flat().sort()).toEqual(written.sort());
    const last = await list('trace_id=numbered&page_size=3&current_page=1');
    const rest = await list(`trace_id=numbered&cursor=${String(last.body.next_cursor)}`);
    expect(rest.body.data.map(({ id }) => id)).toEqual(pages[2]);
  });

  it.each([
    ['page_size=100&current_page=100', 'use next_cursor'],
    ['current_page=1&cursor=x', 'mutually exclusive'],
    ['current_page=1&q=abc&time_of_generation_min=2026-01-01T00:00:00Z', 'next_cursor'],
  ])('refuse the page %s, and say how to continue', async (query, way) => {
    const { status, text } = await list(query);
    expect([status, text]).toEqual([400, expect.stringContaining(way)]);
  });

  it('with a metadata value are paged once each, newest first, over weeks and among other logs', async () => {
    const written: string[] = [];
    for (let i = 0; i < 11; i += 1) {
      const { id } = await log({ createdAt: at(i * 40), metadata: { rare: 'yes', other: String(i % 2) } });
      written.push(id);
      await log({ createdAt: at(i * 40), metadata: { rare: 'no' } });
    }
    const pages = async (query: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body }: { body: LogPage } = await list(
          `${query}&page_size=3${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.data.map(({ id }) => id));
        cursor = body.next_cursor;
      }
      return seen;
    };
    expect(await pages('metadata.rare=yes')).toEqual(written);
    expect(await pages('metadata.rare=yes&metadata.other=1')).toHaveLength(5);
    expect(await pages('metadata.rare=never')).toEqual([]);
    const since = encodeURIComponent(at(3 * 40));
    expect(await pages(`metadata.rare=yes&time_of_generation_min=${since}`)).toEqual(written.slice(0, 4));
  });

  it('can be filtered by every field, and by several at once', async () => {
    const apiKeyId = uuidv7();
    const base = { traceId: 'filtered', createdAt: at(2) };
    const plain = await log(base);
    const special = await log({
      ...base,
      createdAt: at(5),
      apiKeyId,
      spanId: 'span-9',
      userId: 'user-9',
      provider: 'anthropic',
      credential: 'claude-team',
      model: 'claude-x',
      route: 'messages',
      status: 429,
      outcome: 'provider_error',
      errorType: 'provider_error',
      configId: 'config-9',
      cacheStatus: 'HIT',
      streamed: true,
      cost: 5_000_000,
      usage: { ...(plain.usage as NonNullable<LogRecord['usage']>), inputTokens: 9_000, outputTokens: 1_000 },
      metadata: { team: 'red', 'a.b': 'c' },
    });
    const matches = [
      `api_key_id=${apiKeyId}`,
      'span_id=span-9',
      'user_id=user-9',
      'provider=anthropic',
      'provider=anthropic,cohere',
      'credential=claude-team',
      'model=claude-x',
      'route=messages',
      'status=429',
      'status=4xx',
      'status=500,4xx',
      'outcome=provider_error',
      'error_type=provider_error',
      'config_id=config-9',
      'cache_status=HIT',
      'streamed=true',
      'cost_min=4.9&cost_max=5',
      'total_units_min=10000',
      'prompt_token_min=9000&prompt_token_max=9000',
      'completion_token_min=1000',
      `time_of_generation_max=${at(4)}`,
      'metadata.team=red',
      'metadata.a.b=c',
      `metadata=${encodeURIComponent('{"team":"red"}')}`,
      'status=4xx&provider=anthropic&streamed=1&metadata.team=red',
    ];
    for (const query of matches) {
      expect({ query, ids: await ids(`trace_id=filtered&${query}`) }).toEqual({ query, ids: [special.id] });
    }
    for (const query of ['status=2xx', 'streamed=false', 'cost_max=1', `time_of_generation_min=${at(3)}`]) {
      expect({ query, ids: await ids(`trace_id=filtered&${query}`) }).toEqual({ query, ids: [plain.id] });
    }
    expect(await ids('trace_id=filtered&status=5xx')).toEqual([]);
    expect(await ids(`trace_id=filtered&provider=${encodeURIComponent(`x' OR '1'='1`)}`)).toEqual([]);
  });

  it.each([
    ['page_size=0', 'page_size'],
    ['page_size=101', 'page_size'],
    ['cursor=nonsense', 'cursor'],
    ['status=42', 'status'],
    ['outcome=great', 'outcome'],
    ['cost_min=abc', 'cost_min'],
    ['cost_min=-1', 'cost_min'],
    ['api_key_id=me', 'api_key_id'],
    ['streamed=perhaps', 'streamed'],
    ['time_of_generation_min=yesterday', 'time_of_generation_min'],
    ['metadata=[1]', 'metadata'],
    ['metadata=%7B%22a%22%3A1%7D', 'metadata.a'],
    ['metadata.a=1&metadata.a=2', 'metadata.a'],
  ])('respond with 400 to %s and name %s', async (query, param) => {
    const { status, body } = await admin.get(`/v1/logs?${query}`, { key: tenant.key });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { type: 'validation_failed', code: 'AB01', param } });
  });

  it('of a workspace are hidden from keys of other workspaces and organisations: not listed, and 404', async () => {
    const own = await log({ traceId: 'tenancy' });
    const inSibling = await log({ traceId: 'tenancy', workspaceId: sibling });
    const { organisationId, workspaceId } = foreign;
    const elsewhere = await log({ traceId: 'tenancy', organisationId, workspaceId });
    const anonymous = await log({ traceId: 'tenancy', organisationId: null, workspaceId: null });

    expect(await ids('trace_id=tenancy')).toEqual([own.id]);
    expect(await ids(`trace_id=tenancy&workspace_id=${tenant.workspaceId}`)).toEqual([own.id]);
    expect(await ids('trace_id=tenancy', foreign.key)).toEqual([elsewhere.id]);
    expect((await ids('trace_id=tenancy', tenant.adminKey)).sort()).toEqual([own.id, inSibling.id].sort());
    expect(await ids(`trace_id=tenancy&workspace_id=${sibling}`, tenant.adminKey)).toEqual([inSibling.id]);

    const statusOf = async (id: string, key: string): Promise<number> =>
      (await admin.get(`/v1/logs/${id}`, { key })).status;
    expect(await statusOf(own.id, tenant.key)).toBe(200);
    expect(await statusOf(inSibling.id, tenant.adminKey)).toBe(200);
    for (const { id } of [inSibling, elsewhere, anonymous]) expect(await statusOf(id, tenant.key)).toBe(404);
    for (const { id } of [elsewhere, anonymous]) expect(await statusOf(id, tenant.adminKey)).toBe(404);
    expect(await statusOf(uuidv7(), tenant.key)).toBe(404);
    expect(await statusOf('not-an-id', tenant.key)).toBe(404);
  });

  it('require a key with a scope of each route', async () => {
    const record = await log({ traceId: 'scopes' });
    const { organisationId, workspaceId } = tenant;
    const keyWith = (...scopes: string[]): Promise<string> =>
      admin.apiKey('workspace-service', { organisationId, workspaceId }, scopes);
    const status = async (url: string, key?: string): Promise<number> =>
      (await admin.get(url, key === undefined ? {} : { key })).status;

    expect(await status('/v1/logs')).toBe(401);
    expect(await status(`/v1/logs/${record.id}`)).toBe(401);
    expect(await status('/v1/logs', await keyWith('logs.view'))).toBe(403);
    expect(await status('/v1/logs', await keyWith('logs.list'))).toBe(200);
    expect(await status(`/v1/logs/${record.id}`, await keyWith('logs.list'))).toBe(403);
    expect(await status(`/v1/logs/${record.id}`, await keyWith('logs.view'))).toBe(200);
  });
});
