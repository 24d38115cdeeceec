import type { LogExportEntity } from '@gw/entities';
import { LOG_EXPORT_FIELDS } from '@gw/log-store';
import {
  ResponseField,
  DateField,
  EnumField,
  EnumListField,
  IntegerField,
  MapField,
  NestedField,
  NumberField,
  pageOf,
  ReferenceField,
  RowResponse,
  Strict,
  TextField,
  viewOf,
} from '@gw/web';
import { searchable } from '../../platform/resource/list-order';

const COUNT = { optional: true, min: 0, max: Number.MAX_SAFE_INTEGER } as const;
const CENTS = { optional: true, min: 0, max: 1e9, description: 'Cost in US cents.' } as const;
const SCORE = { optional: true, min: -10, max: 10 } as const;
/** A list without a value would be no filter, and would export more than intended. */
const LIST = { optional: true, max: 4_096, pattern: /[^\s,]/ } as const;

class TimeRangeDto {
  @DateField({ optional: true }) gte?: string;
  @DateField({ optional: true }) lte?: string;
}

/**
 * Filters of an export; logs that match all of them are exported. Lists are strings with
 * comma-separated values, any of which may match.
 */
export class LogExportFiltersDto {
  @DateField({ optional: true, description: 'Start of the range, inclusive.' })
  time_of_generation_min?: string;
  @DateField({ optional: true, description: 'End of the range, inclusive.' }) time_of_generation_max?: string;
  @NestedField(() => TimeRangeDto, {
    optional: true,
    description: 'Alias of time_of_generation_min and time_of_generation_max; send only one of each.',
  })
  created_at?: TimeRangeDto;
  @IntegerField(COUNT) total_units_min?: number;
  @IntegerField(COUNT) total_units_max?: number;
  @NumberField(CENTS) cost_min?: number;
  @NumberField(CENTS) cost_max?: number;
  @TextField(LIST) ai_model?: string;
  @IntegerField(COUNT) prompt_token_min?: number;
  @IntegerField(COUNT) prompt_token_max?: number;
  @IntegerField(COUNT) completion_token_min?: number;
  @IntegerField(COUNT) completion_token_max?: number;
  @TextField({ ...LIST, pattern: /^\s*[1-9]\d\d(?:\s*,\s*[1-9]\d\d)*\s*$/, example: '200,429' })
  status_code?: string;
  @MapField({ optional: true, maxEntries: 20, valueMax: 1_024 }) metadata?: Record<string, string>;
  @TextField({ ...LIST, example: 'openai__gpt-4o' }) ai_org_model?: string;
  @NumberField(SCORE) weighted_feedback_min?: number;
  @NumberField(SCORE) weighted_feedback_max?: number;
  @TextField({ ...LIST, description: 'Slugs of saved providers.' }) virtual_keys?: string;
  @TextField(LIST) trace_id?: string;
  @TextField({ ...LIST, description: 'Slugs of configs.' }) configs?: string;
  @TextField({ optional: true, max: 255, description: 'Must be the workspace of the export.' })
  workspace_slug?: string;
  @TextField(LIST) prompt_slug?: string;
  @TextField({ ...LIST, description: 'Slugs of MCP servers.' }) mcp_server?: string;
  @TextField({ ...LIST, description: 'MCP methods.', example: 'tools/call' }) mcp_method?: string;
  @TextField({ ...LIST, description: 'Names of tools and prompts.' }) mcp_capability?: string;
  @IntegerField({
    optional: true,
    min: 1,
    max: 50_000,
    description: 'When absent, all matching logs are exported.',
  })
  page_size?: number;
  @IntegerField({ optional: true, min: 0, max: 100_000 }) current_page?: number;
}

const FORMATS = ['jsonl', 'parquet'] as const;
const REQUESTED = { minItems: 1, maxItems: LOG_EXPORT_FIELDS.length, example: ['id', 'cost'] };

/**
 * Body of a new export. It is strict, because ignoring an unknown filter would export more than
 * intended.
 */
