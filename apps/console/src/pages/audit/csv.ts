import { csvText } from '../../ui/format';
import type { AuditRecord } from './use-records';

const COLUMNS = [
  ...['timestamp', 'action', 'resource_type', 'resource_id', 'user_type', 'user_id', 'method', 'uri'],
  ...['response_status_code', 'error_type', 'request_id', 'workspace_id', 'client_ip', 'user_agent'],
  ...['before', 'after', 'sequence', 'hash'],
] as const;

/** Formats records as CSV (RFC 4180), with extra columns for the actor and the description. */
export function csvOf(
  records: readonly AuditRecord[],
  words: {
    readonly actorOf: (record: AuditRecord) => string;
    readonly what: (record: AuditRecord) => string;
  },
): string {
  const rows = records.map((record) => [
    words.actorOf(record),
    words.what(record),
    ...COLUMNS.map((name) => record[name as keyof AuditRecord]),
  ]);
  return csvText([['actor', 'what', ...COLUMNS], ...rows]);
}
