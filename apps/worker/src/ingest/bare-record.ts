import { UUID } from '@gw/kernel';
import { salvagedLogFields, type LogRecord } from '@gw/contracts';
import { createHash } from 'node:crypto';
import { chargesAlone } from '../ledger/readable-charges';

/**
 * A record without its bodies and free texts, and without what has another type than it should: what lists, sums and the ledger
 * need. Every column takes it.
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

/** The id that a record is stored under: its own, or a hash of the record where that is none, the same however often it comes. */
export function recordId(meta: Buffer, record: { readonly id?: unknown } | null): string {
  if (typeof record?.id === 'string' && UUID.test(record.id)) return record.id;
  const hex = createHash('sha256').update(meta).digest('hex');
  // Version 8 of RFC 9562: a layout of one's own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
