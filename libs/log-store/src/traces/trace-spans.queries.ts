import { DAY_MS, storableJson } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';

/** A span that an application sent. */
export interface TraceSpan {
  /** Lower-case hexadecimal; the trace id has 32 digits, the span ids have 16. */
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_us: number;
  readonly status: 'unset' | 'ok' | 'error';
  readonly status_message: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly events: readonly object[];
}

export type StoredSpan = Omit<TraceSpan, 'started_at' | 'duration_us'> & {
  readonly started_at: Date;
  readonly duration_us: string;
};

export interface SpanOwner {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly userId: string | null;
}

const COLUMNS = [
  ...['trace_id', 'span_id', 'parent_span_id', 'name', 'kind', 'started_at', 'duration_us'],
  ...['status', 'status_message', 'attributes', 'resource', 'events'],
].join(', ');

const RETENTION_DAYS = 90;
const DELETED_AT_ONCE = 10_000;

/**
 * Inserts spans. A span that exists already stays unchanged, so that a client can send it again.
 */
export async function insertSpans(
  manager: EntityManager,
  { organisationId, workspaceId, userId }: SpanOwner,
  spans: readonly TraceSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await manager.query(
    `INSERT INTO trace_spans (organisation_id, workspace_id, user_id, ${COLUMNS})
     SELECT $1, $2, $3, ${COLUMNS} FROM json_populate_recordset(NULL::trace_spans, $4::json)
     ON CONFLICT (workspace_id, trace_id, span_id) DO NOTHING`,
    [organisationId, workspaceId, userId, storableJson(spans)],
  );
}

/**
 * Returns the first spans of a trace by their start time: at most `limit.spans`, with at most
 * `limit.bytes` of attributes, resources and events. A `userId` restricts the result to spans that
 * this user sent.
 */
export async function spansOfTrace(
  manager: EntityManager,
  owner: SpanOwner,
  traceId: string,
  limit: { readonly spans: number; readonly bytes: number },
): Promise<StoredSpan[]> {
  return manager.query(
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS}, sum(octet_length(attributes::text) + octet_length(resource::text) + octet_length(events::text))
         OVER (ORDER BY started_at, span_id ROWS UNBOUNDED PRECEDING) AS size
       FROM trace_spans
       WHERE organisation_id = $1 AND workspace_id = $2 AND ($3::uuid IS NULL OR user_id = $3) AND trace_id = $4
       ORDER BY started_at, span_id LIMIT $5) span
     WHERE size <= $6 ORDER BY started_at, span_id`,
    [owner.organisationId, owner.workspaceId, owner.userId, traceId, limit.spans, limit.bytes],
  );
}

/**
 * Deletes spans older than 90 days, with at most `steps` statements of 10,000 rows; later calls
 * delete the rest.
 */
export async function dropOldSpans(source: DataSource, now: Date, steps = 1_000): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
  for (let left = steps; left > 0; left -= 1) {
    const [, count]: [unknown, number] = await source.query(
      `DELETE FROM trace_spans WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM trace_spans WHERE created_at < $1 LIMIT ${String(DELETED_AT_ONCE)}))`,
      [before],
    );
    if (count < DELETED_AT_ONCE) return;
  }
}
