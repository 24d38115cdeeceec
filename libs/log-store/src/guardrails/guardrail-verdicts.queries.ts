import { storableJson } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { LogOwner } from '../pages/log-conditions';

/** The verdict of a check that failed or could not decide. */
export interface GuardrailVerdict {
  readonly log_id: string;
  /** Time of the log record, ISO 8601. */
  readonly created_at: string;
  /** Position among the verdicts of the log record. */
  readonly place: number;
  readonly organisation_id: string;
  readonly workspace_id: string | null;
  readonly user_id: string | null;
  /** Slug of the guardrail, or the name of an inline guardrail. */
  readonly guardrail: string;
  readonly version_id: string | null;
  readonly check_id: string;
  readonly stage: string;
  readonly verdict: 'failed' | 'errored';
  /** Whether the guardrail denied the request because of this verdict. */
  readonly denied: boolean;
  readonly duration_ms: number;
}

/** Counts of the runs of one check in one workspace on one UTC day. */
export interface GuardrailCount {
  /** Beginning of the UTC day, ISO 8601. */
  readonly created_at: string;
  readonly organisation_id: string;
  readonly workspace_id: string;
  readonly guardrail: string;
  readonly check_id: string;
  readonly stage: string;
  readonly runs: number;
  readonly failed: number;
  readonly errored: number;
  readonly duration_ms: number;
}

export const VERDICT_MARKS = ['false_positive', 'true_positive'] as const;
export type VerdictMark = (typeof VERDICT_MARKS)[number];

export interface StoredVerdict extends Omit<GuardrailVerdict, 'created_at'> {
  readonly created_at: Date;
  readonly mark: VerdictMark | null;
  readonly marked_at: Date | null;
  readonly marked_by: string | null;
  readonly note: string | null;
}

/** Maximum number of rows of one statement. A batch of log records can contain more verdicts. */
const ROWS_MAX = 5_000;

/**
 * Inserts verdicts in the transaction of their log records. Verdicts that are stored already stay
 * unchanged.
 */
export async function insertVerdicts(
  manager: EntityManager,
  rows: readonly GuardrailVerdict[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_MAX) {
    await manager.query(
      `INSERT INTO guardrail_verdicts (${VERDICT_COLUMNS})
       SELECT ${VERDICT_COLUMNS} FROM json_populate_recordset(NULL::guardrail_verdicts, $1::json)
       ON CONFLICT (log_id, created_at, place) DO NOTHING`,
      [storableJson(rows.slice(at, at + ROWS_MAX))],
    );
  }
}

const VERDICT_COLUMNS =
  'log_id, created_at, place, organisation_id, workspace_id, user_id, guardrail, version_id, check_id, stage, verdict, denied, duration_ms';

/**
 * Adds to the counts of checks. `rows` must hold at most one row for each key. Rows are written in
 * key order, so that concurrent writers cannot deadlock.
 */
