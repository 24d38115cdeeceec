import type { BufferedAnswer, BufferedClient } from '@gw/outbound';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { setTimeout as delay } from 'node:timers/promises';

export interface OtlpExporterOptions {
  readonly client: BufferedClient;
  /** Where OTLP over HTTP is taken, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of one batch, all tries included. */
  readonly timeoutMs: number;
}

/** As OTLP/HTTP has it; all other refusals are for good. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TRIES = 6;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5_000;
const ANSWER_BYTES_MAX = 65_536;
/** `ExportResultCode` of OpenTelemetry, which lives in a package of its own. */
const TAKEN = 0;
const LOST = 1;

type ExportDone = Parameters<SpanExporter['export']>[1];

/** Posts batches of spans as protobuf. A receiver that is busy or away is tried again while the batch's time lasts. */
export class OtlpExporter implements SpanExporter {
  /** Since when the receiver takes nothing; null while the last batch was taken. */
  failingSince: Date | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly options: OtlpExporterOptions) {}

  export(spans: ReadableSpan[], done: ExportDone): void {
    const body = ProtobufTraceSerializer.serializeRequest(spans);
    const sent = body === undefined ? Promise.resolve(false) : this.send(Buffer.from(body));
    void sent
      .catch(() => false)
      .then((isTaken) => {
        this.failingSince = isTaken ? null : (this.failingSince ?? new Date());
        done({ code: isTaken ? TAKEN : LOST });
      });
  }

  /** What is on its way gets no further try, and nothing else is sent. */
  shutdown(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }

  private async send(body: Buffer): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const deadline = performance.now() + this.options.timeoutMs;
    for (
      let tries = 1, pauseMs = FIRST_PAUSE_MS;
      ;
      tries += 1, pauseMs = Math.min(pauseMs * 1.5, PAUSE_MAX_MS)
    ) {
      const answer = await this.post(body, deadline - performance.now());
      if (answer !== null && answer.status >= 200 && answer.status < 300) return true;
      if (answer !== null && !TRY_AGAIN.has(answer.status)) return false;
      const waitMs = askedPauseMs(answer) ?? pauseMs * (0.8 + 0.4 * Math.random());
      if (tries === TRIES || performance.now() + waitMs >= deadline) return false;
      await delay(waitMs, undefined, { ref: false, signal: this.stopping.signal });
    }
  }

  /** Null: there was no answer. */
  private post(body: Buffer, timeoutMs: number): Promise<BufferedAnswer | null> {
    const { client, url, headers } = this.options;
    return client
      .fetchBuffered({
        url,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
        body,
        totalTimeoutMs: Math.max(1, timeoutMs),
        bytesMax: ANSWER_BYTES_MAX,
      })
      .catch(() => null);
  }
}

/** What the receiver asks for, in seconds; no known receiver sends dates. */
function askedPauseMs(answer: BufferedAnswer | null): number | null {
  const requested = Number(answer?.headers['retry-after'] ?? NaN);
  return Number.isFinite(requested) && requested > 0 ? requested * 1_000 : null;
}
