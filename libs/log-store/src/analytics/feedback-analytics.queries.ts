import { filterConditions, type AnalyticsFilter, type AnalyticsScope, type TimeBucket } from '@gw/analytics';
import type { EntityManager } from 'typeorm';
import { binder, POSTGRES } from './postgres-dialect';

/** Feedback of one organisation, given within a time to requests that the filter leaves. */
export interface FeedbackRequest {
  readonly scope: AnalyticsScope;
  /** Unix milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly filter: AnalyticsFilter;
}

export interface FeedbackGroup {
  /** Bucket, score, model or value of the group; empty for none. */
  readonly key: string;
  readonly total: number;
  /** Mean of value times weight. */
  readonly weighted: number;
}

interface Requested {
  /** Parameters of the conditions. Queries append their own. */
  readonly parameters: unknown[];
  /** On feedback `f`; for feedback alone `anyLog` besides. */
  readonly conditions: string;
  /** At least one request of its trace is of the filter, where there is any. */
  readonly anyLog: string;
  /** Joins the requests that feedback is of: those of its trace, in its workspace. */
  readonly withLogs: string;
}

function requested({ scope, from, to, filter }: FeedbackRequest): Requested {
  const parameters: unknown[] = [scope.organisationId, scope.workspaceId, scope.userId, from, to];
  const wanted = filterConditions({ filter, by: [], measures: [] }, POSTGRES, binder(parameters));
  const logs = `SELECT id, trace_id, workspace_id, organisation_id, model, metadata FROM request_logs
    WHERE ${['organisation_id = $1', ...wanted].join(' AND ')}`;
  const same = `log.trace_id = f.trace_id AND log.workspace_id = f.workspace_id AND log.organisation_id = f.organisation_id`;
  return {
    parameters,
    conditions: `f.organisation_id = $1 AND ($2::uuid IS NULL OR f.workspace_id = $2)
      AND ($3::text IS NULL OR f.user_id::text = $3)
      AND f.created_at >= to_timestamp($4::double precision / 1000)
      AND f.created_at <= to_timestamp($5::double precision / 1000)`,
    anyLog: wanted.length === 0 ? '' : `AND EXISTS (SELECT FROM (${logs}) AS log WHERE ${same})`,
    withLogs: `feedback f JOIN (${logs}) AS log ON ${same}`,
  };
}

interface Found {
  readonly key: string | null;
  readonly total: string;
  readonly weighted: number | null;
}

const groupOf = ({ key, total, weighted }: Found): FeedbackGroup => ({
  key: key ?? '',
  total: Number(total),
  weighted: weighted ?? 0,
});

const MEASURED = 'count(*) AS total, avg(f.value * f.weight) AS weighted';

/** Groups feedback by its time; `key` is the number of the bucket. */
export async function feedbackByTime(
  manager: EntityManager,
  ask: FeedbackRequest,
  bucket: TimeBucket,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, anyLog } = requested(ask);
  const bind = binder(parameters);
  const key = POSTGRES.bucketNumber(bind(bucket.sizeMs, 'number'), bind(bucket.offsetMs, 'number'));
  const found: Found[] = await manager.query(
    `SELECT (${key})::text AS key, ${MEASURED}
     FROM (SELECT f.*, extract(epoch FROM f.created_at) * 1000 AS first_ms FROM feedback f) AS f
     WHERE ${conditions} ${anyLog} GROUP BY 1`,
    parameters,
  );
  return found.map(groupOf);
}

/** Groups feedback by its value, at most `limit` groups. */
export async function feedbackByScore(
  manager: EntityManager,
  ask: FeedbackRequest,
  limit: number,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, anyLog } = requested(ask);
  const found: Found[] = await manager.query(
    `SELECT f.value::text AS key, ${MEASURED} FROM feedback f WHERE ${conditions} ${anyLog}
     GROUP BY f.value ORDER BY f.value LIMIT ${binder(parameters)(limit, 'number')}`,
    parameters,
  );
  return found.map(groupOf);
}

/** Groups feedback by the model of its requests; feedback of a trace of several models counts for each. */
export async function feedbackByModel(
  manager: EntityManager,
  ask: FeedbackRequest,
  limit: number,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, withLogs } = requested(ask);
  const found: Found[] = await manager.query(
    `SELECT key, count(*) AS total, avg(score) AS weighted FROM (
       SELECT DISTINCT f.id, log.model AS key, f.value * f.weight AS score FROM ${withLogs} WHERE ${conditions}
     ) AS given GROUP BY key ORDER BY total DESC, key LIMIT ${binder(parameters)(limit, 'number')}`,
    parameters,
  );
  return found.map(groupOf);
}

/** Groups feedback by the values of one metadata name, for the given values. `total` counts requests. */
export async function feedbackByMetadata(
  manager: EntityManager,
  ask: FeedbackRequest,
  name: string,
  values: readonly string[],
): Promise<FeedbackGroup[]> {
  if (values.length === 0) return [];
  const { parameters, conditions, withLogs } = requested(ask);
  const bind = binder(parameters);
  const value = `log.metadata->>${bind(name, 'text')}`;
  const found: Found[] = await manager.query(
    `SELECT ${value} AS key, count(DISTINCT log.id) AS total, avg(f.value * f.weight) AS weighted
     FROM ${withLogs} WHERE ${conditions} AND ${value} = ANY(${bind(values, 'texts')}) GROUP BY 1`,
    parameters,
  );
  return found.map(groupOf);
}

/** Traces whose feedback, value times weight on average, is within the bounds; at most `limit`. */
export async function tracesByFeedback(
  manager: EntityManager,
  { organisationId, workspaceId }: AnalyticsScope,
  bounds: { readonly min?: number | undefined; readonly max?: number | undefined },
  limit: number,
): Promise<string[]> {
  const found: { trace_id: string }[] = await manager.query(
    `SELECT trace_id FROM feedback WHERE organisation_id = $1 AND ($2::uuid IS NULL OR workspace_id = $2)
     GROUP BY workspace_id, trace_id HAVING avg(value * weight) BETWEEN $3 AND $4 LIMIT $5`,
    [organisationId, workspaceId, bounds.min ?? -10, bounds.max ?? 10, limit],
  );
  return found.map(({ trace_id: traceId }) => traceId);
}
