/** Error in one member of a request. */
export interface ProblemDetail {
  /** Dotted path of the member, such as `rate_limits.0.unit`. */
  readonly path: string;
  readonly message: string;
}

/** The limit that refused a request. */
export type ProblemLimit = Readonly<Record<string, unknown>>;

interface ProblemFields {
  readonly type: string;
  readonly message: string;
  /** HTTP status; 0 when no response arrived. */
  readonly status: number;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly details?: readonly ProblemDetail[];
  readonly requestId?: string | null;
  readonly limit?: ProblemLimit | null;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfterS?: number | null;
}

/** Error class of all API calls: an error response of the API, or a request without a response. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly type: string;
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly details: readonly ProblemDetail[];
  readonly requestId: string | null;
  readonly limit: ProblemLimit | null;
  readonly retryAfterS: number | null;

  constructor(fields: ProblemFields) {
    super(fields.message);
    this.type = fields.type;
    this.status = fields.status;
    this.code = fields.code ?? null;
    this.param = fields.param ?? null;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId ?? null;
    this.limit = fields.limit ?? null;
    this.retryAfterS = fields.retryAfterS ?? null;
  }

  /** Error messages by the path of the form field. */
  get byPath(): ReadonlyMap<string, string> {
    const named = this.param === null ? [] : [{ path: this.param, message: this.message }];
    const rows = this.details.length > 0 ? this.details : named;
    return new Map(rows.map(({ path, message }) => [path, message]));
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function detailsOf(value: unknown): ProblemDetail[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((row) => ({
    path: textOf(row['path']) ?? '',
    message: textOf(row['message']) ?? '',
  }));
}

/**
 * Returns the seconds to wait from `Retry-After`, which contains seconds or a date; null without a
 * valid header.
 */
function retryAfterOf(headers: Headers): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/**
 * Converts an error response to a `Problem`. `body` is parsed JSON, or the text of another body.
 */
export function problemOf(response: Pick<Response, 'status' | 'headers'>, body: unknown): Problem {
  const { status, headers } = response;
  const requestId = headers.get('x-gw-request-id');
  const error = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(error))
    return new Problem({
      type: 'answer_unknown',
      message: `The server answered something that is not ours (${String(status)}).`,
      status,
      requestId,
      retryAfterS: retryAfterOf(headers),
    });
  return new Problem({
    type: textOf(error['type']) ?? 'answer_unknown',
    message: textOf(error['message']) ?? `The server answered ${String(status)}.`,
    status,
    code: textOf(error['code']),
    param: textOf(error['param']),
    details: detailsOf(error['details']),
    requestId: textOf(error['request_id']) ?? requestId,
    limit: isRecord(error['limit']) ? error['limit'] : null,
    retryAfterS: retryAfterOf(headers),
  });
}

/**
 * Converts a thrown value to a `Problem`; a request without a response becomes `network_failed`, and
 * a response that is not the JSON that it should be becomes `answer_unknown`.
 */
export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof SyntaxError)
    return new Problem({
      type: 'answer_unknown',
      message: 'The server answered something that is not ours.',
      status: 0,
    });
  const message = thrown instanceof TypeError ? 'The server cannot be reached.' : String(thrown);
  return new Problem({
    type: thrown instanceof TypeError ? 'network_failed' : 'unexpected',
    message,
    status: 0,
  });
}
