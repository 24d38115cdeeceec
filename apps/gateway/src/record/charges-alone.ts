import type { LogRecord } from '@gw/contracts';
import { encodeFrame, type LogSink } from '@gw/journal';

const EVERY_MS = 500;
/** Some 20,000 records: the charges of what a busy gateway sells in ten seconds. */
const BYTES_MAX = 8 * 1_048_576;
const BATCH_BYTES_MAX = 1_048_576;
const BATCH_MAX = 500;

export interface ChargesAloneStats {
  /** Records whose charges are stored. */
  readonly sent: number;
  readonly waiting: number;
  /** Records that there was no room for: what they charged is in the counters alone. */
  readonly lost: number;
}

/**
 * Sends the charges of log records that the journal had no room for, without it: what a request was charged is recorded though its log is not.
 * They are kept in memory, so that the records of a process that is killed meanwhile are lost; counters keep what they charged. Each is a
 * record of its own, by the id of the request, and so booked once however often it is sent.
 */
export class ChargesAlone {
  private waiting: Buffer[] = [];
  private bytes = 0;
  private sent = 0;
  private lost = 0;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> | null = null;

  constructor(
    private readonly sink: LogSink,
    private readonly onError: (error: unknown) => void,
    private readonly bytesMax = BYTES_MAX,
  ) {}

  /** `record`: the metadata of a log record, as JSON. Does nothing for one that was charged nothing. */
  keep(record: Buffer): void {
    const charged = chargedPartOf(JSON.parse(record.toString('utf8')) as LogRecord);
    const frame = charged === null ? null : encodeFrame(JSON.stringify(charged), null, null);
    if (frame === null) return;
    if (this.bytes + frame.length > this.bytesMax) {
      this.lost += 1;
      return;
    }
    this.waiting.push(frame);
    this.bytes += frame.length;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      void this.send();
    }, EVERY_MS).unref();
  }

  stats(): ChargesAloneStats {
    return { sent: this.sent, waiting: this.waiting.length, lost: this.lost };
  }

  /** Sends what waits; what the sink does not take is sent again later. Never rejects. */
  send(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  /** Sends what waits for at most `drainMs`; the rest is lost with the process. */
  async stop(drainMs: number): Promise<void> {
    if (this.waiting.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    await Promise.race([this.send(), tooLong]);
    clearTimeout(timer);
    if (this.timer) clearTimeout(this.timer);
  }

  private async sendAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.nextBatch();
        await this.sink.send(Buffer.concat(batch), batch.length);
        this.waiting.splice(0, batch.length);
        for (const { length } of batch) this.bytes -= length;
        this.sent += batch.length;
      }
    } catch (error) {
      this.onError(error);
      this.timer ??= setTimeout(() => {
        this.timer = null;
        void this.send();
      }, EVERY_MS).unref();
    }
  }

  private nextBatch(): Buffer[] {
    const batch: Buffer[] = [];
    let bytes = 0;
    for (const frame of this.waiting.slice(0, BATCH_MAX)) {
      bytes += frame.length;
      if (batch.length > 0 && bytes > BATCH_BYTES_MAX) break;
      batch.push(frame);
    }
    return batch;
  }
}

/** What books need of a record, and what says whose it is; null: it was charged nothing. */
function chargedPartOf(record: LogRecord): Record<string, unknown> | null {
  const charges = record.decision.charges ?? [];
  if (charges.length === 0 && !record.cost) return null;
  return {
    ...record,
    url: record.route,
    metadata: {},
    requestContentType: null,
    responseContentType: null,
    requestBodyTruncated: true,
    responseBodyTruncated: true,
    decision: { config: record.decision.config, attempts: [], stages: {}, charges },
  };
}
