import { csvText } from '../../ui/format';
import type { AuditRecord } from './use-records';

const COLUMNS = [
  ...['timestamp', 'action', 'resource_type', 'resource_id', 'user_type', 'user_id', 'method', 'uri'],
  ...['response_status_code', 'error_type', 'request_id', 'workspace_id', 'client_ip', 'user_agent'],
  ...['before', 'after', 'sequence', 'hash'],
] as const;

/** Records as CSV (RFC 4180), with their actors and words in columns of their own. */
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
