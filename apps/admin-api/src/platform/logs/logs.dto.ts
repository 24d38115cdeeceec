import {
  DateField,
  QueryBooleanField,
  QueryIntegerField,
  QueryTextListField,
  ReferenceField,
  TextField,
} from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { LogFilterFields, VALUES_MAX } from './log-filter-fields';

/** Maximum duration of a log tail, in seconds. */
export const TAIL_SECONDS_MAX = 3_600;
/** Maximum range of a search in days. */
export const SEARCH_DAYS_MAX = 31;

const anyOf = (description: string): PropertyDecorator =>
  QueryTextListField({ optional: true, max: VALUES_MAX, description });

const STATUS = /^[1-9](?:\d\d|xx)$/i;
const statuses = (description: string): PropertyDecorator =>
  applyDecorators(
    anyOf(description),
    Matches(STATUS, { each: true, message: 'each value in $property must be a status such as 429 or 4xx' }),
  );

/**
 * Filters of the request log. A filter that takes a list matches any of its values; different
 * filters must all match.
 */
export class ListLogsQuery extends LogFilterFields {
  @QueryIntegerField({ min: 1, max: 100, fallback: 50 }) page_size!: number;
  @QueryIntegerField({
    min: 0,
    max: 9_999,
    fallback: 0,
    description:
      'Page number from 0, within the newest 10,000 matching logs. Use cursor for later pages and with q.',
  })
  current_page!: number;
  @TextField({ optional: true, max: 128, description: '`next_cursor` of the previous page.' })
  cursor?: string;
  @TextField({
    optional: true,
    min: 3,
    max: 200,
    description:
      'Text to find in the URL, the error type or a body; case-insensitive. Requires time_of_generation_min and a range of at most 31 days. A page may have few or no logs and still have a next page.',
  })
  q?: string;
  @ReferenceField({
    optional: true,
    description: 'Id or slug of the workspace; for an organisation key or a session.',
  })
  workspace_id?: string;
  @DateField({ optional: true, description: 'Start of the range, inclusive.' })
  time_of_generation_min?: string;
  @DateField({ optional: true, description: 'End of the range, inclusive.' }) time_of_generation_max?: string;
  @anyOf('Provider and model: `<provider>__<model>`.') ai_org_model?: string[];
  @statuses('Statuses or status classes: `200`, `4xx`.') status?: string[];
  @statuses('Alias of status.') status_code?: string[];
  @QueryBooleanField({ optional: true }) streamed?: boolean;
  @QueryBooleanField({ optional: true, description: 'Matches the `is_success` of a log.' })
  is_success?: boolean;
  @QueryBooleanField({ optional: true, description: 'Matches the `fell_back` of a log.' })
  fell_back?: boolean;
  @QueryBooleanField({ optional: true, description: 'Matches the `hedged` of a log.' })
  hedged?: boolean;
  @TextField({
    optional: true,
    max: 4_096,
    description:
      'A JSON object of metadata names and values; `metadata.<name>=<value>` filters by a single name.',
  })
  metadata?: string;
}

/** Filters of a log tail, the same as those of lists. Paging parameters are ignored. */
export class TailLogsQuery extends ListLogsQuery {
  @QueryIntegerField({
    min: 1,
    max: TAIL_SECONDS_MAX,
    fallback: 900,
    description: 'Duration of the tail in seconds.',
  })
  max_seconds!: number;
}

export class ReadLogQuery {
  @QueryBooleanField({
    optional: true,
    description:
      'false leaves out the bodies, which are then null and are not read; `/request` and `/response` return them. Default: true.',
  })
  bodies?: boolean;
}
