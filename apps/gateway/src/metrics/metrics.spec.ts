import { monitoredMetrics, readPrometheus, StubProvider, type PrometheusFamily } from '@gw/testing';
import { startMetricsServer } from '@gw/web';
import { RequestAttempts } from '../attempt/request-attempts';
import type { RequestContext } from '../core/request-context';
import { RequestReply } from '../reply/request-reply';
import { RequestUsage } from '../usage/request-usage';
import { GatewayHarness } from '../spec-support/harness';
import { gatewayMetrics } from './gateway-metrics';
import { RequestMetrics } from './request-metrics';

const NO_SHIPPER = { stats: () => ({ shipped: 3, failedSends: 1, failingSince: new Date() }) };

describe('gateway metrics', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;
  let metrics: { readonly port: number; close(): void };

  beforeEach(async () => {
    [gateway, provider] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
    gateway.addProvider('main', 'openai', provider.origin);
    const { journal, plane } = gateway;
    const state = { verified: true, entries: 7, source: 'memory' } as const;
    const render = gatewayMetrics(gateway.metrics, {
      journal,
      routing: plane.routing,
      overload: plane.overload,
      outbound: plane.outbound,
      refused: plane.refused,
      faults: gateway.faults,
      shipper: NO_SHIPPER,
      orphans: { sealedCount: 0 },
      policyValues: { overflowRequests: 0 },
      chargesAlone: { stats: () => ({ sent: 5, waiting: 2, lost: 1 }) },
      documents: { state: () => state as never },
    });
    metrics = await startMetricsServer({ host: '127.0.0.1', port: 0 }, render);
  });
  afterEach(async () => {
    metrics.close();
    await Promise.all([gateway.stop(), provider.stop()]);
  });

  const ask = (model: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
  let text = '';
  const scrape = async (): Promise<ReadonlyMap<string, PrometheusFamily>> => {
    const response = await fetch(`http://127.0.0.1:${String(metrics.port)}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    text = await response.text();
    return readPrometheus(text);
  };
  /** The parser merges all histograms of a family. */
  const countOf = (histogram: string, labels: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${histogram}_count${labels} `))
        ?.split(' ')[1],
    );
  const valueOf = (
    families: Awaited<ReturnType<typeof scrape>>,
    name: string,
    labels: Record<string, string> = {},
  ): number | undefined => {
    const found = families
      .get(name)
      ?.metrics.find((sample) =>
        Object.entries(labels).every(([key, value]) => sample.labels?.[key] === value),
      );
    return found === undefined ? undefined : Number(found.value);
  };

  it('report the result of charges whose log record was dropped', async () => {
    await scrape();
    expect(text).toContain('tollgate_charges_alone_total{result="sent"} 5');
    expect(text).toContain('tollgate_charges_alone_total{result="lost"} 1');
    expect(text).toContain('tollgate_charges_alone_waiting 2');
  });

  it('count requests by route, provider, model and status, with durations, tokens and overhead, in a format that a parser reads', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
    provider.respondJson({ id: 'x', object: 'chat.completion', model: 'gpt-4o', choices: [], usage });
    for (let i = 0; i < 3; i += 1) await (await ask('gpt-4o')).text();
    provider.respond({ status: 500 });
    await (await ask('gpt-4o')).text();
    await (await ask('gpt-4o', { 'x-gw-api-key': 'wrong' })).text();
    const families = await scrape();
    const labels = { route: 'chat.completions', provider: 'openai' };
    const written = '{route="chat.completions",provider="openai"}';
    expect(families.get('tollgate_request_duration_seconds')?.type).toBe('HISTOGRAM');
    expect(valueOf(families, 'tollgate_requests_total', { ...labels, model: 'gpt-4o', status: '200' })).toBe(
      3,
    );
    expect(valueOf(families, 'tollgate_requests_total', { ...labels, model: 'gpt-4o', status: '500' })).toBe(
      1,
    );
    expect(
      valueOf(families, 'tollgate_requests_total', { provider: 'none', model: 'none', status: '401' }),
    ).toBe(1);
    expect(countOf('tollgate_request_duration_seconds', written)).toBe(4);
    expect(countOf('tollgate_time_to_first_byte_seconds', written)).toBeGreaterThanOrEqual(3);
    expect(countOf('tollgate_overhead_seconds', '')).toBe(5);
    expect(valueOf(families, 'tollgate_tokens_total', { ...labels, direction: 'input' })).toBe(21);
    expect(valueOf(families, 'tollgate_tokens_total', { ...labels, direction: 'output' })).toBe(15);
    expect(valueOf(families, 'tollgate_cost_usd_total', labels)).toBeGreaterThan(0);
    expect(valueOf(families, 'tollgate_attempts_total', { provider: 'openai', end: 'answered' })).toBe(3);
    expect(valueOf(families, 'tollgate_outcomes_total', { outcome: 'ok' })).toBe(3);
    expect(valueOf(families, 'tollgate_refused_requests_total', { reason: 'unknown' })).toBe(1);
    expect(valueOf(families, 'tollgate_refused_requests_unlogged_total')).toBe(0);
  });

  it('report the state of journal, shipping, breakers, documents, event loop and memory', async () => {
    const families = await scrape();
    const names = [
      ...['tollgate_journal_backlog_bytes', 'tollgate_journal_dropped_total', 'tollgate_breakers_open'],
      ...['tollgate_cache_total', 'tollgate_errors_total', 'tollgate_routing_events_total'],
      ...['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'],
    ];
    expect(names.filter((name) => !families.has(name))).toEqual([]);
    expect(valueOf(families, 'tollgate_journal_shipped_total')).toBe(3);
    expect(valueOf(families, 'tollgate_journal_shipping_failing')).toBe(1);
    expect(valueOf(families, 'tollgate_read_model_documents')).toBe(7);
    expect((await fetch(`http://127.0.0.1:${String(metrics.port)}/`)).status).toBe(404);
  });

  it('contain every gateway metric that the dashboard and the alerts use', async () => {
    const families = await scrape();
    const others = /^tollgate_(?:ingest|job|http)/;
    const requested = [
      ...monitoredMetrics('tollgate_'),
      ...monitoredMetrics('nodejs_'),
      ...monitoredMetrics('process_'),
    ];
    expect(requested.length).toBeGreaterThan(20);
    expect(requested.filter((name) => !others.test(name) && !families.has(name))).toEqual([]);
  });

  it('count errors that the status does not show, such as broken streams', () => {
    const requests = new RequestMetrics();
    const count = (status: number, facts?: Partial<RequestReply>): void => {
      requests.count(contextOf('gpt-4o', status, facts), 1);
    };
    count(200);
    count(101);
    count(200, { hasClientLeft: true });
    count(200, { isCut: true });
    count(502, { isCut: true });
    count(101, { isDenied: true });
    expect(Object.fromEntries(requests.broken)).toEqual({ interrupted: 1, denied: 1 });
  });

  it('are bounded whatever models callers name: models past the cap, and unknown models, are "other"', () => {
    const requests = new RequestMetrics();
    for (let i = 0; i < 100; i += 1) requests.count(contextOf(`unknown-${String(i)}`, 404), 1);
    for (let i = 0; i < 1_000; i += 1) requests.count(contextOf(`model-${String(i)}`, 200), 1);
    const [counts, ...more] = [...requests.providers()];
    expect(more).toEqual([]);
    expect(counts?.models.size).toBe(201);
    const { statuses } = counts?.models.get('other') ?? { statuses: new Map<number, { count: number }>() };
    expect([statuses.get(404)?.count, statuses.get(200)?.count]).toEqual([100, 800]);
  });
});

const contextOf = (model: string, status: number, facts: Partial<RequestReply> = {}): RequestContext =>
  ({
    response: { upstream: { provider: { id: 'openai' }, model }, cache: null },
    attempts: new RequestAttempts(),
    reply: Object.assign(new RequestReply(), { status, ...facts }),
    usage: new RequestUsage(),
    ...{ route: { name: 'chat.completions' }, mcp: null, startedAt: 0, elapsedMs: () => 1 },
  }) as unknown as RequestContext;
