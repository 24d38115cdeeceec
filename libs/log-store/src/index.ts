export {
  feedbackByMetadata,
  feedbackByModel,
  feedbackByScore,
  feedbackByTime,
  tracesByFeedback,
  type FeedbackRequest,
  type FeedbackGroup,
} from './analytics/feedback-analytics.queries';
export { PostgresAnalytics } from './analytics/postgres-analytics';
export { buildRollups } from './analytics/rollup-builder.queries';
export { ROLLUP_RETENTION_DAYS } from './analytics/rollup-grains';
export { dropOldRollups } from './analytics/rollup-retention.queries';
export {
  addToRollups,
  mergeRollups,
  ROLLED_UP_COLUMNS,
  type RolledUpRow,
} from './analytics/rollup-writer.queries';
export {
  exportRestrictionsOf,
  LOG_EXPORT_FIELDS,
  type ComputedExportField,
  type ExportRestrictions,
  type LogExportField,
} from './exports/log-export-fields';
export { logExportFilter, providerModel, type LogExportFilters } from './exports/log-export-filter';
export {
  bodyLengths,
  claimExport,
  commitExportPart,
  countLogs,
  deletedExports,
  exportPositionAt,
  finishExport,
  readBodies,
  readExportRows,
  releaseExport,
  restExport,
  renewExportLease,
  type ExportedLog,
  type ExportPosition,
  type ExportTicket,
} from './exports/log-exports.queries';
export { insertGuardrailFeedback } from './guardrails/guardrail-feedback.queries';
export {
  addCounts,
  insertVerdicts,
  listVerdicts,
  markVerdicts,
  qualityOf,
  VERDICT_MARKS,
  type CheckQuality,
  type GuardrailCount,
  type GuardrailVerdict,
  type StoredVerdict,
  type VerdictFilter,
  type VerdictMark,
} from './guardrails/guardrail-verdicts.queries';
export {
  type Bounds,
  type LogFilter,
  type LogOwner,
  type LogPosition,
  type LogViewer,
} from './pages/log-conditions';
export { listLogs } from './pages/log-pages.queries';
export { logsOfIds, recentLogs, type RecentLogs } from './pages/log-tail.queries';
export { findLog, type StoredRequestLogDetail } from './pages/log-reader.queries';
export { amendLogs, type JudgedLog } from './rows/log-amendments.queries';
export {
  bodyFolder,
  bodyPlace,
  bodyReference,
  decodeLogBodies,
  encodeLogBodies,
  readableBody,
  type BodyPlace,
  type LogBodies,
} from './rows/log-body';
export {
  EXPORTED_COLUMNS,
  LOG_COLUMNS,
  requestLogRow,
  type LogMeasure,
  type RequestLogRow,
} from './rows/log-columns';
export {
  dayOf,
  dropLogPartition,
  ensureLogPartitions,
  logPartitionDays,
  removeOldFeedback,
} from './rows/log-partitions';
export {
  logsAt,
  pricedLogs,
  setLogPrices,
  type NewLogPrice,
  type PricedLog,
} from './rows/log-prices.queries';
export {
  countQuarantinedLogs,
  QUARANTINE,
  quarantinedLogs,
  quarantineLog,
  type QuarantinedLog,
  type QuarantineEntry,
} from './rows/log-quarantine.queries';
export { insertLogs, type LogEntry } from './rows/log-writer.queries';
export { placedTimes, removeOldSkewed, timesOfSkewed } from './rows/skewed-logs';
export type { StoredRequestLog } from './rows/stored-request-log';
export {
  dropOldSpans,
  insertSpans,
  spansOfTrace,
  type SpanOwner,
  type StoredSpan,
  type TraceSpan,
} from './traces/trace-spans.queries';
export { KnownLogZones } from './zones/known-log-zones';
export { zonesOf } from './zones/log-zone';
export { unzonedDays, zoneDay } from './zones/unzoned-days.queries';
