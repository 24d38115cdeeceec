import type { Frame } from '@gw/journal';
import { quarantineLog } from '@gw/log-store';
import { redactBody } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';
import { recordId } from './bare-record';
import { parsedMeta } from './log-entry';

/**
 * Maximum number of remembered ids (about 2 MiB). Beyond it, the oldest is found at fault again
 * when it is repeated.
 */
const REMEMBERED_MAX = 20_000;

/** Counts since the start of the process. */
export interface QuarantineCounts {
  quarantined: number;
  /** Older records deleted to make room. */
  dropped: number;
}

/**
 * Stores records that cannot be stored as they arrived, so that they neither block others nor get
 * lost. Remembers them, so that a repeated batch with many bad records needs no second search.
 */
export class LogQuarantine {
  readonly counts: QuarantineCounts = { quarantined: 0, dropped: 0 };
  private readonly remembered = new Set<string>();

  constructor(
    private readonly source: DataSource,
    private readonly log: Log,
  ) {}

  /** Returns whether this process remembers that it quarantined the record stored under this id. */
  has(id: string): boolean {
    return this.remembered.has(id);
  }

  /** Rejects only while the database is down; the batch is then repeated. */
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

/** Redacts a part of the original record; null if that fails, because a log must not keep a secret. */
function redacted(body: Buffer | null): Buffer | null {
  try {
    return body === null ? null : redactBody(body);
  } catch {
    return null;
  }
}
