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

/**
 * Filters of all graphs, summaries and groups. A list filter matches any of its values; different
 * filters must all match.
 */
export class AnalyticsQuery extends MeasureBounds {
  @DateField({
    description:
      'Start of the range, inclusive. Its UTC offset sets the bucket boundaries; buckets of a day or six hours start at a whole UTC hour.',
  })
  time_of_generation_min!: string;
  @DateField({ description: 'End of the range, inclusive; at most 366 days after the start.' })
  time_of_generation_max!: string;
  @ReferenceField({
    optional: true,
    description:
      'Id of the workspace. Ignored with a workspace key. With an organisation key, default: the default workspace.',
  })
  workspace_slug?: string;
  @ReferenceField({
    optional: true,
    description: 'Id or slug of the workspace; for an organisation key or a session.',
  })
  workspace_id?: string;
  @QueryTextListField({ optional: true, max: VALUES_MAX, description: 'Response statuses, such as 429.' })
  @Matches(/^[1-9]\d\d$/, { each: true, message: 'each value in $property must be a status such as 429' })
  status_code?: string[];
  @QueryBooleanField({ optional: true, description: 'Matches the `is_success` of a log.' })
  is_success?: boolean;
  @anyOf('Slugs of saved providers.') virtual_keys?: string[];
  @anyOf('Slugs of configs.') configs?: string[];
  @QueryUuidListField({ optional: true, max: VALUES_MAX, description: 'Ids of API keys.' })
  api_key_ids?: string[];
  @TextField({ optional: true, max: 4_096, description: 'A JSON object of metadata names and values.' })
  metadata?: string;
  @QueryTextListField({
    optional: true,
    max: VALUES_MAX,
    description: 'Provider and model: `<provider>__<model>`.',
  })
  @Matches(/^.+__.+$/s, {
    each: true,
    message: 'each value in $property must have the form <provider>__<model>',
  })
  ai_org_model?: string[];
  @anyOf('Trace ids.') trace_id?: string[];
  @anyOf('Span ids.') span_id?: string[];
  @anyOf('Slugs of prompts.') prompt_slug?: string[];
  @anyOf('Slugs of MCP servers.') mcp_server?: string[];
  @anyOf('Methods of MCP, such as tools/call.') mcp_method?: string[];
  @anyOf('Names of tools and prompts at their MCP servers.') mcp_capability?: string[];
  @anyOf('Cache states, such as HIT.') cache_status?: string[];
  @QueryEnumListField(REQUEST_TYPES, { description: 'Types of requests.' })
  request_type?: (typeof REQUEST_TYPES)[number][];
}

export class AnalyticsGroupsQuery extends AnalyticsQuery implements PageQuery {
  @QueryIntegerField({
    min: 0,
    max: 1_000_000,
    fallback: 0,
    description: 'Page number from 0. Pages after the last one are empty.',
  })
  current_page!: number;
  @QueryIntegerField({ min: 1, max: 100, fallback: 50 }) page_size!: number;
}

export class AnalyticsGroupByQuery extends AnalyticsGroupsQuery {
  @QueryEnumListField(COLUMN_NAMES, { description: 'Columns of each row. Default: `requests`.' })
  columns?: (typeof COLUMN_NAMES)[number][];
  @EnumField(COLUMN_NAMES, { optional: true, description: 'One of `columns`. Default: the first one.' })
  order_by?: (typeof COLUMN_NAMES)[number];
  @EnumField(['asc', 'desc'], { optional: true, description: 'Default: `desc`.' })
  order_by_type?: 'asc' | 'desc';
  @QueryBooleanField({
    optional: true,
    description: 'When false, `total` is left out, which makes the query cheaper.',
  })
  include_total?: boolean;
}

/** Groupings by their public API names. */
export const GROUP_BY = {
  ai_service: 'provider',
  model: 'model',
  status_code: 'status',
  api_key: 'api_key_id',
  config: 'config_id',
  workspace: 'workspace_id',
  provider: 'credential',
  prompt: 'prompt_slug',
  mcp_server: 'mcp_server',
  mcp_method: 'mcp_method',
  mcp_capability: 'mcp_capability',
} as const satisfies Readonly<Record<string, (typeof DIMENSIONS)[number]>>;
