import type { RequestLogRow } from './request-log-row';

type BigintColumn =
  | 'input_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'cache_read_tokens'
  | 'cache_write_tokens'
  | 'reasoning_tokens'
  | 'input_audio_tokens'
  | 'output_audio_tokens'
  | 'cost'
  | 'saved_cost'
  | 'request_bytes'
  | 'response_bytes';

/** A row as the driver gives it: bigint columns as text, times as dates. */
export type StoredRequestLog = Omit<RequestLogRow, BigintColumn | 'created_at' | 'decision'> & {
  readonly [column in BigintColumn]: string | null;
} & { readonly created_at: Date };
