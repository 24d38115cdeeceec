import {
  DateField,
  QueryBooleanField,
  QueryEnumListField,
  QueryIntegerField,
  QueryTextListField,
  QueryUuidListField,
  ReferenceField,
  TextField,
} from '@gw/web';
import { Matches } from 'class-validator';
import { amount, MeasureBounds } from './measure-bounds.dto';

const VALUES_MAX = 50;

export const OUTCOMES = ['ok', 'provider_error', 'denied', 'failed', 'client_closed', 'interrupted'] as const;

const anyOf = (description: string): PropertyDecorator =>
  QueryTextListField({ optional: true, max: VALUES_MAX, description });

/** Filters of the request log. A filter that takes a list matches any of its values; different filters must all match. */
export class ListLogsQuery extends MeasureBounds {
  @QueryIntegerField({ min: 1, max: 100, fallback: 50 })
  page_size!: number;

  @QueryIntegerField({
    min: 0,
    max: 9_999,
    fallback: 0,
    description:
      'Page, counted from 0, among the newest 10,000 logs that the filters find; beyond them, and with q, go on by cursor.',
  })
  current_page!: number;

  @TextField({ optional: true, max: 128, description: '`next_cursor` of the page before.' })
  cursor?: string;

  @TextField({
    optional: true,
    min: 3,
    max: 200,
    description:
      'A text in the URL, the error type or a body, whatever its case. Needs time_of_generation_min and a time of at most 31 days. A page may be short, or empty, and have a next one.',
  })
  q?: string;

  @ReferenceField({ optional: true, description: 'Id or slug; with an organisation key or a session.' })
  workspace_id?: string;

  @DateField({ optional: true, description: 'Not before.' })
  time_of_generation_min?: string;

  @DateField({ optional: true, description: 'Not after.' })
  time_of_generation_max?: string;

  @anyOf('Trace ids.')
  trace_id?: string[];

  @anyOf('Span ids.')
  span_id?: string[];

  @QueryUuidListField({ optional: true, max: VALUES_MAX, description: 'Ids of API keys.' })
  api_key_id?: string[];

  @anyOf('Ids of users.')
  user_id?: string[];

  @anyOf('Providers, such as openai.')
  provider?: string[];

  @anyOf('Slugs of saved providers.')
  credential?: string[];

  @anyOf('Models as requested.')
  model?: string[];

  @anyOf('Models that providers said they used.')
  response_model?: string[];

  @anyOf('Providers with models: `<provider>__<model>`.')
  ai_org_model?: string[];

  @anyOf('Slugs of saved providers; the same as credential.')
  virtual_keys?: string[];

  @anyOf('Slugs of configs; the same as config_id.')
  configs?: string[];

  @anyOf('Ids of versions of configs.')
  config_version_id?: string[];

  @anyOf('Ids of integrations.')
  integration_id?: string[];

  @anyOf('Slugs of prompts.')
  prompt_slug?: string[];

  @anyOf('Ids of prompts.')
  prompt_id?: string[];

  @anyOf('Span ids of parents.')
  parent_span_id?: string[];

  @anyOf('Names of spans.')
  span_name?: string[];

  @anyOf('HTTP methods.')
  method?: string[];

  @QueryEnumListField(['priced', 'unpriced', 'no_usage', 'estimated'])
  priced?: string[];

  @anyOf('Gateways.')
  gateway_id?: string[];

  @anyOf('Route families, such as chat.completions.')
  route?: string[];

  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'Statuses or classes: `200`, `4xx`.' })
  @Matches(/^[1-9](?:\d\d|xx)$/i, {
    each: true,
    message: 'each value in $property must be a status such as 429 or 4xx',
  })
  status?: string[];

  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'The same as status.' })
  @Matches(/^[1-9](?:\d\d|xx)$/i, {
    each: true,
    message: 'each value in $property must be a status such as 429 or 4xx',
  })
  status_code?: string[];

  @QueryUuidListField({ optional: true, max: VALUES_MAX, description: 'The same as api_key_id.' })
  api_key_ids?: string[];

  @QueryEnumListField(OUTCOMES)
  outcome?: (typeof OUTCOMES)[number][];

  @anyOf('Types of the error that the caller saw.')
  error_type?: string[];

  @anyOf('Ids of configs.')
  config_id?: string[];

  @anyOf('Cache states, such as HIT.')
  cache_status?: string[];

  @QueryBooleanField({ optional: true })
  streamed?: boolean;

  @QueryBooleanField({ optional: true, description: 'The `is_success` of the log.' })
  is_success?: boolean;

  @amount(1e9, 'Milliseconds, at least.')
  response_time_min?: number;

  @amount(1e9, 'Milliseconds, at most.')
  response_time_max?: number;

  @amount(1e9, 'Milliseconds until the first byte, at least.')
  first_byte_ms_min?: number;

  @amount(1e9, 'Milliseconds until the first byte, at most.')
  first_byte_ms_max?: number;

  @amount(1e9, 'Milliseconds of our own, at least.')
  overhead_ms_min?: number;

  @amount(1e9, 'Milliseconds of our own, at most.')
  overhead_ms_max?: number;

  @amount(1e3, 'Repetitions, at least.')
  retries_min?: number;

  @amount(1e3, 'Repetitions, at most.')
  retries_max?: number;

  @TextField({
    optional: true,
    max: 4_096,
    description:
      'A JSON object of metadata names and values; `metadata.<name>=<value>` says the same of one.',
  })
  metadata?: string;
}

/** The filters of lists; pages have no meaning here. */
export class TailLogsQuery extends ListLogsQuery {
  @QueryIntegerField({ min: 1, max: 3_600, fallback: 900, description: 'Seconds until the tail ends.' })
  max_seconds!: number;
}
