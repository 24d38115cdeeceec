import { GATEWAY_VERSION } from '@gw/kernel';
import type { RequestLogRow } from '@gw/log-store';
import type { BufferedClient } from '@gw/outbound';
import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-base';
import { OtlpExporter } from './otlp-exporter';
import { requestSpans, type EndedSpan } from './request-spans';

export interface TraceExportOptions {
  readonly client: BufferedClient;
  /** URL that accepts OTLP over HTTP, including its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly serviceName: string;
}

/** Maximum number of waiting spans; more are dropped. */
const QUEUE_MAX = 16_384;
const BATCH_MAX = 512;
const PACE_MS = 1_000;
const FLUSH_MS = 5_000;

/** Returns ids that exist already, because the spans are built after the requests. */
class GivenIds implements IdGenerator {
  traceId = '';
  spanId = '';
  generateTraceId = (): string => this.traceId;
  generateSpanId = (): string => this.spanId;
}

/**
 * Sends the spans of requests over OTLP as protobuf. It builds them from stored log records, so no
 * request waits for it and no span is sent twice. Spans that the receiver does not accept within
 * the exporter's attempts are lost; the log still has the requests.
 */
export class TraceExport {
  private readonly ids = new GivenIds();
  private readonly exporter: OtlpExporter;
  private readonly provider: BasicTracerProvider;
  private readonly tracer: Tracer;

  constructor({ client, url, headers, timeoutMs, serviceName }: TraceExportOptions) {
    this.exporter = new OtlpExporter({ client, url, headers, timeoutMs });
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': GATEWAY_VERSION }),
      sampler: new AlwaysOnSampler(),
      idGenerator: this.ids,
      spanProcessors: [
        new BatchSpanProcessor(this.exporter, {
          maxQueueSize: QUEUE_MAX,
          maxExportBatchSize: BATCH_MAX,
          scheduledDelayMillis: PACE_MS,
          exportTimeoutMillis: timeoutMs,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('tollgate', GATEWAY_VERSION);
  }

  /** Time since which the receiver accepts no spans; null while it accepts them. */
  get failingSince(): Date | null {
    return this.exporter.failingSince;
  }

  /** Queues the spans of records and returns the ids of records that have invalid data. */
  add(rows: readonly RequestLogRow[]): readonly string[] {
    return rows.filter((row) => !this.addRow(row)).map(({ id }) => id);
  }

  private addRow(row: RequestLogRow): boolean {
    let spans: readonly EndedSpan[];
    try {
      spans = requestSpans(row);
    } catch {
      // A decision is stored unchecked, so its members can have any type.
      return false;
    }
    if (!spans.every(isSendable)) return false;
    for (const span of spans) this.emit(span);
    return true;
  }

  /** Sends the waiting spans within a time limit. Never rejects. */
  async stop(): Promise<void> {
    const stopped = this.provider.shutdown().catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        void this.exporter.shutdown();
        resolve();
      }, FLUSH_MS);
    });
    await Promise.race([stopped, tooLong]);
    clearTimeout(timer);
  }

  private emit({
    traceId,
    spanId,
    parentId,
    name,
    kind,
    startedAt,
    endedAt,
    attributes,
    error,
  }: EndedSpan): void {
    this.ids.traceId = traceId;
    this.ids.spanId = spanId;
    // A span without a parent starts the trace; the id generator supplies the trace id.
    const context =
      parentId === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: parentId,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          });
    const span = this.tracer.startSpan(name, { kind, startTime: startedAt, attributes }, context);
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error.slice(0, 255) });
    span.end(endedAt);
  }
}

/** The latest time of a `Date`. */
const TIME_MAX = 8.64e15;

/**
 * Returns whether name, times and error of a span have valid types. The SDK drops attributes of
 * unsupported types itself.
 */
const isSendable = ({ name, startedAt, endedAt, error }: EndedSpan): boolean =>
  typeof name === 'string' &&
  (error === null || typeof error === 'string') &&
  startedAt >= 0 &&
  endedAt >= 0 &&
  endedAt <= TIME_MAX;

/** Parses `OTEL_EXPORTER_OTLP_HEADERS`: comma-separated `name=value` pairs with percent escapes. */
export function otlpHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim().toLowerCase();
    if (at > 0 && name !== '') headers[name] = decoded(pair.slice(at + 1).trim());
  }
  return headers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
