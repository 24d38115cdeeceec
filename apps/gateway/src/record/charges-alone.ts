import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogRecord } from '@gw/contracts';
import { encodeFrame, type LogSink } from '@gw/journal';

const EVERY_MS = 500;
/** About 20,000 records: the charges of ten seconds on a busy gateway. */
const BYTES_MAX = 8 * 1_048_576;
const BATCH_BYTES_MAX = 1_048_576;
const BATCH_MAX = 500;

export interface ChargesAloneStats {
  /** Number of records whose charges are stored. */
  readonly sent: number;
  readonly waiting: number;
  /** Number of records that exceeded the memory: their charges are in the counters only. */
  readonly lost: number;
}

/**
 * Sends the charges of log records that the journal had no room for, so that the charge is recorded
 * although the log record is lost. They are kept in memory: if the process is killed they are lost,
 * but the counters include them. Each is sent as a record with the id of the request, so it is
 * booked once, however often it is sent.
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

  /**
   * Keeps the charges of a record. `record` is its metadata as JSON. Does nothing if there is no
   * charge.
   */
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

  /** Sends all waiting records; those that the sink refuses are sent again later. Never rejects. */
  send(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  /**
   * Sends waiting records, repeatedly if the sink refuses them, for at most `drainMs` milliseconds;
   * the others are lost with the process.
   */
  async stop(drainMs: number): Promise<void> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), drainMs);
    const tooLong = once(over.signal, 'abort');
    while (this.waiting.length > 0 && !over.signal.aborted) {
      await Promise.race([this.send(), tooLong]);
      if (this.waiting.length > 0) await Promise.race([delay(EVERY_MS), tooLong]);
    }
    clearTimeout(timer);
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
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

/**
 * Returns the members of a record that the ledger totals need, and its owner; null: it has no
 * charge.
 */
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
