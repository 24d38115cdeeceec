import { otlpTraceRequest, otlpTraceResponse } from '@gw/telemetry';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { gzipSync } from 'node:zlib';
import { TestAdminApi } from '../../spec-support/admin-api';

interface Span {
  readonly name: string;
  readonly span_id: string;
  readonly [field: string]: unknown;
}

describe('traces over OTLP', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  /** Returns spans as a third-party library sends them. */
  function madeSpans() {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const span = provider.getTracer('app', '1.2').startSpan('retrieve', {
      kind: SpanKind.CLIENT,
      startTime: 1_770_000_000_000,
      attributes: { text: 'é', number: 7, ratio: 0.5, yes: true, list: ['a', 'b'] },
    });
    span.addEvent('found', { count: 3 }, 1_770_000_000_005);
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'too few' });
    span.end(1_770_000_000_012.5);
    const spans = exporter.getFinishedSpans();
    return { spans, traceId: spans[0]?.spanContext().traceId ?? '' };
  }

  const send = async (payload: Buffer, contentType: string, more: Record<string, string> = {}) =>
    admin.api.app.inject({
      method: 'POST',
      url: '/v1/otel/v1/traces',
      headers: { 'x-gw-api-key': ours.key, 'content-type': contentType, ...more },
      payload,
    });
  const spansOf = async (traceId: string, key = ours.key): Promise<Span[] | number> => {
    const { status, body } = await admin.get<{ data: Span[] }>(`/v1/otel/traces/${traceId}`, { key });
    return status === 200 ? body.data : status;
  };
  const EXPECTED = {
    object: 'span',
    parent_span_id: null,
    name: 'retrieve',
    kind: 'client',
    started_at: '2026-02-02T02:40:00.000Z',
    duration_ms: 12.5,
    status: 'error',
    status_message: 'too few',
    attributes: { text: 'é', number: 7, ratio: 0.5, yes: true, list: ['a', 'b'] },
    events: [{ name: 'found', time: '2026-02-02T02:40:00.005Z', attributes: { count: 3 } }],
  };

  it.each(['protobuf', 'protobuf in gzip', 'JSON', 'JSON in gzip'])(
    'are accepted as the public library sends them as %s, stored once when repeated, and shown only to their workspace',
    async (form) => {
      const { spans, traceId } = madeSpans();
      const serializer = form.startsWith('JSON') ? JsonTraceSerializer : ProtobufTraceSerializer;
      const plain = Buffer.from(serializer.serializeRequest(spans) as Uint8Array);
      const type = form.startsWith('JSON') ? 'application/json' : 'application/x-protobuf';
      const zipped = form.endsWith('gzip');
      const headers: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {};
      for (let i = 0; i < 2; i += 1) {
        const response = await send(zipped ? gzipSync(plain) : plain, type, headers);
        expect([response.statusCode, response.headers['content-type']?.toString().split(';')[0]]).toEqual([
          200,
          type,
        ]);
        if (type === 'application/json') expect(response.json()).toEqual({});
        else expect(response.rawPayload).toHaveLength(0);
      }
      const found = await spansOf(traceId);
      expect(found).toHaveLength(1);
      expect((found as Span[])[0]).toMatchObject({ ...EXPECTED, trace_id: traceId });
      expect((found as Span[])[0]?.['resource']).toMatchObject({ 'telemetry.sdk.language': 'nodejs' });
      expect(await spansOf(traceId, theirs.key)).toBe(404);
    },
  );

  it('are shown up to 16 MiB of attributes, resources and events, from the first span on', async () => {
    const traceId = 'f'.repeat(32);
    const { organisationId, workspaceId } = ours;
    await admin.dataSource.query(
      `INSERT INTO trace_spans (organisation_id, workspace_id, trace_id, span_id, name, kind, started_at,
         duration_us, status, attributes, resource, events)
       SELECT $1, $2, $3, lpad(n::text, 16, '0'), n::text, 'internal', now(), 1, 'unset',
         jsonb_build_object('a', repeat('x', 500000)), jsonb_build_object('b', repeat('x', 500000)), '[]'
       FROM generate_series(1, 20) n`,
      [organisationId, workspaceId, traceId],
    );
    const names = ((await spansOf(traceId)) as Span[]).map(({ name }) => Number(name));
    expect(names).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  });

  it('report the number of unreadable spans, in the format of the request', async () => {
    const spans = [{ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8) }, { name: 'nothing' }];
    const type = otlpTraceRequest();
    const body = type.encode(type.fromObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] })).finish();
    const response = await send(Buffer.from(body), 'application/x-protobuf');
    const { partialSuccess } = otlpTraceResponse().decode(response.rawPayload) as unknown as {
      partialSuccess: { rejectedSpans: { toString(): string } };
    };
    expect([response.statusCode, partialSuccess.rejectedSpans.toString()]).toEqual([200, '2']);
  });

  it('refuse other content, bodies that are too large or expand too much, and keys without the scope', async () => {
    const json = (value: unknown) => send(Buffer.from(JSON.stringify(value)), 'application/json');
    const nested = { key: 'k', value: {} };
    let deepest: { value: object } = nested;
    for (let i = 0; i < 200; i += 1) {
      const next = { key: 'k', value: {} };
      deepest.value = { kvlistValue: { values: [next] } };
      deepest = next;
    }
    const times = { startTimeUnixNano: '1770000000000000000', endTimeUnixNano: 1_770_000_000_000_000_000 };
    const span = { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), ...times, attributes: [nested] };
    expect((await json({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })).statusCode).toBe(200);
    expect((await json({ resourceSpans: 'x' })).statusCode).toBe(400);
    expect(
      (
        await json({
          resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: 5_001 }, () => ({})) }] }],
        })
      ).statusCode,
    ).toBe(400);
    expect((await send(Buffer.from([0x0a, 0xff, 0x01]), 'application/x-protobuf')).statusCode).toBe(400);
    const resources = (count: number) =>
      send(Buffer.from('0a00'.repeat(count), 'hex'), 'application/x-protobuf');
    expect((await resources(50_000)).statusCode).toBe(200);
    const tooMany = await resources(50_001);
    expect(tooMany.statusCode).toBe(413);
    expect(tooMany.payload).toContain('more than 50000 messages');
    const groups = Buffer.alloc(1_000_000, 0x0b);
    expect((await send(groups, 'application/x-protobuf')).statusCode).toBe(400);
    expect((await send(Buffer.from('x'), 'text/plain')).statusCode).toBe(415);
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expect((await send(bomb, 'application/json', { 'content-encoding': 'gzip' })).statusCode).toBe(413);
    expect(
      (await send(Buffer.from('no gzip'), 'application/json', { 'content-encoding': 'gzip' })).statusCode,
    ).toBe(400);
    const { organisationId, workspaceId } = ours;
    const poor = await admin.apiKey('workspace-service', { organisationId, workspaceId }, ['analytics.view']);
    expect((await admin.post('/v1/otel/v1/traces', { key: poor, body: {} })).status).toBe(403);
    expect((await admin.post('/v1/otel/v1/traces', { body: {} })).status).toBe(401);
    expect((await admin.post('/v1/otel/v1/traces', { key: ours.adminKey, body: {} })).status).toBe(403);
  });
});
