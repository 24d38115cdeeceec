import { quarantineLog } from '@gw/log-store';
import { redactBody, type Frame } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';
import { recordId } from './bare-record';
import { parsedMeta } from './log-entry';

/** Ids of some 2 MiB. Past it the oldest is found at fault anew when it comes again. */
const REMEMBERED_MAX = 20_000;

/** Since the start. */
export interface QuarantineCounts {
  quarantined: number;
  /** Older records that made room, and records that the quarantine itself could not take. */
  dropped: number;
}

/**
 * Keeps records that can't be stored as they came, so that they stop no others and are not lost. Remembers them, so that a batch with
 * many of them is stored in the end, though it must come more than once: no record is looked for twice.
 */
export class LogQuarantine {
  readonly counts: QuarantineCounts = { quarantined: 0, dropped: 0 };
  private readonly remembered = new Set<string>();

  constructor(
    private readonly source: DataSource,
    private readonly log: Log,
  ) {}

  /** By the id that the record is stored under. */
  has(id: string): boolean {
    return this.remembered.has(id);
  }

  /** Rejects only while the database is away: the batch comes again then. */
  async add(frame: Frame, error: unknown, storedBare: boolean): Promise<void> {
    const record = parsedMeta(frame.meta);
    const logId = recordId(frame.meta, record);
    if (this.remembered.has(logId)) return;
    const workspaceId = typeof record?.workspaceId === 'string' ? record.workspaceId : null;
    const fault = describeFault(error);
    this.log.error({ logId, workspaceId, storedBare, ...fault }, 'quarantined a log record');
    const removed = await quarantineLog(this.source.manager, {
      logId,
      workspaceId,
      reason: error instanceof Error ? error.message : String(error),
      meta: redacted(frame.meta) ?? Buffer.alloc(0),
      request: redacted(frame.request),
      response: redacted(frame.response),
      storedBare,
    });
    this.counts.quarantined += 1;
    this.counts.dropped += removed;
    this.remember(logId);
    if (removed > 0) this.log.warn({ removed }, 'log quarantine is full; removed the oldest records');
  }

  private remember(id: string): void {
    this.remembered.add(id);
    if (this.remembered.size <= REMEMBERED_MAX) return;
    for (const oldest of this.remembered) {
      this.remembered.delete(oldest);
      return;
    }
  }
}

/** Null for what can't be redacted: a secret is not kept for the sake of a log. */
function redacted(body: Buffer | null): Buffer | null {
  try {
    return body === null ? null : redactBody(body);
  } catch {
    return null;
  }
}
