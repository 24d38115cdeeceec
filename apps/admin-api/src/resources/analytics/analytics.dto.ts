import { DIMENSIONS, REQUEST_TYPES } from '@gw/analytics';
import {
  DateField,
  EnumField,
  QueryBooleanField,
  QueryEnumListField,
  QueryIntegerField,
  QueryTextListField,
  QueryUuidListField,
  ReferenceField,
  TextField,
  type PageQuery,
} from '@gw/web';
import { Matches } from 'class-validator';
import { MeasureBounds } from '../../platform/logs/measure-bounds.dto';
import { COLUMN_NAMES } from './columns';

const VALUES_MAX = 50;

const anyOf = (description: string): PropertyDecorator =>
  QueryTextListField({ optional: true, max: VALUES_MAX, description });

/** What every graph, summary and group may be narrowed to. A filter that takes a list matches any of its values; all filters must match. */
export class AnalyticsQuery extends MeasureBounds {
  @DateField({
    description:
      'Not before. Its offset from UTC is that of the buckets; those of a day or six hours begin at a whole hour of UTC.',
  })
  time_of_generation_min!: string;
  @DateField({ description: 'Not after; at most 366 days later.' }) time_of_generation_max!: string;
  @ReferenceField({
    optional: true,
    description:
      'Ignored with a key of a workspace. Absent with a key of the organisation: its default workspace.',
  })
  workspace_slug?: string;
  @ReferenceField({ optional: true, description: 'Id or slug; with an organisation key or a session.' })
  workspace_id?: string;
  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'Statuses of answers, such as 429.' })
  @Matches(/^[1-9]\d\d$/, { each: true, message: 'each value in $property must be a status such as 429' })
  status_code?: string[];
  @QueryBooleanField({ optional: true, description: 'The `is_success` of the log.' }) is_success?: boolean;
  @anyOf('Slugs of saved providers.') virtual_keys?: string[];
  @anyOf('Slugs of configs.') configs?: string[];
  @QueryUuidListField({ optional: true, max: VALUES_MAX, description: 'Ids of API keys.' })
  api_key_ids?: string[];
  @TextField({ optional: true, max: 4_096, description: 'A JSON object of metadata names and values.' })
  metadata?: string;
  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'As `<provider>__<model>`.' })
  @Matches(/^.+__.+$/s, {
    each: true,
    message: 'each value in $property must be written as <provider>__<model>',
  })
  ai_org_model?: string[];
  @anyOf('Trace ids.') trace_id?: string[];
  @anyOf('Span ids.') span_id?: string[];
  @anyOf('Slugs of prompts.') prompt_slug?: string[];
  @anyOf('Cache states, such as HIT.') cache_status?: string[];
  @QueryEnumListField(REQUEST_TYPES, { description: 'Kinds of requests.' })
  request_type?: (typeof REQUEST_TYPES)[number][];
}

export class AnalyticsGroupsQuery extends AnalyticsQuery implements PageQuery {
  @QueryIntegerField({
    min: 0,
    max: 1_000_000,
    fallback: 0,
    description: 'Page, counted from 0; empty behind the last.',
  })
  current_page!: number;
  @QueryIntegerField({ min: 1, max: 100, fallback: 50 }) page_size!: number;
}

export class AnalyticsGroupByQuery extends AnalyticsGroupsQuery {
  @QueryEnumListField(COLUMN_NAMES, { description: 'What a row tells; only `requests` when absent.' })
  columns?: (typeof COLUMN_NAMES)[number][];
  @EnumField(COLUMN_NAMES, { optional: true, description: 'One of `columns`; `requests` when absent.' })
  order_by?: (typeof COLUMN_NAMES)[number];
  @EnumField(['asc', 'desc'], { optional: true, description: '`desc` when absent.' })
  order_by_type?: 'asc' | 'desc';
  @QueryBooleanField({ optional: true, description: 'False leaves `total` out, which costs less.' })
  include_total?: boolean;
}

/** What requests are grouped by, under the names of the public API. */
export const GROUP_BY = {
  ai_service: 'provider',
  model: 'model',
  status_code: 'status',
  api_key: 'api_key_id',
  config: 'config_id',
  workspace: 'workspace_id',
  provider: 'credential',
  prompt: 'prompt_slug',
} as const satisfies Readonly<Record<string, (typeof DIMENSIONS)[number]>>;
