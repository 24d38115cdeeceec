import { FeedbackEntity } from '@gw/entities';
import { dayOf, ensureLogPartitions } from '@gw/log-store';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { StubWorker } from '../../spec-support/stub-worker';
import type {
  LogResponse,
  LogDetailResponse,
  LogPage,
  LogTraceResponse,
} from '../../platform/logs/log-responses.dto';

describe('uploaded logs', () => {
  let worker: StubWorker;
  const admin: TestAdminApi = new TestAdminApi(async () => {
    worker = await StubWorker.start(() => admin.dataSource);
    return { WORKER_URL: `${worker.stub.origin}/` };
  });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  beforeAll(async () => {
    await ensureLogPartitions(admin.dataSource, [dayOf(new Date())]);
  });
  afterAll(() => worker.stub.stop());

  const custom = (metadata: Record<string, string> = {}, more: object = {}) => ({
    request: {
      url: 'https://api.example.com/v1/chat/completions?key=secret-of-the-url&a=b',
      provider: 'acme',
      headers: { authorization: 'Bearer secret-of-the-header' },
      body: { model: 'acme-1', messages: [] },
    },
    response: {
      status: 201,
      body: { model: 'acme-1-large', usage: { prompt_tokens: 3, completion_tokens: 4 } },
      response_time: 250,
    },
    metadata,
    ...more,
  });
  const insert = (body: unknown, key = ours.key): Promise<GatewayResponse> =>
    admin.post('/v1/logs', { key, body });
  const list = async (query: string, key = ours.key): Promise<readonly LogResponse[]> =>
    (await admin.get<LogPage>(`/v1/logs?${query}`, { key })).body.data;
  const detail = async (id: string): Promise<GatewayResponse<LogDetailResponse>> =>
    admin.get<LogDetailResponse>(`/v1/logs/${id}`, { key: ours.key });

  it('are stored with trace, spans, provider, model, usage, status, time and bodies', async () => {
    const spans = { trace_id: 't-one', span_id: 's2', parent_span_id: 's1', span_name: 'ask' };
    const { status, body } = await insert(custom({ ...spans, user: 'ada', team: 'search' }));
    expect([status, body]).toEqual([200, { status: 'success' }]);
    const [log] = await list('trace_id=t-one');
    expect(log).toMatchObject({
      ...spans,
      route: 'custom',
      request_method: 'POST',
      request_url: 'https://api.example.com/v1/chat/completions?key=[redacted]&a=b',
      response_status_code: 201,
      provider: 'acme',
      model: 'acme-1',
      response_model: 'acme-1-large',
      req_units: 3,
      res_units: 4,
      cost: null,
      priced: 'unpriced',
      response_time: 250,
      metadata: { _user: 'ada', team: 'search' },
      workspace_id: ours.workspaceId,
    });
    const shown = await detail(log?.id ?? '');
    expect(shown.body.request).toMatchObject({ encoding: 'json', body: { model: 'acme-1', messages: [] } });
    expect(shown.body.response.body).toMatchObject({ model: 'acme-1-large' });
    expect(shown.text).not.toContain('secret-of');
    expect(await list('trace_id=t-one', theirs.key)).toEqual([]);
  });

  it('keep metadata whose name every object inherits', async () => {
    await insert(custom({ trace_id: 't-inherited', constructor: 'ours' }));
    const [log] = await list('trace_id=t-inherited');
    expect(log?.metadata).toEqual({ constructor: 'ours' });
  });

  it('may be sent singly or in batches, and are all stored before the response', async () => {
    const many = Array.from({ length: 120 }, (_, i) => custom({ trace_id: 't-many', n: String(i) }));
    expect((await insert(many)).status).toBe(200);
    expect(await list('trace_id=t-many&page_size=100')).toHaveLength(100);
  });

  it('are stored without bodies when the workspace logs only metrics', async () => {
    const put = (debug_log: 0 | 1): Promise<GatewayResponse> =>
      admin.put(`/v1/workspaces/${ours.workspaceId}`, {
        key: ours.adminKey,
        body: { settings: { debug_log } },
      });
    await put(0);
    await insert(custom({ trace_id: 't-bare' }));
    await put(1);
    const [log] = await list('trace_id=t-bare');
    const { body } = await detail(log?.id ?? '');
    expect([body.request.body, body.response.body, body.request.truncated]).toEqual([null, null, false]);
  });

  it.each<[string, unknown]>([
    ['nothing', []],
    ['no request', { response: { body: {} } }],
    ['a body that is not an object', { request: { url: 'https://x', body: 'text' }, response: { body: {} } }],
    ['an invalid status', custom({}, { response: { body: {}, status: 42 } })],
    ['metadata that is not a string', custom({}, { metadata: { a: 1 } })],
    ['one invalid log among valid ones', [custom(), { request: {} }]],
  ])('are refused as a whole for %s', async (_, body) => {
    const before = worker.stub.requests.length;
    expect((await insert(body)).status).toBe(400);
    expect(worker.stub.requests).toHaveLength(before);
  });

  it('may have 10 MB in total, unlike bodies of other routes', async () => {
    const text = 'x'.repeat(2_000_000);
    const large = custom({ trace_id: 't-large' }, { response: { body: { text } } });
    expect((await insert(large)).status).toBe(200);
    const [log] = await list('trace_id=t-large');
    expect((await detail(log?.id ?? '')).body.response).toMatchObject({ truncated: true, bytes: 2_000_011 });
    expect((await insert(custom({}, { response: { body: { text: 'x'.repeat(11_000_000) } } }))).status).toBe(
      413,
    );
    expect(
      (await admin.post('/v1/feedback', { key: ours.key, body: { trace_id: text, value: 1 } })).status,
    ).toBe(413);
  });

  it('get 503 while the worker is down', async () => {
    worker.isAway = true;
    const { status, body } = await insert(custom());
    worker.isAway = false;
    expect([status, body['error']]).toEqual([503, expect.objectContaining({ type: 'unavailable' })]);
  });

  it('require both scopes', async () => {
    const at = { organisationId: ours.organisationId, workspaceId: ours.workspaceId };
    const keyWith = (...scopes: string[]): Promise<string> => admin.apiKey('workspace-service', at, scopes);
    expect((await admin.post('/v1/logs', { body: custom() })).status).toBe(401);
    for (const scope of ['logs.write', 'completions.write'])
      expect((await insert(custom(), await keyWith(scope))).status).toBe(403);
    expect((await insert(custom(), await keyWith('logs.write', 'completions.write'))).status).toBe(200);
  });

  describe('feedback on uploaded logs', () => {
    const give = (body: unknown, key = ours.key): Promise<GatewayResponse<{ feedback_ids: string[] }>> =>
      admin.post('/v1/feedback', { key, body });

    it('is shown with the log, can be changed, and filters lists', async () => {
      await insert([
        custom({ trace_id: 'f-good' }),
        custom({ trace_id: 'f-bad' }),
        custom({ trace_id: 'f-none' }),
      ]);
      const { status, body } = await give([
        { trace_id: 'f-good', value: 10, weight: 0.5, metadata: { by: 'ada' } },
        { trace_id: 'f-bad', value: -4 },
        { trace_id: 'f-good', value: 4, weight: 7 },
      ]);
      expect([status, body.feedback_ids.length]).toEqual([200, 3]);
      const [log] = await list('trace_id=f-good');
      const shown = async () => (await detail(log?.id ?? '')).body.feedback;
      const feedback = await shown();
      expect(feedback).toHaveLength(2);
      expect(feedback).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: body.feedback_ids[2], value: 4, weight: 1, source: 'api' }),
          expect.objectContaining({
            id: body.feedback_ids[0],
            value: 10,
            weight: 0.5,
            metadata: { by: 'ada' },
          }),
        ]),
      );
      const traces = async (query: string): Promise<string[]> =>
        (await list(`trace_id=f-good,f-bad,f-none&${query}`)).map((row) => row.trace_id);
      // The weighted feedback is (10 × 0.5 + 4) ÷ 1.5.
      expect(await traces('weighted_feedback_min=6')).toEqual(['f-good']);
      expect(await traces('weighted_feedback_min=6.1')).toEqual([]);
      expect(await traces('weighted_feedback_max=0')).toEqual(['f-bad']);
      const put = await admin.put<{ feedback_ids: string[] }>(`/v1/feedback/${body.feedback_ids[1] ?? ''}`, {
        key: ours.key,
        body: { value: 9, metadata: { changed: true } },
      });
      expect([put.status, put.body.feedback_ids]).toEqual([200, [body.feedback_ids[1]]]);
      expect(await traces('weighted_feedback_max=0')).toEqual([]);
    });

    it.each([{ value: 11 }, { value: 1.5 }, { value: null }, { trace_id: '' }, { weight: 'much' }])(
      'is refused as %j',
      async (more) => {
        expect((await give({ trace_id: 'x', value: 1, ...more })).status).toBe(400);
      },
    );

    it('belongs to one workspace', async () => {
      const { body } = await give({ trace_id: 'private', value: 1 });
      const url = `/v1/feedback/${body.feedback_ids[0] ?? ''}`;
      expect((await admin.put(url, { key: theirs.key, body: { value: 2 } })).status).toBe(404);
      const row = await admin.dataSource.manager.findOneByOrFail(FeedbackEntity, { traceId: 'private' });
      expect(row.value).toBe(1);
    });
  });

  it('form a tree by their spans', async () => {
    const span = (span_id: string, parent_span_id?: string) =>
      custom({ trace_id: 'tree', span_id, ...(parent_span_id === undefined ? {} : { parent_span_id }) });
    for (const each of [span('root'), span('a', 'root'), span('b', 'root'), span('c', 'a')])
      await insert(each);
    const { body } = await admin.get<LogTraceResponse>('/v1/logs/traces/tree', { key: ours.key });
    const shape = (nodes: LogTraceResponse['spans']): unknown =>
      nodes.map(({ log, children }) => [log.span_id, shape(children)]);
    expect(shape(body.spans)).toEqual([
      [
        'root',
        [
          ['a', [['c', []]]],
          ['b', []],
        ],
      ],
    ]);
    expect(body).toMatchObject({ object: 'trace', trace_id: 'tree', truncated: false });
    expect((await admin.get('/v1/logs/traces/tree', { key: theirs.key })).status).toBe(404);
  });
});
