import { logs } from '../../../messages/en/logs';
import { acceptsFilter, type FilterField, type FilterOption } from '../../../ui/filters';
import type { Filter } from '../../../url';

/** A filter field, with the API parameters that it is sent as. */
export interface LogField extends FilterField {
  /** Parameter of `GET /v1/logs`. A number field sends it with the suffixes `_min` and `_max`. */
  readonly parameter: string;
  /** Parameter of the analytics graphs; absent when they cannot filter by the field. */
  readonly graph?: string;
  /**
   * Smallest difference between two values of a number field; with a step of 1, `over 5` becomes
   * `from 6`.
   */
  readonly step?: number;
  /** True for a field with the values `yes` and `no`. */
  readonly isFlag?: boolean;
}

const { groups, fields: names, values: words } = logs.filters;
type Group = keyof typeof groups;
type Name = keyof typeof names;

interface Extra {
  readonly graph?: string;
  readonly options?: readonly FilterOption[];
  readonly unit?: string;
  readonly step?: number;
}

const shared = (id: Name, group: Group) => ({ id, label: names[id], group: groups[group] });

const values = (group: Group, id: Name, parameter: string, extra: Extra = {}): LogField => ({
  ...shared(id, group),
  kind: 'values',
  parameter,
  ...extra,
});

/** Field with a closed set of values, so that a negation can be sent as all other values. */
const closed = (
  group: Group,
  id: Name,
  parameter: string,
  all: readonly string[],
  graph?: string,
): LogField => ({
  ...values(group, id, parameter, {
    options: all.map((value) => ({ value, label: words(value) })),
    ...(graph === undefined ? {} : { graph }),
  }),
  negatable: true,
});

const flag = (group: Group, id: Name, parameter: string, graph?: string): LogField => ({
  ...values(group, id, parameter, {
    options: ['yes', 'no'].map((value) => ({ value, label: words(value) })),
  }),
  ...(graph === undefined ? {} : { graph }),
  isFlag: true,
});

const number = (group: Group, id: Name, parameter: string, extra: Extra = {}): LogField => ({
  ...shared(id, group),
  kind: 'number',
  parameter,
  comparisons: ['>', '>=', '<', '<=', 'between'],
  step: 1e-6,
  ...extra,
});

/** Options of a field that accepts other values too. */
const suggestions = (list: readonly string[]): readonly FilterOption[] => list.map((value) => ({ value }));

const STATUSES = suggestions([
  '2xx',
  '4xx',
  '5xx',
  '200',
  '246',
  '400',
  '401',
  '412',
  '429',
  '446',
  '500',
  '502',
  '504',
]);
const METHODS = suggestions(['POST', 'GET', 'DELETE', 'PUT', 'PATCH']);
const ROUTES = suggestions([
  'chat.completions',
  'responses',
  'messages',
  'completions',
  'embeddings',
  'images.generations',
  'audio.transcriptions',
  'audio.speech',
  'moderations',
  'rerank',
  'realtime',
  'batches',
  'files',
  'models',
]);
const ERRORS = suggestions([
  'rate_limited',
  'budget_exhausted',
  'hooks_failed',
  'provider_error',
  'provider_unreachable',
  'provider_timeout',
  'stream_interrupted',
  'request_timeout',
  'model_not_enabled',
  'scope_missing',
  'api_key_invalid',
  'api_key_expired',
  'validation_failed',
]);

// Complete lists of the values that the fields of a log have.
const CACHE = ['HIT', 'MISS', 'SEMANTIC HIT', 'SEMANTIC MISS', 'REFRESH', 'DISABLED'];
const OUTCOMES = ['ok', 'provider_error', 'denied', 'failed', 'client_closed', 'interrupted'];
const PRICED = ['priced', 'unpriced', 'no_usage', 'estimated'];

/**
 * Filter fields of the logs page. `GET /v1/logs` also filters by `q`, which the text box sends, and
 * by `ai_org_model` and `prompt_id`, which the page does not offer.
 */
