import type { LogExportEntity } from '@gw/entities';
import { rowFields } from '@gw/web';
import type { LogExportResponse } from './log-exports.dto';

export const toLogExport = (row: LogExportEntity): LogExportResponse => ({
  id: row.id,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  filters: row.filters,
  requested_data: row.requestedData,
  format: row.format,
  status: row.status,
  description: row.description ?? '',
  total: row.total,
  progress: { rows: row.rowsDone, bytes: Number(row.bytesDone) },
  failure: row.failure,
  created_by: row.createdBy,
  ...rowFields(row),
  object: 'export',
});
