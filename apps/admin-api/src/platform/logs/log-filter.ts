import { isStorableText, UNITS_PER_CENT } from '@gw/kernel';
import { providerModel, type Bounds, type LogFilter, type LogOwner } from '@gw/log-store';
import { invalid } from '@gw/web';
import { decodeCursor } from './log-cursor';
import { wantedRanges, wantedValues } from './log-filter-fields';
import type { ListLogsQuery } from './logs.dto';

const METADATA_PREFIX = 'metadata.';
const METADATA_FILTERS_MAX = 20;

/**
 * Builds the log filter from a query. `all` is the whole query with its `metadata.<name>`
 * parameters, which no class can declare.
 */
export function logFilterOf(
  owner: LogOwner,
  query: ListLogsQuery,
  all: Readonly<Record<string, unknown>>,
): LogFilter {
  return {
    owner,
    values: wantedValues({ ...query }),
    ranges: {
      created_at: bounds(asDate(query.time_of_generation_min), asDate(query.time_of_generation_max)),
      cost: bounds(asUnits(query.cost_min), asUnits(query.cost_max)),
      total_tokens: bounds(query.total_units_min, query.total_units_max),
      input_tokens: bounds(query.prompt_token_min, query.prompt_token_max),
      output_tokens: bounds(query.completion_token_min, query.completion_token_max),
      ...wantedRanges({ ...query }),
    },
    feedback: bounds(query.weighted_feedback_min, query.weighted_feedback_max),
    providerModels: (query.ai_org_model ?? []).map(providerModel),
    statuses: (query.status ?? query.status_code ?? []).map(statusRange),
    streamed: query.streamed ?? null,
    isSuccess: query.is_success,
    fellBack: query.fell_back,
    hedged: query.hedged,
    metadata: metadataOf(query.metadata, all),
    after: query.cursor === undefined ? null : decodeCursor(query.cursor),
  };
}

const bounds = <T>(min: T | undefined, max: T | undefined): Bounds<T> => ({ min, max });

const asDate = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

const asUnits = (cents: number | undefined): number | undefined =>
  cents === undefined ? undefined : Math.round(cents * UNITS_PER_CENT);

function statusRange(text: string): readonly [number, number] {
  if (!/xx$/i.test(text)) return [Number(text), Number(text)];
  const first = Number(text.charAt(0)) * 100;
  return [first, first + 99];
}

/**
 * Returns the metadata filter of a list or graph. `all` is the whole query with its
 * `metadata.<name>` parameters.
 */
export function metadataOf(
  json: string | undefined,
  all: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const wanted = Object.entries(json === undefined ? {} : objectOf(json));
  for (const [name, value] of Object.entries(all)) {
    if (name.startsWith(METADATA_PREFIX)) wanted.push([name.slice(METADATA_PREFIX.length), value]);
  }
  if (wanted.length > METADATA_FILTERS_MAX) {
    throw invalid('metadata', `metadata must contain at most ${String(METADATA_FILTERS_MAX)} filters`);
  }
  for (const [name, value] of wanted) {
    if (typeof value !== 'string' || !isStorableText(name) || !isStorableText(value)) {
      throw invalid(`${METADATA_PREFIX}${name}`, 'a metadata filter must be a single string');
    }
  }
  return Object.fromEntries(wanted);
}

function objectOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The error below reports invalid JSON.
  }
  throw invalid('metadata', 'metadata must be a JSON object');
}
