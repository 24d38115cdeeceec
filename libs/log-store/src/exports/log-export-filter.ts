import type { LogExportEntity } from '@gw/entities';
import { UNITS_PER_CENT } from '@gw/kernel';
import type { Bounds, LogFilter } from '../pages/log-conditions';

/**
 * Filters of an export; the API validated them when it stored them. Lists are comma-separated
 * texts.
 */
export interface LogExportFilters {
  readonly time_of_generation_min?: string;
  readonly time_of_generation_max?: string;
  readonly total_units_min?: number;
  readonly total_units_max?: number;
  /** US cents. */
  readonly cost_min?: number;
  readonly cost_max?: number;
  readonly prompt_token_min?: number;
  readonly prompt_token_max?: number;
  readonly completion_token_min?: number;
  readonly completion_token_max?: number;
  readonly weighted_feedback_min?: number;
  readonly weighted_feedback_max?: number;
  readonly ai_model?: string;
  /** `<provider>__<model>` */
  readonly ai_org_model?: string;
  readonly status_code?: string;
  readonly virtual_keys?: string;
  readonly configs?: string;
  readonly trace_id?: string;
  readonly prompt_slug?: string;
  readonly mcp_server?: string;
  readonly mcp_method?: string;
  readonly mcp_capability?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Page of the matching logs that is exported; absent for all of them. */
  readonly page_size?: number;
  readonly current_page?: number;
}

type Exported = Pick<LogExportEntity, 'organisationId' | 'workspaceId' | 'onlyUserId' | 'until' | 'filters'>;

/**
 * Returns the log filter of an export. It matches no log that is newer than the export's `until`.
 */
export function logExportFilter(row: Exported): LogFilter {
  const filters = row.filters as LogExportFilters;
  const units = (cents: number | undefined): number | undefined =>
    cents === undefined ? undefined : Math.round(cents * UNITS_PER_CENT);
  return {
    owner: { organisationId: row.organisationId, workspaceId: row.workspaceId, userId: row.onlyUserId },
    values: valuesOf(filters),
    ranges: {
      created_at: timesOf(filters, row.until),
      cost: bounds(units(filters.cost_min), units(filters.cost_max)),
      total_tokens: bounds(filters.total_units_min, filters.total_units_max),
      input_tokens: bounds(filters.prompt_token_min, filters.prompt_token_max),
      output_tokens: bounds(filters.completion_token_min, filters.completion_token_max),
    },
    feedback: bounds(filters.weighted_feedback_min, filters.weighted_feedback_max),
    providerModels: listOf(filters.ai_org_model).map(providerModel),
    statuses: listOf(filters.status_code).map((text) => [Number(text), Number(text)] as const),
    streamed: null,
    metadata: filters.metadata ?? {},
    after: null,
  };
}

const LISTS = {
  ai_model: 'model',
  virtual_keys: 'credential',
  configs: 'config_id',
  trace_id: 'trace_id',
  prompt_slug: 'prompt_slug',
  mcp_server: 'mcp_server',
  mcp_method: 'mcp_method',
  mcp_capability: 'mcp_capability',
} as const;

const valuesOf = (filters: LogExportFilters): LogFilter['values'] =>
  Object.fromEntries(
    Object.entries(LISTS).flatMap(([name, column]) => {
      const values = listOf(filters[name as keyof typeof LISTS]);
      return values.length === 0 ? [] : [[column, values]];
    }),
  );

function timesOf(filters: LogExportFilters, until: Date | null): Bounds<Date> {
  const { time_of_generation_min: min, time_of_generation_max: max } = filters;
  const ends = [...(max === undefined ? [] : [new Date(max)]), ...(until === null ? [] : [until])];
  const end = ends.reduce<Date | undefined>(
    (first, each) => (first && first < each ? first : each),
    undefined,
  );
  return { min: min === undefined ? undefined : new Date(min), max: end };
}

const bounds = (min: number | undefined, max: number | undefined): Bounds<number> => ({ min, max });

const listOf = (text: string | undefined): string[] =>
  (text ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

/**
 * Splits `<provider>__<model>` at the first `__`; a model's name may contain `__` too. The model is
 * empty if there is no `__`.
 */
export function providerModel(text: string): readonly [provider: string, model: string] {
  const at = text.indexOf('__');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
}
