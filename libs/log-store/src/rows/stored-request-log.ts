import type { BigintColumn, RequestLogRow } from './log-columns';

/** A row as the driver returns it: bigint columns as text, times as dates. */
export type StoredRequestLog = Omit<RequestLogRow, BigintColumn | 'created_at' | 'decision'> & {
  readonly [column in BigintColumn]: string | null;
} & { readonly created_at: Date };