@Strict()
export class CreateLogExportDto {
  @ReferenceField({
    optional: true,
    description: 'Id or slug of the workspace; for a credential of the whole organisation.',
  })
  workspace_id?: string;
  @NestedField(() => LogExportFiltersDto) filters!: LogExportFiltersDto;
  @EnumListField(LOG_EXPORT_FIELDS, REQUESTED) requested_data!: (typeof LOG_EXPORT_FIELDS)[number][];
  @TextField({ optional: true, nullable: true, min: 0, max: 1_000 }) description?: string | null;
  @EnumField(FORMATS, { optional: true, description: 'Default: jsonl.' }) format?: (typeof FORMATS)[number];
}

@Strict()
export class UpdateLogExportDto {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @NestedField(() => LogExportFiltersDto) filters!: LogExportFiltersDto;
  @EnumListField(LOG_EXPORT_FIELDS, { ...REQUESTED, optional: true })
  requested_data?: (typeof LOG_EXPORT_FIELDS)[number][];
  @TextField({ optional: true, nullable: true, min: 0, max: 1_000 }) description?: string | null;
  @EnumField(FORMATS, { optional: true }) format?: (typeof FORMATS)[number];
}

export class ListLogExportsQuery extends searchable(
  pageOf({ size: 100 }),
  ['created_at', 'last_updated_at'],
  'description',
) {
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class WrittenLogExportResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.integer({
    description: 'Number of matching logs; at most 1,000,000 are counted.',
    example: 1200,
  })
  readonly total!: number;
  @ResponseField.kind('export') readonly object!: 'export';
}

export class LogExportTaskResponse {
  @ResponseField.text({ example: 'The export has been started.' }) readonly message!: string;
  @ResponseField.kind('export') readonly object!: 'export';
}

export class LogExportDownloadResponse {
  @ResponseField.text({
    description:
      'Link that is valid for an hour, as long as the key, session or grant that created it is valid.',
    example:
      'https://gateway.example.com/v1/logs/exports/0198f3a1/file?expires=1&by=key.0198f3a1&signature=x',
  })
  readonly signed_url!: string;
}

export class FieldRestrictionsResponse {
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.texts({ example: ['metadata'] }) readonly deniedFields!: readonly string[];
  @ResponseField.texts({ example: ['id', 'trace_id'] }) readonly allowedFields!: readonly string[];
  @ResponseField.oneOf(['organisation', 'workspace']) readonly source!: 'organisation' | 'workspace';
}

class ExportProgressResponse {
  @ResponseField.integer({ example: 10000 }) readonly rows!: number;
  @ResponseField.integer({ example: 4194304 }) readonly bytes!: number;
}

export class LogExportResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.json({ example: { status_code: '429' } }) readonly filters!: Readonly<
    Record<string, unknown>
  >;
  @ResponseField.texts({ example: ['id', 'cost'] }) readonly requested_data!: readonly string[];
  @ResponseField.oneOf(FORMATS) readonly format!: string;
  @ResponseField.oneOf(['draft', 'in_progress', 'success', 'failed', 'stopped']) readonly status!: string;
  @ResponseField.text({ example: 'Rate limited requests of May' }) readonly description!: string;
  @ResponseField.integer({ example: 1200 }) readonly total!: number;
  @ResponseField.one(() => ExportProgressResponse) readonly progress!: ExportProgressResponse;
  @ResponseField.text({ nullable: true, example: null as unknown as string }) readonly failure!:
    string | null;
  @ResponseField.uuid({ nullable: true, description: 'Id of the user or of the API key.' })
  readonly created_by!: string | null;
  @ResponseField.kind('export') readonly object!: 'export';
}

export const toLogExport = (row: LogExportEntity): LogExportResponse =>
  viewOf(LogExportResponse, row, {
    description: row.description ?? '',
    progress: { rows: row.rowsDone, bytes: Number(row.bytesDone) },
    object: 'export',
  });
