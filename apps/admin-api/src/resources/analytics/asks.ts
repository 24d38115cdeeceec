import type {
  AnalyticsQueryCase,
  AnalyticsFilter,
  GroupKey,
  Measure,
  NumberRange,
  TimeBucket,
} from '@gw/analytics';
import { UNITS_PER_CENT, HOUR_MS, MINUTE_MS, DAY_MS } from '@gw/kernel';
import { invalid } from '@gw/web';
import { metadataOf } from '../../platform/logs/log-filter';
import type { AnalyticsQuery } from './analytics.dto';

const DAYS_MAX = 366;
/**
 * Maximum number of rows of one store query: the points of a graph, times the number of statuses or
 * retry counts.
 */
const ROWS_MAX = 50_000;

/** Bucket size of a graph, by the length of its range. */
const BUCKETS: readonly (readonly [spanMs: number, sizeMs: number])[] = [
  [2 * HOUR_MS, MINUTE_MS],
  [DAY_MS, 15 * MINUTE_MS],
  [7 * DAY_MS, HOUR_MS],
  [31 * DAY_MS, 6 * HOUR_MS],
  [Infinity, DAY_MS],
];

export interface Period {
  /** Start and end in Unix milliseconds, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly bucket: TimeBucket;
}

/**
 * Returns the range and bucket size of a query. Throws `validation_failed` for a range that is
 * inverted or too long.
 */
export function periodOf(query: AnalyticsQuery): Period {
  const [from, to] = [Date.parse(query.time_of_generation_min), Date.parse(query.time_of_generation_max)];
  if (to < from)
    throw invalid(
      'time_of_generation_max',
      'time_of_generation_max must not be before time_of_generation_min',
    );
  if (to - from > DAYS_MAX * DAY_MS) {
    throw invalid(
      'time_of_generation_max',
      `time_of_generation_max must be at most ${String(DAYS_MAX)} days after time_of_generation_min`,
    );
  }
  const [, sizeMs] = BUCKETS.find(([spanMs]) => to - from <= spanMs) as (typeof BUCKETS)[number];
  return { from, to, bucket: { sizeMs, offsetMs: offsetOf(query.time_of_generation_min, sizeMs) } };
}

/**
 * Returns the offset of buckets from UTC, in milliseconds. Buckets longer than an hour start at a
 * whole UTC hour, because sums are stored per hour.
 */
function offsetOf(time: string, sizeMs: number): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? [];
  if (hours === undefined) return 0;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return sizeMs > HOUR_MS ? Math.floor(offset / HOUR_MS) * HOUR_MS : offset;
}

/** Returns the start of each bucket of the period, in Unix milliseconds. */
export function bucketsOf({ from, to, bucket: { sizeMs, offsetMs } }: Period): number[] {
  const first = Math.floor((from + offsetMs) / sizeMs);
  const last = Math.floor((to + offsetMs) / sizeMs);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * sizeMs - offsetMs);
}

/**
 * Returns the store filter of a query. `feedbackTraceIds` are the traces that match the feedback
 * filter; null without such a filter.
 */
export function filterOf(query: AnalyticsQuery, feedbackTraceIds: readonly string[] | null): AnalyticsFilter {
  const traceIds = query.trace_id ?? [];
  const values = {
    api_key_id: query.api_key_ids,
    credential: query.virtual_keys,
    config_id: query.configs,
    prompt_slug: query.prompt_slug,
    mcp_server: query.mcp_server,
    mcp_method: query.mcp_method,
    mcp_capability: query.mcp_capability,
    cache_status: query.cache_status,
    request_type: query.request_type,
  };
  return {
    values: present(values),
    statuses: (query.status_code ?? []).map(Number),
    ...(query.is_success === undefined ? {} : { isSuccess: query.is_success }),
    models: (query.ai_org_model ?? []).map((name) => {
      const at = name.indexOf('__');
      return { provider: name.slice(0, at), model: name.slice(at + 2) };
    }),
    metadata: metadataOf(query.metadata, {}),
    traceIds: feedbackTraceIds === null ? traceIds : intersection(traceIds, feedbackTraceIds),
    spanIds: query.span_id ?? [],
    ranges: present({
      cost: range(query.cost_min, query.cost_max, UNITS_PER_CENT),
      total_tokens: range(query.total_units_min, query.total_units_max),
      input_tokens: range(query.prompt_token_min, query.prompt_token_max),
      output_tokens: range(query.completion_token_min, query.completion_token_max),
    }),
  };
}

/** A trace id that cannot exist. */
const NO_TRACE = '\u{10FFFF}';

/**
 * Returns the traces in both lists. An empty list would mean no filter, so no match is expressed by
 * `NO_TRACE`.
 */
function intersection(requested: readonly string[], rated: readonly string[]): readonly string[] {
  const found = requested.length === 0 ? rated : requested.filter((id) => rated.includes(id));
  return found.length === 0 ? [NO_TRACE] : found;
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;

function range(min: number | undefined, max: number | undefined, unit = 1): NumberRange | undefined {
  if (min === undefined && max === undefined) return undefined;
  return {
    min: min === undefined ? undefined : Math.round(min * unit),
    max: max === undefined ? undefined : Math.round(max * unit),
  };
}

export interface AskParts {
  readonly scope: AnalyticsQueryCase['scope'];
  readonly period: Period;
  readonly filter: AnalyticsFilter;
}

export const askOf = (
  { scope, period: { from, to }, filter }: AskParts,
  measures: readonly Measure[],
  by: readonly GroupKey[] = [],
  more: Partial<AnalyticsQueryCase> = {},
): AnalyticsQueryCase => ({ scope, from, to, filter, measures, by, bucket: null, limit: ROWS_MAX, ...more });
