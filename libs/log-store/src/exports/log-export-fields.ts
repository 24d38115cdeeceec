import type { OrganisationEntity, WorkspaceEntity } from '@gw/entities';

/** What an export may hold, in the order of its columns. */
export const LOG_EXPORT_FIELDS = [
  'id',
  'trace_id',
  'created_at',
  'request',
  'response',
  'is_success',
  'ai_org',
  'ai_model',
  'req_units',
  'res_units',
  'total_units',
  'request_url',
  'cost',
  'cost_currency',
  'response_time',
  'response_status_code',
  'mode',
  'config',
  'prompt_slug',
  'metadata',
] as const;

export type LogExportField = (typeof LOG_EXPORT_FIELDS)[number];

export interface ExportRestrictions {
  readonly deniedFields: readonly string[];
  readonly source: 'organisation' | 'workspace';
}

/** What no export of the workspace may hold: as it says itself, where the organisation lets it and it says anything. */
export function exportRestrictionsOf(
  organisation: Pick<OrganisationEntity, 'exportSettings' | 'workspaceOverrides'>,
  workspace: Pick<WorkspaceEntity, 'exportSettings'>,
): ExportRestrictions {
  const own = workspace.exportSettings.deniedFields;
  return organisation.workspaceOverrides['export_settings'] === true && own !== undefined
    ? { deniedFields: own, source: 'workspace' }
    : { deniedFields: organisation.exportSettings.deniedFields ?? [], source: 'organisation' };
}
