import { RESULT_SQL } from '@gw/analytics';
import {
  LOG_MEASURES,
  LOG_VALUE_FILTERS,
  type RangeFilterColumn,
  type ValueFilterColumn,
} from '../rows/log-columns';

/** Owner of the listed logs: one organisation, and one workspace unless the caller may see all. */
export interface LogOwner {
  readonly organisationId: string;
  readonly workspaceId: string | null;
  /** User whose keys made the requests; absent or null for all users. */
  readonly userId?: string | null;
  /** Lists do not apply this restriction of `LogViewer`, so they do not accept a viewer. */
  readonly madeWith?: never;
}

/** A reader of single logs by their ids. */
export interface LogViewer extends Omit<LogOwner, 'madeWith'> {
  /**
   * Restricts the reader to requests made with this key or, when it is null, with any key of this
   * user. Absent: all requests of the owner.
   */
  readonly madeWith?: { readonly apiKeyId: string | null; readonly userId: string | null };
}

export interface Bounds<T> {
  readonly min?: T | undefined;
  readonly max?: T | undefined;
}

export interface LogFilter {
  readonly owner: LogOwner;
  /** Values by column; a log must have one of them in each column. */
  readonly values: { readonly [column in ValueFilterColumn]?: readonly string[] };
  readonly ranges: { readonly [column in RangeFilterColumn]?: Bounds<number | Date> };
  /** Bounds of the weighted average feedback on the log's trace. */
  readonly feedback?: Bounds<number>;
  /** Pairs of which a log must have one; empty or absent for any. */
  readonly providerModels?: readonly (readonly [provider: string, model: string])[];
  /** Ranges of which one must contain the status, both ends included; empty for any status. */
  readonly statuses: readonly (readonly [number, number])[];
  readonly streamed: boolean | null;
  /** Absent: both successful and failed requests. */
  readonly isSuccess?: boolean | undefined;
  /** Whether another target failed before the one that responded. Absent: either. */
  readonly fellBack?: boolean | undefined;
  /** Whether a second call was started while the first one was in flight. Absent: either. */
  readonly hedged?: boolean | undefined;
  /** Keys and values that a log's metadata must contain. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Position of the last row of the previous page; null for the first page. */
  readonly after: LogPosition | null;
}

/** A position in a list, which is sorted by time and then id, newest first. */
export interface LogPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface Bound {
  readonly parameters: unknown[];
  readonly bind: Bind;
}

/**
 * Returns the SQL conditions of a filter, their parameters so far, and a function that binds more.
 */
export function logConditions(filter: LogFilter): Bound & { where: string[] } {
  const { place, others, parameters, bind } = splitLogConditions(filter);
  return { where: [...place, ...others], parameters, bind };
}

/**
 * Returns the conditions of `logConditions` in two parts: `place` on owner and time, and `others`.
 */
export function splitLogConditions(filter: LogFilter): Bound & { place: string[]; others: string[] } {
  const { place, parameters, bind } = placeConditions(filter);
  return { place, others: [...filterConditions(filter, bind)], parameters, bind };
}

/**
 * Conditions on workspace or organisation and on time: the matching logs are one range in the order
 * of a list.
 */
export function placeConditions(filter: LogFilter): Bound & { place: string[] } {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const { organisationId, workspaceId } = filter.owner;
  return {
    place: [
      ...ownerConditions({ organisationId, workspaceId }, bind),
      ...rangeConditions(filter, ['created_at'], bind),
      ...afterConditions(filter, bind),
    ],
    parameters,
    bind,
  };
}

type Bind = (value: unknown) => string;

/**
 * Returns the conditions on owner and user; `madeWith` restricts them to a key, or else to its
 * user.
 */
export function ownerConditions(
  { organisationId, workspaceId, userId, madeWith }: LogViewer,
  bind: Bind,
): string[] {
  const conditions = [`organisation_id = ${bind(organisationId)}`];
  if (workspaceId !== null) conditions.push(`workspace_id = ${bind(workspaceId)}`);
  if (typeof userId === 'string') conditions.push(`user_id = ${bind(userId)}`);
  if (madeWith?.apiKeyId) conditions.push(`api_key_id = ${bind(madeWith.apiKeyId)}`);
  else if (madeWith) conditions.push(`user_id = ${bind(madeWith.userId)}`);
  return conditions;
}

