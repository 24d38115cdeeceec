import type { DecisionRecord } from '@gw/contracts';
import { quarantineLog, sqlStateOf, type LogEntry } from '@gw/entities';
import { redactBody, type Frame } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';

/** Since the start. */
export interface QuarantineCounts {
  quarantined: number;
  /** Older records that made room, and records that the quarantine itself could not take. */
  dropped: number;
}

/** Keeps records that can't be stored as they came, so that they stop no others and are not lost. */
export class LogQuarantine {
  readonly counts: QuarantineCounts = { quarantined: 0, dropped: 0 };

  constructor(
    private readonly source: DataSource,
    private readonly log: Log,
  ) {}

  /** Rejects only while the database is away: the batch comes again then. */
  async add(frame: Frame, error: unknown, storedBare: boolean): Promise<void> {
    const { logId, workspaceId } = idsOf(frame.meta);
    const fault = describeFault(error);
    this.log.error({ logId, workspaceId, storedBare, ...fault }, 'a log record was put into quarantine');
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
    if (removed > 0)
      this.log.warn({ removed }, 'the quarantine of log records is full: the oldest were removed');
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

function idsOf(meta: Buffer): { readonly logId: string | null; readonly workspaceId: string | null } {
  try {
    const value = JSON.parse(meta.toString('utf8')) as { id?: unknown; workspaceId?: unknown } | null;
    const text = (id: unknown): string | null => (typeof id === 'string' ? id : null);
    return { logId: text(value?.id), workspaceId: text(value?.workspaceId) };
  } catch {
    return { logId: null, workspaceId: null };
  }
}

/**
 * Whether a failure is one of the record: SQLSTATE classes 22 (data exception), 23 (integrity constraint) and 54 (a limit of
 * Postgres), a statement that was cancelled for its time, and exceptions of our own code, which the same record brings about again.
 * Whatever else fails (connections, locks, storage) says nothing of records.
 */
export function isFaultOfRecord(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  const state = sqlStateOf(error);
  return (/^(?:22|23|54)/.test(state) || state === '57014') && !isMissingPartition(error);
}

export const isMissingPartition = (error: unknown): boolean =>
  sqlStateOf(error) === '23514' &&
  error instanceof Error &&
  error.message.includes('no partition of relation');

/** Of a decision that can't be stored whole: what was charged, which budgets go by. */
export function chargesAlone(decision: unknown): Pick<DecisionRecord, 'charges'> {
  if (typeof decision !== 'object' || decision === null) return {};
  const { charges } = decision as Partial<DecisionRecord>;
  return Array.isArray(charges) ? { charges } : {};
}

/** The record without bodies and free texts: what lists, sums and the ledger need. */
export function bareEntry({ row, amends }: LogEntry): LogEntry {
  const bare = {
    ...row,
    metadata: {},
    decision: chargesAlone(row.decision) as DecisionRecord,
    url: row.route ?? '',
    request_body_truncated: true,
    response_body_truncated: true,
  } as LogEntry['row'];
  return { row: bare, request: null, response: null, ...(amends && { amends }) };
}
