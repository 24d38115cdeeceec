import { requestedWaitMs } from '@gw/kernel';
import type { BufferedResponse, BufferedClient } from '@gw/outbound';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { setTimeout as delay } from 'node:timers/promises';

export interface OtlpExporterOptions {
  readonly client: BufferedClient;
  /** URL that accepts OTLP over HTTP, including its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout of one batch in milliseconds, including all attempts. */
  readonly timeoutMs: number;
}

/** Statuses that OTLP/HTTP defines as retryable; all other refusals are permanent. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Maximum number of times that a batch is posted. */
export const ATTEMPTS_MAX = 6;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5_000;
const RESPONSE_BYTES_MAX = 65_536;
/** `ExportResultCode` of OpenTelemetry, which is in a separate package. */
const EXPORTED = 0;
const FAILED = 1;

type ExportDone = Parameters<SpanExporter['export']>[1];

/**
 * Posts batches of spans as protobuf. Retries a receiver that is busy or unreachable within the
 * batch's timeout.
 */
export class OtlpExporter implements SpanExporter {
  /**
   * Time of the first failed batch since the last success; null while the last batch was accepted.
   */
  failingSince: Date | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly options: OtlpExporterOptions) {}

  export(spans: ReadableSpan[], done: ExportDone): void {
    const body = ProtobufTraceSerializer.serializeRequest(spans);
    const sent = body === undefined ? Promise.resolve(false) : this.send(Buffer.from(body));
    void sent
      .catch(() => false)
      .then((isExported) => {
        this.failingSince = isExported ? null : (this.failingSince ?? new Date());
        done({ code: isExported ? EXPORTED : FAILED });
      });
  }

  /** Stops retries of batches in flight and refuses further batches. */
  shutdown(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }

  private async send(body: Buffer): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const deadline = performance.now() + this.options.timeoutMs;
    for (
      let attempt = 1, pauseMs = FIRST_PAUSE_MS;
      ;
      attempt += 1, pauseMs = Math.min(pauseMs * 1.5, PAUSE_MAX_MS)
    ) {
      const response = await this.post(body, deadline - performance.now());
      if (response !== null && response.status >= 200 && response.status < 300) return true;
      if (response !== null && !RETRYABLE.has(response.status)) return false;
      const requestedMs = response && retryAfterMs(response);
      const waitMs = requestedMs ?? pauseMs * (0.8 + 0.4 * Math.random());
      if (attempt === ATTEMPTS_MAX || performance.now() + waitMs >= deadline) return false;
      await delay(waitMs, undefined, { ref: false, signal: this.stopping.signal });
    }
  }

  /** Posts a batch; returns null if there was no response. */
  private post(body: Buffer, timeoutMs: number): Promise<BufferedResponse | null> {
    const { client, url, headers } = this.options;
    return client
      .fetchBuffered({
        url,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
        body,
        totalTimeoutMs: Math.max(1, timeoutMs),
        bytesMax: RESPONSE_BYTES_MAX,
      })
      .catch(() => null);
  }
}

/** Returns the pause that the receiver requests, in milliseconds; null if it requests none. */
function retryAfterMs({ headers }: BufferedResponse): number | null {
  const waitMs = requestedWaitMs((name) => [headers[name]].flat()[0], Date.now());
  return waitMs === 0 ? null : waitMs;
}
