import {
  DateField,
  NumberField,
  QueryBooleanField,
  QueryEnumListField,
  QueryIntegerField,
  QueryTextListField,
  QueryUuidListField,
  ReferenceField,
  TextField,
} from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';

const VALUES_MAX = 50;
const COUNT_MAX = Number.MAX_SAFE_INTEGER;

export const OUTCOMES = ['ok', 'provider_error', 'denied', 'failed', 'client_closed', 'interrupted'] as const;

const anyOf = (description: string): PropertyDecorator =>
  QueryTextListField({ optional: true, max: VALUES_MAX, description });

const amount = (max: number, description: string): PropertyDecorator =>
  applyDecorators(
    NumberField({ optional: true, min: 0, max, description }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,16}(?:\.\d{1,10})?$/.test(value) ? Number(value) : value,
    ),
  );

/** Filters of the request log. A filter that takes a list matches any of its values; different filters must all match. */
export class ListLogsQuery {
  @QueryIntegerField({ min: 1, max: 100, fallback: 50 })
  page_size!: number;

  @TextField({ optional: true, max: 128, description: '`next_cursor` of the page before.' })
  cursor?: string;

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

  @anyOf('Models as asked for.')
  model?: string[];

  @anyOf('Route families, such as chat.completions.')
  route?: string[];

  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'Statuses or classes: `200`, `4xx`.' })
  @Matches(/^[1-9](?:\d\d|xx)$/i, {
    each: true,
    message: 'each value in $property must be a status such as 429 or 4xx',
  })
  status?: string[];

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

  @amount(1e9, 'US cents, at least.')
  cost_min?: number;

  @amount(1e9, 'US cents, at most.')
  cost_max?: number;

  @amount(COUNT_MAX, 'Tokens in and out, at least.')
  total_units_min?: number;

  @amount(COUNT_MAX, 'Tokens in and out, at most.')
  total_units_max?: number;

  @amount(COUNT_MAX, 'Tokens in, at least.')
  prompt_token_min?: number;

  @amount(COUNT_MAX, 'Tokens in, at most.')
  prompt_token_max?: number;

  @amount(COUNT_MAX, 'Tokens out, at least.')
  completion_token_min?: number;

  @amount(COUNT_MAX, 'Tokens out, at most.')
  completion_token_max?: number;

  @TextField({
    optional: true,
    max: 4_096,
    description:
      'A JSON object of metadata names and values; `metadata.<name>=<value>` says the same of one.',
  })
  metadata?: string;
}
