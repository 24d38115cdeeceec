import type { LogRecord } from '@gw/contracts';
import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { uuidv7, DAY_MS } from '@gw/kernel';
import { addToRollups, dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';

type Fields = Record<string, unknown>;
interface Graph {
  readonly object: string;
  readonly summary: Fields;
  readonly data_points: readonly Fields[];
}
interface Groups {
  readonly total?: number;
  readonly data: readonly Fields[];
}

describe('analytics', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  let sibling: string;
  // The data is on a past day, of which two hours are requested.
  const day = Math.floor(Date.now() / DAY_MS - 2) * DAY_MS;
  const at = (minutes: number): string => new Date(day + minutes * 60_000).toISOString();
  const period = (from: number, to: number): string =>
    `time_of_generation_min=${at(from)}&time_of_generation_max=${at(to)}`;
  const usage = (inputTokens: number): LogRecord['usage'] => ({
    ...(sampleLogRecord().usage as NonNullable<LogRecord['usage']>),
    inputTokens,
    outputTokens: 0,
  });

  const put = async (...records: Partial<LogRecord>[]): Promise<void> => {
    const { organisationId, workspaceId } = tenant;
    const rows = records.map((changes) =>
      requestLogRow(sampleLogRecord({ organisationId, workspaceId, metadata: {}, ...changes })),
    );
    await ensureLogPartitions(admin.dataSource, new Set(rows.map((row) => dayOf(row.created_at))));
    await admin.dataSource.transaction(async (manager) => {
      await insertLogs(
        manager,
        rows.map((row) => ({ row, request: null, response: null })),
      );
      await addToRollups(manager, rows);
    });
  };
  const read = async <T = Graph>(path: string, query = period(0, 1_439), key = tenant.key): Promise<T> => {
    const { status, body, text } = await admin.get<Fields>(`/v1/analytics/${path}?${query}`, { key });
    expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
    return body as T;
  };
  const refused = (path: string, query: string, key = tenant.key): Promise<GatewayResponse> =>
    admin.get(`/v1/analytics/${path}?${query}`, { key });
  const nonZero = ({ data_points: points }: Graph, field: string): Fields[] =>
    points.filter((point) => point[field] !== 0);

  beforeAll(async () => {
    tenant = await admin.tenant();
    sibling = await admin.workspace(tenant.organisationId);
    const cached = (status: string, durationMs: number, savedCost: number): Partial<LogRecord> => ({
      ...{ createdAt: at(125), cacheStatus: status, durationMs, cost: 0, usage: usage(0) },
      decision: { ...sampleLogRecord().decision, cache: { status, key: 'k', savedCost } },
    });
    const attempt = {
      ...{ provider: 'openai', credential: null, model: null, retry: 0, status: 500, reason: null },
      ...{ startedMs: 0, durationMs: 1 },
    };
    await put(
      {
        createdAt: at(5),
        cost: 1_000_000,
        usage: usage(10),
        durationMs: 100,
        metadata: { _user: 'ann', team: 'a' },
      },
      {
        createdAt: at(6),
        cost: 3_000_000,
        usage: usage(30),
        durationMs: 300,
        metadata: { _user: 'ann', team: 'b' },
      },
      {
        createdAt: at(70),
        cost: 5_000_000,
        usage: usage(50),
        durationMs: 500,
        metadata: { _user: 'bob', team: 'a' },
      },
      { createdAt: at(71), model: 'claude-4', provider: 'anthropic', cost: null, usage: null, status: 429 },
      {
        ...{ createdAt: at(72), status: 500, cost: null, usage: null, traceId: 'failed', route: 'mcp.call' },
        ...{ mcpServer: 'github', mcpMethod: 'tools/call', mcpCapability: 'search_issues' },
      },
      { createdAt: at(130), retries: 2, cost: null, usage: null, route: 'a2a.send' },
      {
        createdAt: at(131),
        ...{ cost: null, usage: null },
        decision: {
          ...sampleLogRecord().decision,
          attempts: [
            { ...attempt, target: 'config.targets[0]', end: 'status' },
            { ...attempt, target: 'config.targets[1]', status: 200, end: 'answered' },
          ],
        },
      },
      cached('HIT', 10, 2_000_000),
      cached('SEMANTIC HIT', 30, 4_000_000),
      { createdAt: at(126), cacheStatus: 'MISS', durationMs: 200, cost: null, usage: null },
      { createdAt: at(5), workspaceId: sibling, cost: 7_000_000 },
    );
  });

  it('[REL-03] counts LLM, MCP and A2A requests, in the request graph and in the summary', async () => {
    const graph = await read('graphs/requests');
    expect(graph.object).toBe('analytics-graph');
    expect(graph.summary).toEqual({ total: 10, llm: 8, mcp: 1, a2a: 1 });
    expect(nonZero(graph, 'mcp')).toEqual([{ timestamp: at(60), total: 3, llm: 2, mcp: 1, a2a: 0 }]);
    expect(await read('summary/counters')).toEqual({
      object: 'analytics-summary',
      summary: { total: 10, llm: 8, mcp: 1, a2a: 1 },
    });
    const some = await read('graphs/requests', `${period(0, 1_439)}&request_type=mcp,a2a`);
    expect(some.summary).toEqual({ total: 2, llm: 0, mcp: 1, a2a: 1 });
  });

  it('shows cost in cents, tokens, users, and request latencies', async () => {
    const cost = await read('graphs/cost');
    expect(cost.summary).toEqual({ total: 9, avg: 0.9 });
    expect(nonZero(cost, 'total')).toEqual([
      { timestamp: at(0), total: 4, avg: 2 },
      { timestamp: at(60), total: 5, avg: 5 / 3 },
    ]);
    expect((await read('graphs/tokens')).summary).toEqual({ total: 90, avg: 9 });
    const latency = await read('graphs/latency', period(0, 59));
    expect(latency.summary['avg']).toBe(200);
    const percentiles = latency.summary as Record<string, number>;
    expect(Math.abs((percentiles['p50'] ?? 0) - 100)).toBeLessThanOrEqual(2.5);
    expect(Math.abs((percentiles['p99'] ?? 0) - 300)).toBeLessThanOrEqual(7.5);
    expect((await read('graphs/users')).summary).toEqual({ total: 2 });
    expect((await read('graphs/users/requests')).summary).toEqual({ total: 3, unique: 2, avg: 1.5 });
  });

  it('shows errors, error rates and statuses, and requests rescued by retries and fallbacks', async () => {
    expect((await read('graphs/errors')).summary).toEqual({ total: 2 });
    expect((await read('graphs/errors/rate')).summary).toEqual({ rate: 20 });
    const stacks = await read('graphs/errors/stacks');
    expect(stacks.summary).toEqual({ total: 2 });
    expect(stacks.data_points.filter(({ stats }) => (stats as unknown[]).length > 0)).toEqual([
      {
        timestamp: at(60),
        stats: [
          { response_status_code: 429, count: 1 },
          { response_status_code: 500, count: 1 },
        ],
      },
    ]);
    const codes = await read('graphs/errors/status-codes');
    expect(codes.summary).toEqual({ total_errors: 2, unique_error_codes: 2 });
    const rescued = await read('graphs/requests/rescued');
    expect(rescued.summary).toEqual({ retry: 1, fallback: 1 });
    expect(nonZero(rescued, 'fallback')).toEqual([
      { timestamp: at(120), retry: [{ retry_success_count: 2, count: 1 }], fallback: 1 },
    ]);
  });

  it('shows cache hits, savings and the speedup', async () => {
    const hits = await read('graphs/cache/hit-rate');
    expect(hits.summary).toEqual({ total: 2, rate: 20 });
    expect(hits.data_points.at(-1)).toMatchObject({
      simple_hits: 0,
      cumulative_simple_cache_savings: 2,
      cumulative_semantic_cache_savings: 4,
    });
    expect(nonZero(await read('graphs/cache/latency'), 'avg')).toEqual([{ timestamp: at(120), avg: 20 }]);
    expect(await read('summary/cache')).toEqual({
      object: 'analytics-summary',
      summary: { hits: 2, avg_latency: 20, total_requests: 10, cache_speedup: 90 },
    });
  });

  it('shows feedback by time, score and model, and filters requests by their feedback', async () => {
    const { organisationId, workspaceId } = tenant;
    const trace = 'rated';
    await put({ createdAt: at(200), traceId: trace, cost: 0, usage: null, metadata: { team: 'rated' } });
    for (const [value, weight] of [
      [10, 1],
      [4, 0.5],
      [-5, 1],
    ] as const) {
      await admin.dataSource.query(
        `INSERT INTO feedback (id, organisation_id, workspace_id, trace_id, value, weight, source, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'api', $7)`,
        [uuidv7(), organisationId, workspaceId, value < 0 ? 'failed' : trace, value, weight, at(210)],
      );
    }
    const given = await read('graphs/feedbacks');
    expect(given.summary).toEqual({ total: 3 });
    expect(nonZero(given, 'total')).toEqual([{ timestamp: at(210), total: 3 }]);
    expect((await read('graphs/feedbacks/weighted')).summary).toEqual({ avg: 7 / 3 });
    expect((await read('graphs/feedbacks/scores')).data_points).toEqual([
      { score: -5, total: 1 },
      { score: 4, total: 1 },
      { score: 10, total: 1 },
    ]);
    expect((await read('graphs/feedbacks/ai-models')).data_points).toEqual([
      { ai_model: 'gpt-4o', total: 3, avg_weighted_feedback: 7 / 3 },
    ]);
    // Filters apply to requests: feedback counts if a request of its trace matches.
    const totals = async (filter: string): Promise<unknown[]> => {
      const query = `${period(0, 1_439)}&${filter}`;
      const paths = ['graphs/feedbacks', 'graphs/feedbacks/scores', 'graphs/feedbacks/ai-models'];
      const [byTime, byScore, byModel] = await Promise.all(paths.map((path) => read(path, query)));
      const models = byModel?.data_points.map(({ total }) => total);
      return [byTime?.summary['total'], byScore?.summary['total'], models];
    };
    expect(await totals(`trace_id=${trace}`)).toEqual([2, 2, [2]]);
    expect(await totals('metadata=%7B%22team%22%3A%22rated%22%7D')).toEqual([2, 2, [2]]);
    expect(await totals('request_type=mcp')).toEqual([1, 1, [1]]);
    expect(await totals('ai_org_model=openai__gpt-4o')).toEqual([3, 3, [3]]);
    expect(await totals('ai_org_model=openai__unheard')).toEqual([0, 0, []]);
    expect(await totals('total_units_min=100000')).toEqual([0, 0, []]);
    expect(await totals('weighted_feedback_max=-1')).toEqual([1, 1, [1]]);
    const liked = await read('graphs/requests', `${period(0, 1_439)}&weighted_feedback_min=1`);
    expect(liked.summary).toMatchObject({ total: 1, llm: 1 });
    const disliked = await read('graphs/requests', `${period(0, 1_439)}&weighted_feedback_max=-1`);
    expect(disliked.summary).toMatchObject({ total: 1, mcp: 1 });
    expect(
      (await read('graphs/requests', `${period(0, 1_439)}&weighted_feedback_min=9.5`)).summary,
    ).toMatchObject({
      total: 0,
    });
    const teams = await read<Groups>('groups/metadata/team');
    expect(teams.data.find(({ metadata_value: value }) => value === 'rated')).toMatchObject({
      avg_weighted_feedback: 6,
      requests_with_feedback: 1,
    });
  });

  it('groups by users, models, metadata and other dimensions, with the requested columns', async () => {
    expect((await read<Groups>('groups/users')).data).toEqual([
      { object: 'analytics-group', user: 'ann', requests: 2, cost: 4 },
      { object: 'analytics-group', user: 'bob', requests: 1, cost: 5 },
    ]);
    const models = await read<Groups>('groups/ai-models', `${period(0, 130)}&page_size=1&current_page=1`);
    expect(models).toMatchObject({ total: 2, data: [{ ai_model: 'claude-4', requests: 1 }] });
    expect((await read<Groups>('groups/metadata/team', period(0, 130))).data).toEqual([
      {
        ...{ object: 'analytics-group', metadata_value: 'a', requests: 2, cost: 6, avg_tokens: 30 },
        ...{ avg_weighted_feedback: 0, requests_with_feedback: 0, last_seen: at(70) },
      },
      {
        ...{ object: 'analytics-group', metadata_value: 'b', requests: 1, cost: 3, avg_tokens: 30 },
        ...{ avg_weighted_feedback: 0, requests_with_feedback: 0, last_seen: at(6) },
      },
    ]);
    expect(await read<Groups>('metadata/team', period(0, 130))).toMatchObject({
      total: 2,
      data: [{ value: 'a' }, { value: 'b' }],
    });
    const columns = 'columns=cost,requests,success_rate,p95_latency,first_seen';
    const byModel = await read<Groups>(
      'groups/model',
      `${period(0, 130)}&${columns}&order_by=success_rate&order_by_type=asc`,
    );
    expect(byModel.data.map(({ group_key: key }) => key)).toEqual(['claude-4', 'gpt-4o']);
    expect(byModel.data[1]).toMatchObject({ cost: 9, requests: 8, success_rate: 87.5, first_seen: at(5) });
    const untotalled = await read<Groups>('groups/status_code', `${period(0, 130)}&include_total=false`);
    expect(untotalled.total).toBeUndefined();
    expect(untotalled.data[0]).toEqual({ object: 'analytics-group', group_key: '200', requests: 7 });
  });

  it('groups requests to MCP servers by server, method and capability', async () => {
    const filter = `${period(0, 130)}&request_type=mcp&columns=requests,error_count`;
    for (const [group, key] of [
      ['mcp_server', 'github'],
      ['mcp_method', 'tools/call'],
      ['mcp_capability', 'search_issues'],
    ] as const)
      expect((await read<Groups>(`groups/${group}`, filter)).data).toEqual([
        { object: 'analytics-group', group_key: key, requests: 1, error_count: 1 },
      ]);
    // Requests to models form one separate group.
    const all = await read<Groups>('groups/mcp_server', period(0, 130));
    expect(all.data.map(({ group_key: key }) => key)).toEqual([null, 'github']);
  });

  it('applies every documented filter', async () => {
    const totals: Record<string, number> = {
      'status_code=429,500': 2,
      'ai_org_model=anthropic__claude-4': 1,
      'virtual_keys=openai-main': 11,
      'virtual_keys=nobody': 0,
      'trace_id=failed': 1,
      'cost_min=3': 2,
      'cost_max=1&cost_min=0.5': 1,
      'total_units_min=30&total_units_max=40': 1,
      'prompt_token_min=50': 1,
      'completion_token_max=0&prompt_token_min=1': 3,
      'metadata=%7B%22team%22:%22a%22%7D': 2,
      'api_key_ids=33333333-3333-4333-8333-333333333333': 11,
      'configs=none': 0,
      'prompt_slug=none': 0,
      'mcp_server=github,other': 1,
      'mcp_method=tools%2Fcall': 1,
      'mcp_capability=search_issues': 1,
      'mcp_server=other&mcp_capability=search_issues': 0,
      'span_id=none': 0,
      'cache_status=HIT': 1,
    };
    for (const [query, total] of Object.entries(totals)) {
      const { summary } = await read('graphs/requests', `${period(0, 1_439)}&${query}`);
      expect([query, summary['total']]).toEqual([query, total]);
    }
  });

  it('[LIM-07] serves a year of 365 days in as many buckets as fit, filled with zeros, in the UTC offset of the query', async () => {
    const spans: readonly (readonly [hours: number, sizeMinutes: number])[] = [
      [2, 1],
      [24, 15],
      [7 * 24, 60],
      [31 * 24, 360],
      [365 * 24, 1_440],
    ];
    for (const [hours, size] of spans) {
      const { data_points: points } = await read('graphs/requests', period(-hours * 60, 0));
      expect(points).toHaveLength((hours * 60) / size + 1);
      expect(points.at(-1)?.['timestamp']).toBe(at(0));
    }
    const shifted = `time_of_generation_min=${at(-20_000).replace('Z', '%2B02:00')}&time_of_generation_max=${at(0)}`;
    const { data_points: points } = await read('graphs/requests', shifted);
    expect(new Date(String(points[0]?.['timestamp'])).getUTCHours() % 6).toBe(4);
  });

  it('refuses an inverted or too long range, unknown columns, and sorting by a column that is not requested', async () => {
    const bad: readonly (readonly [path: string, query: string, param: string])[] = [
      ['graphs/cost', '', 'time_of_generation_min'],
      ['graphs/cost', period(10, 5), 'time_of_generation_max'],
      ['graphs/cost', period(-367 * 1_440, 0), 'time_of_generation_max'],
      ['graphs/cost', `${period(0, 5)}&ai_org_model=gpt`, 'ai_org_model'],
      ['graphs/cost', `${period(0, 5)}&metadata=[]`, 'metadata'],
      ['graphs/cost', `${period(0, 5)}&weighted_feedback_min=11`, 'weighted_feedback_min'],
      ['groups/model', `${period(0, 5)}&columns=secrets`, 'columns'],
      ['groups/model', `${period(0, 5)}&columns=cost&order_by=requests`, 'order_by'],
      ['groups/model', `${period(0, 5)}&page_size=101`, 'page_size'],
    ];
    for (const [path, query, param] of bad) {
      const { status, body } = await refused(path, query);
      expect([query, status, body]).toMatchObject([query, 400, { error: { param } }]);
    }
    expect((await refused('groups/nothing', period(0, 5))).status).toBe(404);
  });

  it('selects workspaces: the default one for an organisation key, also archived ones, and all of them in a group', async () => {
    const total = async (query: string, key: string): Promise<unknown> =>
      (await read('graphs/requests', `${period(0, 10)}${query}`, key)).summary['total'];
    const [archived] = await admin.dataSource.manager.findBy(WorkspaceEntity, { id: sibling });
    await admin.dataSource.manager.update(WorkspaceEntity, { id: sibling }, { status: 'archived' });
    expect(await total('', tenant.adminKey)).toBe(2);
    expect(await total(`&workspace_slug=${archived?.slug ?? ''}`, tenant.adminKey)).toBe(1);
    expect(await total(`&workspace_slug=${archived?.slug ?? ''}`, tenant.key)).toBe(2);
    const groups = await read<Groups>('groups/workspaces', period(0, 10), tenant.adminKey);
    expect(groups.data).toEqual([
      { object: 'analytics-group', group_key: tenant.workspaceId, requests: 2 },
      { object: 'analytics-group', group_key: sibling, requests: 1 },
    ]);
    const foreign = await admin.tenant();
    expect(
      (
        await refused(
          'graphs/cost',
          `${period(0, 10)}&workspace_slug=${archived?.slug ?? ''}`,
          foreign.adminKey,
        )
      ).status,
    ).toBe(404);
    await admin.dataSource.manager.update(WorkspaceEntity, { id: sibling }, { status: 'active' });
  });

  it('[REL-13] limits members and managers by membersViewAnalytics, managersViewAnalytics and membersViewAllData', async () => {
    const { organisationId, workspaceId } = tenant;
    const tokens: Record<string, string> = {};
    const ids: Record<string, string> = {};
    for (const role of ['member', 'manager'] as const) {
      const user = await admin.user(organisationId, 'member', { [workspaceId]: role });
      tokens[role] = await admin.login(user.email);
      ids[role] = user.id;
    }
    await put({ createdAt: at(300), userId: ids['member'] ?? null });
    const total = async (role: string): Promise<unknown> => {
      const url = `/v1/analytics/graphs/requests?${period(290, 310)}&workspace_id=${workspaceId}`;
      const { status, body } = await admin.get<Partial<Graph>>(url, { token: tokens[role] as string });
      return status === 200 ? body.summary?.['total'] : status;
    };
    const settle = async (securitySettings: Record<string, boolean>): Promise<void> => {
      await admin.dataSource.manager.update(OrganisationEntity, { id: organisationId }, { securitySettings });
    };
    await settle({ membersViewAnalytics: false });
    expect([await total('member'), await total('manager')]).toEqual([403, 1]);
    await settle({ managersViewAnalytics: false });
    expect([await total('member'), await total('manager')]).toEqual([1, 403]);
    await settle({ membersViewAllData: false, managersViewAllData: false });
    expect([await total('member'), await total('manager')]).toEqual([1, 0]);
    await settle({});
    const poor = await admin.apiKey('workspace-service', { organisationId, workspaceId }, ['logs.list']);
    expect((await refused('graphs/cost', period(0, 5), poor)).status).toBe(403);
    expect((await admin.get(`/v1/analytics/graphs/cost?${period(0, 5)}`)).status).toBe(401);
  });
});
