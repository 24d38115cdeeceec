import type { AttemptRecord } from '@gw/contracts';
import { requestLogRow } from '@gw/log-store';
import { operatorsClient } from '@gw/outbound';
import { otlpTraceRequest } from '@gw/telemetry';
import { eventually, sampleLogRecord } from '@gw/testing';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ATTEMPTS_MAX } from './otlp-exporter';
import { otlpHeaders, TraceExport } from './trace-export';

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
interface SentSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: { toString(): string };
  readonly endTimeUnixNano: { toString(): string };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status?: { readonly code: number; readonly message: string };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const DIRECT = { HTTPS_PROXY: null, HTTP_PROXY: null, NO_PROXY: '' };
const client = operatorsClient('http://127.0.0.1', DIRECT);

describe('TraceExport', () => {
  let receiver: Server;
  let received: Received[];
  let statuses: number[];
  let traces: TraceExport;

  beforeEach(async () => {
    [received, statuses] = [[], []];
    receiver = createServer((req, res) => {
      const pieces: Buffer[] = [];
      req.on('data', (piece: Buffer) => pieces.push(piece));
      req.on('end', () => {
        const status = statuses.shift() ?? 200;
        if (status === 200)
          received.push({ path: req.url ?? '', headers: req.headers, body: Buffer.concat(pieces) });
        res.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    traces = new TraceExport({
      client,
      url: `http://127.0.0.1:${String(port)}/v1/traces`,
      headers: otlpHeaders('x-tenant=a%20b, authorization=Bearer t'),
      timeoutMs: 5_000,
      serviceName: 'our-gateway',
    });
  });
  afterEach(async () => {
    await traces.stop();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  const type = otlpTraceRequest();
  const spansOf = ({ body }: Received): { spans: SentSpan[]; resource: unknown } => {
    const { resourceSpans } = type.decode(body) as unknown as {
      resourceSpans: { resource: unknown; scopeSpans: { spans: SentSpan[] }[] }[];
    };
    return {
      resource: resourceSpans[0]?.resource,
      spans: resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    };
  };
  const attributesOf = (span: SentSpan | undefined): Record<string, unknown> =>
    Object.fromEntries(
      (span?.attributes ?? []).map(({ key, value }) => {
        const [plain] = Object.values(value);
        return [
          key,
          typeof plain === 'object' ? Number((plain as { toString(): string }).toString()) : plain,
        ];
      }),
    );
  const hex = (bytes: Buffer | undefined): string => Buffer.from(bytes ?? []).toString('hex');
  const attempt = (changes: Partial<AttemptRecord>): AttemptRecord => ({
    ...{ target: 'config.targets[0]', provider: 'openai', credential: null, model: 'gpt-4o', retry: 0 },
    ...{ status: 200, end: 'answered', reason: null, startedMs: 1, durationMs: 100 },
    ...changes,
  });

  it('exports a request and its provider calls by the conventions for generative AI, below the caller’s span', async () => {
    const record = sampleLogRecord({
      ...{ traceId: TRACE, parentSpanId: PARENT, durationMs: 250.5, createdAt: '2026-05-03T17:08:55.000Z' },
      decision: {
        ...sampleLogRecord().decision,
        attempts: [
          attempt({ status: 500, end: 'status', reason: 'It answered 500.' }),
          attempt({ target: 'config.targets[1]', provider: 'azure-openai', startedMs: 102 }),
        ],
      },
    });
    traces.add([requestLogRow(record)]);
    await eventually(() => received.length > 0);
    const [first] = received as [Received];
    expect(first.path).toBe('/v1/traces');
    expect(first.headers).toMatchObject({
      'content-type': 'application/x-protobuf',
      'x-tenant': 'a b',
      authorization: 'Bearer t',
    });
    const { spans, resource } = spansOf(first);
    expect(JSON.stringify(resource)).toContain('our-gateway');
    const [request, failed, responded] = spans as [SentSpan, SentSpan, SentSpan];
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ['chat gpt-4o', 2],
      ['chat gpt-4o', 3],
      ['chat gpt-4o', 3],
    ]);
    expect(spans.map(({ traceId }) => hex(traceId))).toEqual([TRACE, TRACE, TRACE]);
    expect(hex(request.parentSpanId)).toBe(PARENT);
    expect([hex(failed.parentSpanId), hex(responded.parentSpanId)]).toEqual([
      hex(request.spanId),
      hex(request.spanId),
    ]);
    expect(new Set(spans.map(({ spanId }) => hex(spanId))).size).toBe(3);
    const start = BigInt(Date.parse(record.createdAt)) * 1_000_000n;
    expect(request.startTimeUnixNano.toString()).toBe(String(start));
    expect(request.endTimeUnixNano.toString()).toBe(String(start + 250_500_000n));
    expect(responded.startTimeUnixNano.toString()).toBe(String(start + 102_000_000n));
    expect(attributesOf(request)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'http.response.status_code': 200,
      'tollgate.workspace.id': record.workspaceId,
      'tollgate.cost.usd': 0.00045,
    });
    expect(attributesOf(failed)).toMatchObject({ 'error.type': 'status', 'http.response.status_code': 500 });
    expect(failed.status).toMatchObject({ code: 2, message: 'It answered 500.' });
    expect(attributesOf(responded)).toMatchObject({
      'gen_ai.provider.name': 'azure.ai.openai',
      'gen_ai.usage.output_tokens': 20,
    });
    // Spans contain neither bodies nor metadata.
    expect(first.body.includes('environment')).toBe(false);
  });

  it('sends the spans of other records if one is invalid, and returns its id', async () => {
    const good = [requestLogRow(sampleLogRecord()), requestLogRow(sampleLogRecord())] as const;
    const withAttempt = (changes: unknown) => ({
      ...requestLogRow(sampleLogRecord()),
      decision: { ...sampleLogRecord().decision, attempts: [changes] } as never,
    });
    const bad = [
      withAttempt(null),
      withAttempt({ ...attempt({}), startedMs: 'soon' }),
      withAttempt({ ...attempt({}), durationMs: 1e300 }),
      withAttempt({ ...attempt({ end: 'status' }), reason: { toString: 1 } }),
      { ...requestLogRow(sampleLogRecord()), span_name: { deep: [] } as never },
      { ...requestLogRow(sampleLogRecord()), model: 5 as never },
    ];
    expect(traces.add([good[0], ...bad, good[1]])).toEqual(bad.map(({ id }) => id));
    await eventually(() => received.length > 0);
    const { spans } = spansOf(received[0] as Received);
    expect(spans.map((span) => attributesOf(span)['tollgate.request.id'])).toEqual(good.map(({ id }) => id));
  });

  it('maps each custom trace id to one id, so that its spans stay together', async () => {
    const rows = ['conversation 7', 'conversation 7', '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90'].map(
      (traceId, at) =>
        requestLogRow(
          sampleLogRecord({
            traceId,
            spanId: `step ${String(at)}`,
            parentSpanId: at === 1 ? 'step 0' : null,
          }),
        ),
    );
    traces.add(rows);
    await eventually(() => received.length > 0);
    const { spans } = spansOf(received[0] as Received);
    const [one, other, own] = spans as [SentSpan, SentSpan, SentSpan];
    expect(hex(one.traceId)).toBe(hex(other.traceId));
    expect(hex(other.parentSpanId)).toBe(hex(one.spanId));
    expect(hex(own.traceId)).toBe('0198f3a17c3e7d7a9b552f4c8e1d6a90');
  });

  it('calls the receiver through the configured proxy, and reports the time since which it fails', async () => {
    const { port } = receiver.address() as AddressInfo;
    const url = 'http://collector.example:4318/v1/traces';
    const HTTP_PROXY = `http://127.0.0.1:${String(port)}`;
    const far = new TraceExport({
      client: operatorsClient(url, { ...DIRECT, HTTP_PROXY }),
      ...{ url, headers: {}, timeoutMs: 5_000, serviceName: 'x' },
    });
    statuses = [400];
    far.add([requestLogRow(sampleLogRecord())]);
    await eventually(() => far.failingSince !== null);
    far.add([requestLogRow(sampleLogRecord())]);
    await eventually(() => received.length > 0 && far.failingSince === null);
    expect(received[0]?.path).toBe(url);
    await far.stop();
  });

  it('retries a busy receiver, and does not delay shutdown when the receiver is gone', async () => {
    statuses = [503];
    traces.add([requestLogRow(sampleLogRecord())]);
    await eventually(() => received.length > 0);
    const url = 'http://127.0.0.1:9/v1/traces';
    const posts = jest.spyOn(client, 'fetchBuffered');
    const gone = new TraceExport({ ...{ client, url, headers: {}, timeoutMs: 60_000, serviceName: 'x' } });
    gone.add(Array.from({ length: 3_000 }, () => requestLogRow(sampleLogRecord())));
    await gone.stop();
    const attempts = new Map<unknown, number>();
    for (const [{ url: to, body }] of posts.mock.calls)
      if (to === url) attempts.set(body, (attempts.get(body) ?? 0) + 1);
    posts.mockRestore();
    expect(attempts.size).toBeGreaterThan(5);
    // A shutdown that waits ends only once a batch has failed for good.
    expect(Math.max(...attempts.values())).toBeLessThan(ATTEMPTS_MAX);
  });
});
