import type { ExportedLog, LogBodies } from '@gw/log-store';
import { EXPORT_FIELDS } from './export-fields';
import type { ExportRow } from './export-format';

export const exportRow = (fields: readonly string[], log: ExportedLog, bodies: LogBodies): ExportRow =>
  Object.fromEntries(fields.map((field) => [field, EXPORT_FIELDS[field]?.read(log, bodies)]));
