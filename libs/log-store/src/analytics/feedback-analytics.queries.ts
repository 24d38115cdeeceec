import { filterConditions, type AnalyticsFilter, type AnalyticsScope, type TimeBucket } from '@gw/analytics';
import type { EntityManager } from 'typeorm';
import { binder, POSTGRES } from './postgres-dialect';

/**
 * Selects feedback of one organisation by the time when it was given and by the requests that it
 * judges.
 */
export interface FeedbackRequest {
  readonly scope: AnalyticsScope;
  /** Unix milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly filter: AnalyticsFilter;
}

export interface FeedbackGroup {
  /**
   * Number of the time bucket, score, model or metadata value; empty when the feedback has none.
   */
  readonly key: string;
  readonly total: number;
  /** Mean of value times weight. */
  readonly weighted: number;
}

interface FeedbackConditions {
  /** Parameters of the conditions. Queries append their own. */
  readonly parameters: unknown[];
  /** Conditions on feedback `f`. Queries that read no logs append `anyLog`. */
  readonly conditions: string;
  /**
   * Requires that a request of the feedback's trace matches the filter; empty for a filter without
   * conditions on requests.
   */
  readonly anyLog: string;
  /** Joins feedback with the matching requests of its trace and workspace. */
  readonly withLogs: string;
}

function conditionsOf({ scope, from, to, filter }: FeedbackRequest): FeedbackConditions {
  const parameters: unknown[] = [scope.organisationId, scope.workspaceId, scope.userId, from, to];
  const logConditions = filterConditions({ filter, by: [], measures: [] }, POSTGRES, binder(parameters));
  const logs = `SELECT id, trace_id, workspace_id, organisation_id, model, metadata FROM request_logs
    WHERE ${['organisation_id = $1', ...logConditions].join(' AND ')}`;
  const sameTrace = `log.trace_id = f.trace_id AND log.workspace_id = f.workspace_id AND log.organisation_id = f.organisation_id`;
  return {
    parameters,
    conditions: `f.organisation_id = $1 AND ($2::uuid IS NULL OR f.workspace_id = $2)
      AND ($3::text IS NULL OR f.user_id::text = $3)
      AND f.created_at >= to_timestamp($4::double precision / 1000)
      AND f.created_at <= to_timestamp($5::double precision / 1000)`,
    anyLog: logConditions.length === 0 ? '' : `AND EXISTS (SELECT FROM (${logs}) AS log WHERE ${sameTrace})`,
    withLogs: `feedback f JOIN (${logs}) AS log ON ${sameTrace}`,
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
  request: FeedbackRequest,
  bucket: TimeBucket,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, anyLog } = conditionsOf(request);
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
  request: FeedbackRequest,
  limit: number,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, anyLog } = conditionsOf(request);
  const found: Found[] = await manager.query(
    `SELECT f.value::text AS key, ${MEASURED} FROM feedback f WHERE ${conditions} ${anyLog}
     GROUP BY f.value ORDER BY f.value LIMIT ${binder(parameters)(limit, 'number')}`,
    parameters,
  );
  return found.map(groupOf);
}

/**
 * Groups feedback by the model of its requests, at most `limit` groups. Feedback on a trace with
 * several models counts once for each model.
 */
export async function feedbackByModel(
  manager: EntityManager,
  request: FeedbackRequest,
  limit: number,
): Promise<FeedbackGroup[]> {
  const { parameters, conditions, withLogs } = conditionsOf(request);
  const found: Found[] = await manager.query(
    `SELECT key, count(*) AS total, avg(score) AS weighted FROM (
       SELECT DISTINCT f.id, log.model AS key, f.value * f.weight AS score FROM ${withLogs} WHERE ${conditions}
     ) AS scored GROUP BY key ORDER BY total DESC, key LIMIT ${binder(parameters)(limit, 'number')}`,
    parameters,
  );
  return found.map(groupOf);
}

/** Groups feedback by these values of one metadata key. `total` is the number of requests. */
export async function feedbackByMetadata(
  manager: EntityManager,
  request: FeedbackRequest,
  name: string,
  values: readonly string[],
): Promise<FeedbackGroup[]> {
  if (values.length === 0) return [];
  const { parameters, conditions, withLogs } = conditionsOf(request);
  const bind = binder(parameters);
  const value = `log.metadata->>${bind(name, 'text')}`;
  const found: Found[] = await manager.query(
    `SELECT ${value} AS key, count(DISTINCT log.id) AS total, avg(f.value * f.weight) AS weighted
     FROM ${withLogs} WHERE ${conditions} AND ${value} = ANY(${bind(values, 'texts')}) GROUP BY 1`,
    parameters,
  );
  return found.map(groupOf);
}

/**
 * Returns the ids of at most `limit` traces whose average of value times weight is within the
 * bounds.
 */
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