export const LOG_FIELDS: readonly LogField[] = [
  values('request', 'route', 'route', { options: ROUTES }),
  values('request', 'method', 'method', { options: METHODS }),
  values('request', 'model', 'model'),
  values('request', 'response_model', 'response_model'),
  values('request', 'provider', 'provider'),
  values('request', 'credential', 'credential', { graph: 'virtual_keys' }),
  values('request', 'config', 'config_id', { graph: 'configs' }),
  values('request', 'config_version', 'config_version_id'),
  values('request', 'prompt', 'prompt_slug', { graph: 'prompt_slug' }),
  flag('request', 'streamed', 'streamed'),
  values('request', 'mcp_server', 'mcp_server', { graph: 'mcp_server' }),
  values('request', 'mcp_method', 'mcp_method', { graph: 'mcp_method' }),
  values('request', 'mcp_capability', 'mcp_capability', { graph: 'mcp_capability' }),
  values('caller', 'key', 'api_key_id', { graph: 'api_key_ids' }),
  values('caller', 'user', 'user_id'),
  values('caller', 'md.*', 'metadata', { graph: 'metadata' }),
  values('outcome', 'status', 'status', { graph: 'status_code', options: STATUSES }),
  closed('outcome', 'outcome', 'outcome', OUTCOMES),
  flag('outcome', 'success', 'is_success', 'is_success'),
  flag('outcome', 'fallback', 'fell_back'),
  flag('outcome', 'hedged', 'hedged'),
  values('outcome', 'error', 'error_type', { options: ERRORS }),
  closed('outcome', 'cache', 'cache_status', CACHE, 'cache_status'),
  number('outcome', 'retries', 'retries', { step: 1 }),
  number('size', 'took', 'response_time', { unit: 'ms' }),
  number('size', 'first_byte', 'first_byte_ms', { unit: 'ms' }),
  number('size', 'overhead', 'overhead_ms', { unit: 'ms' }),
  number('size', 'tokens', 'total_units', { graph: 'total_units', step: 1 }),
  number('size', 'tokens_in', 'prompt_token', { graph: 'prompt_token', step: 1 }),
  number('size', 'tokens_out', 'completion_token', { graph: 'completion_token', step: 1 }),
  number('money', 'cost', 'cost', { graph: 'cost', unit: 'cents' }),
  closed('money', 'priced', 'priced', PRICED),
  values('trace', 'trace', 'trace_id', { graph: 'trace_id' }),
  values('trace', 'span', 'span_id', { graph: 'span_id' }),
  values('trace', 'parent_span', 'parent_span_id'),
  values('trace', 'span_name', 'span_name'),
  values('where', 'gateway', 'gateway_id'),
  values('where', 'integration', 'integration_id'),
  number('feedback', 'feedback', 'weighted_feedback', { graph: 'weighted_feedback' }),
];

const METADATA_PREFIX = 'md.';

/** Name of the metadata entry that a field such as `md.team` filters by; null for other fields. */
export const metadataName = (field: string): string | null =>
  field.startsWith(METADATA_PREFIX) && field.length > METADATA_PREFIX.length
    ? field.slice(METADATA_PREFIX.length)
    : null;

export const metadataField = (name: string): string => METADATA_PREFIX + name;

/** Finds a field by its name in the address. */
export const logField = (id: string): LogField | undefined =>
  LOG_FIELDS.find((field) => field.id === (metadataName(id) === null ? id : 'md.*'));

/**
 * Whether the logs page accepts a filter of its address: it knows the field, the API supports the
 * comparison, and a field with a complete list of values has all values of the filter. Other fields
 * accept any value, because their options are suggestions.
 */
export function acceptsLogFilter(filter: Filter): boolean {
  const field = logField(filter.field);
  if (field === undefined || !acceptsFilter(LOG_FIELDS, filter)) return false;
  if (filter.match.kind !== 'any' || field.options === undefined) return true;
  const isClosed = field.isFlag === true || field.negatable === true;
  const { options } = field;
  if (!isClosed || !Array.isArray(options)) return true;
  const { values: wanted } = filter.match;
  // The negation of all values would be sent as no filter.
  const hidesAll = filter.not && options.every(({ value }: FilterOption) => wanted.includes(value));
  return !hidesAll && wanted.every((value) => isOneOf(options, value));
}

const isOneOf = (options: readonly FilterOption[], wanted: string): boolean =>
  options.some(({ value }) => value === wanted);
