import type { AuditRecord } from './use-records';

const COLUMNS = [
  ...['timestamp', 'action', 'resource_type', 'resource_id', 'user_type', 'user_id', 'method', 'uri'],
  ...['response_status_code', 'error_type', 'request_id', 'workspace_id', 'client_ip', 'user_agent'],
  ...['before', 'after', 'sequence', 'hash'],
] as const;

/** A cell that a spreadsheet shows as text: what would be a formula begins with an apostrophe. */
function cell(value: object | string | number | null | undefined): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value ?? ''}`;
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

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
  return [['actor', 'what', ...COLUMNS], ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