function* afterConditions({ after }: LogFilter, bind: Bind): Generator<string> {
  if (after) yield `(created_at, id) < (${bind(after.createdAt)}, ${bind(after.id)}::uuid)`;
}

function* filterConditions(filter: LogFilter, bind: Bind): Generator<string> {
  const { userId } = filter.owner;
  if (typeof userId === 'string') yield `user_id = ${bind(userId)}`;
  for (const column of LOG_VALUE_FILTERS) {
    const values = filter.values[column];
    if (values?.length === 1) yield `${column} = ${bind(values[0])}`;
    else if (values) yield `${column} = ANY(${bind(values)})`;
  }
  yield* rangeConditions(filter, LOG_MEASURES, bind);
  yield* outcomeConditions(filter, bind);
  if (filter.providerModels && filter.providerModels.length > 0) {
    const pairs = filter.providerModels.map(([provider, model]) => `(${bind(provider)}, ${bind(model)})`);
    yield `(provider, model) IN (${pairs.join(', ')})`;
  }
  yield* feedbackConditions(filter.feedback ?? {}, bind);
  yield* handlingConditions(filter, bind);
  if (Object.keys(filter.metadata).length > 0)
    yield `metadata @> ${bind(JSON.stringify(filter.metadata))}::jsonb`;
}

/** Yields conditions on how the gateway sent the request and returned the response. */
function* handlingConditions({ streamed, fellBack, hedged }: LogFilter, bind: Bind): Generator<string> {
  if (streamed !== null) yield `streamed = ${bind(streamed)}`;
  if (fellBack !== undefined) yield `fell_back = ${bind(fellBack)}`;
  if (hedged !== undefined) yield `hedged = ${bind(hedged)}`;
}

function* outcomeConditions({ statuses, isSuccess }: LogFilter, bind: Bind): Generator<string> {
  if (statuses.length > 0) {
    const ranges = statuses.map(([from, to]) => `status BETWEEN ${bind(from)} AND ${bind(to)}`);
    yield `(${ranges.join(' OR ')})`;
  }
  if (isSuccess !== undefined) yield `${isSuccess ? '' : 'NOT '}${RESULT_SQL.success}`;
}

const AVERAGE = 'sum(value * weight) / nullif(sum(weight), 0)';
const AVERAGE_FEEDBACK = `(SELECT ${AVERAGE} FROM feedback
  WHERE feedback.workspace_id = request_logs.workspace_id AND feedback.trace_id = request_logs.trace_id)`;

function* feedbackConditions(
  { min, max }: Bounds<number>,
  bind: Bind,
  average = AVERAGE_FEEDBACK,
): Generator<string> {
  if (min !== undefined) yield `${average} >= ${bind(min)}`;
  if (max !== undefined) yield `${average} <= ${bind(max)}`;
}

/**
 * Returns a query for the ids of at most `countMax` traces whose feedback matches; null if the
 * filter has no condition on feedback.
 */
export function tracesByFeedback(
  { owner, feedback = {} }: LogFilter,
  countMax: number,
): { readonly query: string; readonly parameters: unknown[] } | null {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const having = [...feedbackConditions(feedback, bind, AVERAGE)];
  if (having.length === 0) return null;
  const { organisationId, workspaceId } = owner;
  const where = [...ownerConditions({ organisationId, workspaceId }, bind)];
  const query = `SELECT trace_id FROM feedback WHERE ${where.join(' AND ')}
    GROUP BY workspace_id, trace_id HAVING ${having.join(' AND ')} LIMIT ${bind(countMax)}`;
  return { query, parameters };
}

function* rangeConditions(
  filter: LogFilter,
  columns: readonly RangeFilterColumn[],
  bind: Bind,
): Generator<string> {
  for (const column of columns) {
    const { min, max } = filter.ranges[column] ?? {};
    if (min !== undefined) yield `${column} >= ${bind(min)}`;
    if (max !== undefined) yield `${column} <= ${bind(max)}`;
  }
}
