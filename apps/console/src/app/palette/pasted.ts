/** The limit named by a pasted error body. */
export interface PastedLimit {
  /** Kind of the limit's owner, such as `api_key`. */
  readonly scope: string;
  readonly id: string;
  readonly type: string;
  readonly limit: number;
  readonly used: number;
  /** Share of a limit that requests in flight reserve. */
  readonly reserved: number;
  /** ISO 8601; null when the limit never resets or the time is unknown. */
  readonly resetsAt: string | null;
}

/** Meaning of a pasted text. */
export type Pasted =
  | { readonly kind: 'log'; readonly id: string; readonly limit: PastedLimit | null }
  | { readonly kind: 'trace'; readonly id: string }
  /** A key in the masked form that lists show. The key itself is never stored. */
  | { readonly kind: 'key'; readonly masked: string }
  | { readonly kind: 'curl' }
  /**
   * A text that looks like a secret of another system. The palette does not search for it, because
   * the search text would appear in server logs.
   */
  | { readonly kind: 'secret' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACE = /^[0-9a-f]{32}$/i;
/** `00-<trace>-<span>-01` of W3C Trace Context. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/i;
/** A request id within any text, such as headers or an SDK's error message. */
const NAMED_ID = /\b(?:x-gw-)?request[-_]id["']?\s*[:=]\s*["']?([0-9a-f-]{36})\b/i;
const MASKED = /^\S{2}\*{5}\S{3}$/;
const OWN_KEY_LENGTH = 32;
const CURL = /^(?:\$ )?curl\s/;
/**
 * A longer run of letters and digits than names have, or a prefix of provider keys, also after a
 * sign such as in `KEY=sk-…`.
 */
const SECRET = /[A-Za-z0-9]{24}|(?:^|[^A-Za-z0-9])(?:sk|pk|rk|gws|ghp|xox[a-z])[-_]\S{16}/;
/** Maximum length of a pasted text that is read; the rest is ignored. */
const LENGTH_MAX = 20_000;

/** Masks a key in the same form as the API. */
const masked = (key: string): string => `${key.slice(0, 2)}*****${key.slice(-3)}`;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function limitOf(limit: unknown): PastedLimit | null {
  if (!isRecord(limit)) return null;
  const { scope, id, type, limit: most, used, reserved = 0, resets_at: resetsAt } = limit;
  if (typeof scope !== 'string' || typeof id !== 'string' || typeof type !== 'string') return null;
  if (typeof most !== 'number' || typeof used !== 'number' || typeof reserved !== 'number') return null;
  const end = typeof resetsAt === 'string' ? resetsAt : null;
  return { scope, id, type, limit: most, used, reserved, resetsAt: end };
}

/** Parses the limit from an error body of Tollgate; null for any other text. */
function limitIn(text: string): PastedLimit | null {
  const start = text.indexOf('{');
  try {
    const body: unknown = JSON.parse(text.slice(start, text.lastIndexOf('}') + 1));
    return isRecord(body) && isRecord(body['error']) ? limitOf(body['error']['limit']) : null;
  } catch {
    return null;
  }
}

/**
 * Whether the text is a Tollgate key: 32 letters and digits after the prefix of the installation.
 * Request ids, trace ids and slugs never have a run of that length with both upper and lower case.
 */
function isOwnKey(text: string, prefix: string): boolean {
  const rest = text.slice(prefix.length);
  const isMixed = /[a-z]/.test(rest) && /[A-Z]/.test(rest);
  return text.startsWith(prefix) && rest.length === OWN_KEY_LENGTH && isMixed && /^[A-Za-z0-9]+$/.test(rest);
}

/** Whether a word of the text looks like a secret, such as the key in `Bearer sk-…`. */
const isSecret = (text: string): boolean =>
  text.split(/\s+/).some((word) => SECRET.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word));

/** Extracts a trace id, also from a `traceparent` header; null for any other text. */
function traceIn(text: string): string | null {
  const id = TRACE.test(text) ? text : (TRACEPARENT.exec(text)?.[1] ?? null);
  return id === null ? null : id.toLowerCase();
}

/**
 * Returns the masked form of a key; a text that is already masked is returned unchanged; null for
 * any other text.
 */
function maskIn(text: string, keyPrefix: string): string | null {
  if (MASKED.test(text)) return text;
  return isOwnKey(text, keyPrefix) ? masked(text) : null;
}

/**
 * Recognises a pasted text: a request id, a trace id, an error body, a key or a `curl` command.
 * Returns null for a search text. `keyPrefix` is the prefix of the installation's keys.
 */
export function pastedIn(text: string, keyPrefix = ''): Pasted | null {
  const trimmed = text.trim().slice(0, LENGTH_MAX);
  const id = trimmed.startsWith('#') ? trimmed.slice(1) : trimmed;
  if (UUID.test(id)) return { kind: 'log', id: id.toLowerCase(), limit: null };
  const trace = traceIn(id);
  if (trace !== null) return { kind: 'trace', id: trace };
  if (CURL.test(trimmed)) return { kind: 'curl' };
  const [, request = ''] = NAMED_ID.exec(trimmed) ?? [];
  if (UUID.test(request)) return { kind: 'log', id: request.toLowerCase(), limit: limitIn(trimmed) };
  const mask = maskIn(trimmed, keyPrefix);
  if (mask !== null) return { kind: 'key', masked: mask };
  return isSecret(trimmed) ? { kind: 'secret' } : null;
}