export async function addCounts(manager: EntityManager, rows: readonly GuardrailCount[]): Promise<void> {
  const sorted = [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (let at = 0; at < sorted.length; at += ROWS_MAX) {
    await manager.query(
      `INSERT INTO guardrail_check_counts AS stored
       SELECT * FROM json_populate_recordset(NULL::guardrail_check_counts, $1::json)
       ON CONFLICT (organisation_id, guardrail, created_at, workspace_id, check_id, stage) DO UPDATE SET
         runs = stored.runs + excluded.runs,
         failed = stored.failed + excluded.failed,
         errored = stored.errored + excluded.errored,
         duration_ms = stored.duration_ms + excluded.duration_ms`,
      [storableJson(sorted.slice(at, at + ROWS_MAX))],
    );
  }
}

const keyOf = (row: GuardrailCount): string =>
  JSON.stringify([
    row.organisation_id,
    row.guardrail,
    row.created_at,
    row.workspace_id,
    row.check_id,
    row.stage,
  ]);

export interface VerdictFilter extends LogOwner {
  readonly guardrail: string;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly check?: string | undefined;
  readonly verdict?: string | undefined;
  /** `none` selects verdicts without a mark; absent selects all. */
  readonly mark?: VerdictMark | 'none' | undefined;
}

/** Conditions of the filter that apply to all tables; further values follow from `$7` on. */
const WHERE = `organisation_id = $1 AND guardrail = $2
  AND ($3::uuid IS NULL OR workspace_id = $3)
  AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at <= $5)
  AND ($6::text IS NULL OR check_id = $6)`;

const valuesOf = ({ organisationId, guardrail, workspaceId, since, until, check }: VerdictFilter) => [
  organisationId,
  guardrail,
  workspaceId,
  since ?? null,
  until ?? null,
  check ?? null,
];

const OF_USER = `AND ($7::text IS NULL OR user_id = $7)`;

/** Returns one page of verdicts, newest first, and the total number of matching verdicts. */
export async function listVerdicts(
  manager: EntityManager,
  filter: VerdictFilter,
  page: { readonly skip: number; readonly take: number },
): Promise<[StoredVerdict[], number]> {
  const where = `${WHERE} ${OF_USER} AND ($8::text IS NULL OR verdict = $8)
    AND ($9::text IS NULL OR coalesce(mark, 'none') = $9)`;
  const values = [...valuesOf(filter), filter.userId ?? null, filter.verdict ?? null, filter.mark ?? null];
  const rows: StoredVerdict[] = await manager.query(
    `SELECT * FROM guardrail_verdicts WHERE ${where}
     ORDER BY created_at DESC, log_id DESC, place DESC LIMIT $10 OFFSET $11`,
    [...values, page.take, page.skip],
  );
  const [counted]: { total: string }[] = await manager.query(
    `SELECT count(*) AS total FROM guardrail_verdicts WHERE ${where}`,
    values,
  );
  return [rows, Number(counted?.total ?? 0)];
}

/**
 * Marks the failed verdicts of one log record; a null mark removes it. Returns the number of
 * verdicts that it changed.
 */
export async function markVerdicts(
  manager: EntityManager,
  filter: Omit<VerdictFilter, 'since' | 'until' | 'verdict' | 'mark'> & {
    readonly logId: string;
    readonly stage?: string | undefined;
  },
  mark: { readonly mark: VerdictMark | null; readonly by: string | null; readonly note: string | null },
): Promise<number> {
  const marked: object[] = await manager.query(
    `WITH marked AS (
       UPDATE guardrail_verdicts SET mark = $10, marked_by = $11, note = $12,
         marked_at = CASE WHEN $10::text IS NULL THEN NULL ELSE now() END
       WHERE log_id = $8 AND verdict = 'failed' AND ($9::text IS NULL OR stage = $9) AND ${WHERE} ${OF_USER}
       RETURNING place
     ) SELECT place FROM marked`,
    [
      ...valuesOf(filter),
      filter.userId ?? null,
      filter.logId,
      filter.stage ?? null,
      mark.mark,
      mark.mark === null ? null : mark.by,
      mark.mark === null ? null : mark.note,
    ],
  );
  return marked.length;
}

/** Counts of the runs and results of a check, and of the marks that users set on its failures. */
export interface CheckQuality {
  readonly check_id: string;
  readonly stage: string;
  readonly runs: number;
  readonly failed: number;
  readonly errored: number;
  readonly duration_ms: number;
  readonly false_positives: number;
  readonly true_positives: number;
}

/**
 * Returns one row for each check and stage that has run; at most 1,000 rows. Runs and results are
 * counted by whole UTC days, including those of `since` and `until`; marks by the exact times.
 */
export async function qualityOf(
  manager: EntityManager,
  filter: Omit<VerdictFilter, 'verdict' | 'mark' | 'userId'>,
): Promise<CheckQuality[]> {
  const rows: Record<keyof CheckQuality, string>[] = await manager.query(
    `WITH counted AS (
       SELECT check_id, stage, sum(runs) AS runs, sum(failed) AS failed, sum(errored) AS errored,
         sum(duration_ms) AS duration_ms
       FROM guardrail_check_counts
       WHERE ${WHERE.replace('created_at >= $4', `created_at >= date_trunc('day', $4::timestamptz, 'UTC')`)}
       GROUP BY check_id, stage
     ), marked AS (
       SELECT check_id, stage, count(*) FILTER (WHERE mark = 'false_positive') AS false_positives,
         count(*) FILTER (WHERE mark = 'true_positive') AS true_positives
       FROM guardrail_verdicts WHERE ${WHERE} AND mark IS NOT NULL GROUP BY check_id, stage
     )
     SELECT counted.*, coalesce(false_positives, 0) AS false_positives, coalesce(true_positives, 0) AS true_positives
     FROM counted LEFT JOIN marked USING (check_id, stage) ORDER BY check_id, stage LIMIT 1000`,
    valuesOf(filter),
  );
  return rows.map((row) => ({
    check_id: row.check_id,
    stage: row.stage,
    runs: Number(row.runs),
    failed: Number(row.failed),
    errored: Number(row.errored),
    duration_ms: Number(row.duration_ms),
    false_positives: Number(row.false_positives),
    true_positives: Number(row.true_positives),
  }));
}
