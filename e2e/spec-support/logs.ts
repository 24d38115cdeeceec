/** The fields of a log record that the tests read; the API returns more. */
export interface LogEntry {
  readonly id: string;
  readonly created_at: string;
  readonly trace_id: string;
  readonly workspace_id: string | null;
  readonly api_key_id: string | null;
  readonly response_status_code: number;
  readonly outcome: string;
  readonly error_type: string | null;
  readonly cost_exact: string | null;
  readonly priced: string;
  readonly total_units: number | null;
  readonly cache_status: string;
}

export interface LogDetail extends LogEntry {
  readonly decision: {
    readonly config: { readonly source: string; readonly slug: string | null };
    readonly attempts: readonly { readonly end: string; readonly status: number | null }[];
    readonly price: unknown;
    readonly cache: { readonly savedCost?: number };
    readonly charges?: readonly { readonly line: string; readonly cost: number | null }[];
  };
  readonly request: { readonly body: unknown };
  readonly response: { readonly body: unknown };
}

export interface LogPage {
  readonly data: readonly LogEntry[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
