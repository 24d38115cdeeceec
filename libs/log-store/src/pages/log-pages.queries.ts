import type { EntityManager } from 'typeorm';
import {
  logConditions,
  placeConditions,
  splitLogConditions,
  tracesByFeedback,
  type Bounds,
  type LogFilter,
} from './log-conditions';
import { listByMetadata } from './log-metadata-pages.queries';
import { listByZones } from './log-zone-pages.queries';
import { COLUMNS, newestOfAll, NEWEST_FIRST } from './log-page-sql';
import type { StoredRequestLog } from '../rows/stored-request-log';

/**
 * Newest rows that are scanned first: a filter that matches many rows is usually satisfied by them.
 */
const SCANNED_FIRST = 2_000;

/**
 * Returns one page of logs, newest first; `limit` rows at most. Reads, until the page is full:
 * 1. an index in the order of the list, if the filter has one;
 * 2. the newest 2,000 rows;
 * 3. the index of metadata, the traces with matching feedback, or the zone map.
 */
export async function listLogs(
  manager: EntityManager,
  filter: LogFilter,
  limit: number,
): Promise<StoredRequestLog[]> {
  const filters = [...activeFilters(filter)];
  if (isOrdered(filter, filters)) return listInOrder(manager, filter, limit);
  const newest = await searchNewest(manager, filter, limit);
  if (newest.length >= limit || !(await hasMoreRows(manager, filter))) return newest;
  if (filters.every((name) => name === 'metadata')) return listByMetadata(manager, filter, limit, newest);
  const traces = await tracesWithFeedback(manager, filter);
  return traces === null ? listByZones(manager, filter, limit) : listByTraces(manager, filter, traces, limit);
}

const isOpen = ({ min, max }: Bounds<unknown> = {}): boolean => min === undefined && max === undefined;

/** Yields the names of the active filters, except those on workspace, organisation and time. */
function* activeFilters(filter: LogFilter): Generator<string> {
  const { owner, values, ranges, feedback, providerModels = [], metadata } = filter;
  if (typeof owner.userId === 'string') yield 'owner';
  yield* Object.keys(values);
  for (const [name, bounds] of Object.entries(ranges))
    if (name !== 'created_at' && !isOpen(bounds)) yield name;
  if (!isOpen(feedback)) yield 'feedback';
  if (providerModels.length > 0) yield 'models';
  yield* activeOutcomeFilters(filter);
  if (Object.keys(metadata).length > 0) yield 'metadata';
}

/** Yields the names of the active filters on the outcome. */
function* activeOutcomeFilters({
  statuses,
  streamed,
  isSuccess,
  fellBack,
  hedged,
}: LogFilter): Generator<string> {
  if (statuses.length > 0) yield 'statuses';
  if (streamed !== null) yield 'streamed';
  if (isSuccess !== undefined) yield 'success';
  if (fellBack !== undefined) yield 'fell_back';
  if (hedged !== undefined) yield 'hedged';
}

const FAILED_FROM = 400;
const isOne = (values: readonly string[] = []): boolean => values.length === 1;
const ofWorkspace = ({ owner }: LogFilter): boolean => owner.workspaceId !== null;

/**
 * For a single active filter: whether an index returns its logs in the order of the list, or so few
 * logs that sorting them is cheap.
 */
const ORDERED: Readonly<Record<string, (filter: LogFilter) => boolean>> = {
  span_id: () => true,
  parent_span_id: () => true,
  api_key_id: ({ values }) => isOne(values.api_key_id),
  model: (filter) => ofWorkspace(filter) && isOne(filter.values.model),
  prompt_slug: (filter) => ofWorkspace(filter) && isOne(filter.values.prompt_slug),
  statuses: (filter) => ofWorkspace(filter) && filter.statuses.every(([from]) => from >= FAILED_FROM),
};

function isOrdered(filter: LogFilter, [first, ...others]: readonly string[]): boolean {
  if (first === undefined || filter.values.trace_id) return true;
  return others.length === 0 && ORDERED[first]?.(filter) === true;
}

function listInOrder(manager: EntityManager, filter: LogFilter, limit: number): Promise<StoredRequestLog[]> {
  const { where, parameters, bind } = logConditions(filter);
  return manager.query(
    `SELECT ${COLUMNS} FROM request_logs WHERE ${where.join(' AND ')} ${NEWEST_FIRST} LIMIT ${bind(limit)}`,
    parameters,
  );
}

function searchNewest(manager: EntityManager, filter: LogFilter, limit: number): Promise<StoredRequestLog[]> {
  const { place, others, parameters, bind } = splitLogConditions(filter);
  return manager.query(
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS} FROM request_logs WHERE ${place.join(' AND ')} ${NEWEST_FIRST} LIMIT ${bind(SCANNED_FIRST)}
     ) AS request_logs
     WHERE ${others.join(' AND ')} ${NEWEST_FIRST} LIMIT ${bind(limit)}`,
    parameters,
  );
}

/** With more traces, the zone map is cheaper. */
const TRACES_MAX = 1_000;

/**
 * Returns the traces with matching feedback; null: the filter has none, or more than `TRACES_MAX`
 * match.
 */
async function tracesWithFeedback(manager: EntityManager, filter: LogFilter): Promise<string[] | null> {
  const traceQuery = tracesByFeedback(filter, TRACES_MAX + 1);
  if (traceQuery === null) return null;
  const rows: { trace_id: string }[] = await manager.query(traceQuery.query, traceQuery.parameters);
  return rows.length > TRACES_MAX ? null : rows.map(({ trace_id: trace }) => trace);
}

function listByTraces(
  manager: EntityManager,
  filter: LogFilter,
  traces: readonly string[],
  limit: number,
): Promise<StoredRequestLog[]> {
  const conditions = logConditions(filter);
  conditions.where.push(`trace_id = ANY(${conditions.bind(traces)})`);
  return newestOfAll(manager, conditions, limit);
}

/** Returns whether there are more rows than `searchNewest` scans. */
async function hasMoreRows(manager: EntityManager, filter: LogFilter): Promise<boolean> {
  const { place, parameters, bind } = placeConditions(filter);
  const rows: unknown[] = await manager.query(
    `SELECT FROM request_logs WHERE ${place.join(' AND ')} ${NEWEST_FIRST} OFFSET ${bind(SCANNED_FIRST)} LIMIT 1`,
    parameters,
  );
  return rows.length > 0;
}
