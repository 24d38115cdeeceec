import { callSpanId } from '@gw/telemetry';
import { modernRequest, readPrometheus, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { gatewayMetrics } from '../metrics/gateway-metrics';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OTHER_TRACE = '1bf7651916cd43dd8448eb211c80319d';
const PARENT = 'b7ad6b7169203331';

describe('telemetry of MCP requests', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    saveServer(gateway, await serverDocument(fixture.url, 'tools'));
  });
  afterEach(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const send = async (
    method: string,
    params: { readonly name?: string } & object,
    { meta = {}, headers = {} }: { readonly meta?: object; readonly headers?: Record<string, string> } = {},
  ): Promise<void> => {
    const request = modernRequest(gateway.apiKey, method, params, {}, meta);
    const url = `http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`;
    await (await fetch(url, { ...request, headers: { ...request.headers, ...headers } })).text();
  };
  const echo = { name: 'echo', arguments: { text: 'hi' } };
  /** Returns the trace context that the server received, in headers and in members of `_meta`. */
  const sent = () => {
    const { headers, message } = fixture.requests.at(-1) as (typeof fixture.requests)[number];
    const { _meta } = (message as { params: { _meta: Record<string, unknown> } }).params;
    const of = ({ traceparent, tracestate }: Readonly<Record<string, unknown>>) => ({
      traceparent,
      tracestate,
    });
    return [of(headers), of(_meta)];
  };

  it('continues the trace of the message, and sends the span of the call to the server', async () => {
    await send('tools/call', echo, {
      meta: { traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'a=1' },
      headers: { traceparent: `00-${OTHER_TRACE}-${PARENT}-01`, tracestate: 'b=2' },
    });
    const [record] = await gateway.records();
    expect(record).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, spanName: 'tools/call echo' });
    const traceparent = `00-${TRACE}-${callSpanId(String(record?.id), 0)}-00`;
    expect(sent()).toEqual([
      { traceparent, tracestate: 'a=1' },
      { traceparent, tracestate: 'a=1' },
    ]);
  });

  it('continues the trace of the HTTP request where the message carries none that is valid', async () => {
    await send('tools/call', echo, {
      meta: { traceparent: 'nonsense', tracestate: 'a=1' },
      headers: { traceparent: `00-${OTHER_TRACE}-${PARENT}-01`, tracestate: 'b=2' },
    });
    const [record] = await gateway.records();
    expect(record).toMatchObject({ traceId: OTHER_TRACE, parentSpanId: PARENT });
    const traceparent = `00-${OTHER_TRACE}-${callSpanId(String(record?.id), 0)}-01`;
    expect(sent()).toEqual([
      { traceparent, tracestate: 'b=2' },
      { traceparent, tracestate: 'b=2' },
    ]);
  });

  it('begins a trace of its own without one, and keeps the trace that the gateway headers name', async () => {
    await send('tools/call', echo);
    const [first] = await gateway.records();
    const trace = String(first?.traceId).replaceAll('-', '');
    const traceparent = `00-${trace}-${callSpanId(String(first?.id), 0)}-01`;
    expect(sent()[0]).toEqual({ traceparent, tracestate: undefined });
    await send('tools/call', echo, {
      meta: { traceparent: `00-${TRACE}-${PARENT}-01` },
      headers: { 'x-gw-trace-id': OTHER_TRACE },
    });
    const records = await gateway.records();
    expect(records.at(-1)).toMatchObject({ traceId: OTHER_TRACE, parentSpanId: PARENT });
  });

  it('records the time of the gateway, without that of the server', async () => {
    await send('tools/call', { name: 'slow', ...{ arguments: { ms: 50 } } });
    const [record] = await gateway.records();
    const [attempt] = record?.decision.attempts ?? [];
    expect(record?.overheadMs).toBeGreaterThan(0);
    // A timer may fire a millisecond early.
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(49);
    expect((record?.overheadMs ?? 0) + (attempt?.durationMs ?? 0)).toBeLessThanOrEqual(
      (record?.durationMs ?? 0) + 0.01,
    );
  });

  it('records the id of the request and the code of its error', async () => {
    await send('tools/call', echo);
    await send('tools/call', { name: 'nothing' });
    const records = await gateway.records();
    expect(records.map(({ decision }) => [decision.mcp?.requestId, decision.mcp?.errorCode])).toEqual([
      ['1', undefined],
      ['1', -32_602],
    ]);
  });

  it('counts requests by server, method, capability and outcome, also lists without a record', async () => {
    await send('tools/call', echo);
    await send('tools/call', { name: 'fail' });
    for (const name of ['nothing', 'nothing else']) await send('tools/call', { name });
    for (let sends = 0; sends < 3; sends += 1) await send('tools/list', {});
    const families = readPrometheus(await gatewayMetrics(gateway.metrics, parts(gateway))());
    const requests = families.get('tollgate_mcp_requests_total')?.metrics ?? [];
    expect(requests.map(({ labels, value }) => [labels, value])).toEqual([
      [label('tools/call', 'echo', 'ok'), '1'],
      [label('tools/call', 'fail', 'tool_error'), '1'],
      [label('tools/call', '_OTHER', 'denied'), '2'],
      [label('tools/list', '', 'ok'), '3'],
    ]);
    expect(families.get('tollgate_mcp_client_operation_duration_seconds')?.type).toBe('HISTOGRAM');
    expect(families.get('tollgate_mcp_server_operation_duration_seconds')?.type).toBe('HISTOGRAM');
    expect(
      Array.from(gateway.metrics.mcp.all(), ({ method, durations, calls }) => [
        ...[method, total(durations.counts), total(calls.counts)],
      ]),
    ).toEqual([
      ['tools/call', 4, 2],
      ['tools/list', 3, 0],
    ]);
  });
});

const label = (method: string, capability: string, outcome: string) => ({
  ...{ server: 'tools', method, capability, outcome },
});

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function parts({ journal, plane, faults }: GatewayHarness): Parameters<typeof gatewayMetrics>[1] {
  return {
    ...{ journal, routing: plane.routing, overload: plane.overload, outbound: plane.outbound },
    ...{ refused: plane.refused, faults, orphans: { sealedCount: 0 }, policyValues: { overflowRequests: 0 } },
    shipper: { stats: () => ({ shipped: 0, failedSends: 0, failingSince: null }) },
    chargesAlone: { stats: () => ({ sent: 0, waiting: 0, lost: 0 }) },
    documents: { state: () => ({ verified: true, entries: 0, source: 'memory' }) as never },
  };
}
