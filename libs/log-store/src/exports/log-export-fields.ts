import type { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { EXPORTED_COLUMNS, type ExportedName } from '../rows/log-columns';

/** Fields of exports that are not columns of the log, with their positions among all fields. */
const COMPUTED_FIELDS = { request: 4, response: 5, is_success: 6, cost_currency: 14, mode: 17 } as const;

export type ComputedExportField = keyof typeof COMPUTED_FIELDS;
export type LogExportField = ExportedName | ComputedExportField;

/** Fields of an export, in the order of its columns. */
export const LOG_EXPORT_FIELDS: readonly LogExportField[] = [
  ...EXPORTED_COLUMNS.map(({ as, place }) => [as, place] as const),
  ...(Object.entries(COMPUTED_FIELDS) as [ComputedExportField, number][]),
]
  .sort(([, place], [, other]) => place - other)
  .map(([name]) => name);

export interface ExportRestrictions {
  readonly deniedFields: readonly string[];
  readonly source: 'organisation' | 'workspace';
}

/**
 * Returns the fields that exports of the workspace must not contain: the workspace's list if it has
 * one and the organisation allows workspaces to override its list, else the organisation's list.
 */
export function exportRestrictionsOf(
  organisation: Pick<OrganisationEntity, 'exportSettings' | 'workspaceOverrides'>,
  workspace: Pick<WorkspaceEntity, 'exportSettings'>,
): ExportRestrictions {
  const ofWorkspace = workspace.exportSettings.deniedFields;
  return organisation.workspaceOverrides['export_settings'] === true && ofWorkspace !== undefined
    ? { deniedFields: ofWorkspace, source: 'workspace' }
    : { deniedFields: organisation.exportSettings.deniedFields ?? [], source: 'organisation' };
}
