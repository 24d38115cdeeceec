import { UUID } from '@gw/kernel';
import { salvagedLogFields, type LogRecord } from '@gw/contracts';
import { createHash } from 'node:crypto';
import { chargesAlone } from '../ledger/readable-charges';

/**
 * Reduces a record to what lists, sums and the ledger need: no bodies, no free texts, no member of
 * a wrong type. Every column accepts the result.
 */
export function bareRecord(
  record: Readonly<Record<string, unknown>>,
  id: string,
  createdAt: string,
): LogRecord {
  const { usage, decision } = record;
  return {
    ...salvagedLogFields(record),
    usage: (typeof usage === 'object' ? usage : null) as LogRecord['usage'],
    decision: chargesAlone(decision) as LogRecord['decision'],
    id,
    createdAt,
  };
}

/**
 * Returns the record's id, or a hash of the record that is the same on every delivery if the id is
 * invalid.
 */
export function recordId(meta: Buffer, record: { readonly id?: unknown } | null): string {
  if (typeof record?.id === 'string' && UUID.test(record.id)) return record.id;
  const hex = createHash('sha256').update(meta).digest('hex');
  // RFC 9562 version 8 is reserved for custom layouts.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
