/** Parameters in which Google's clients send a credential. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'key',
  '$key',
  'access_token',
  '$access_token',
  'oauth_token',
]);

/** The query of a Gemini client without its credentials, and the key that it contained. */
export interface KeylessQuery {
  /** With its leading `?`, or empty. */
  readonly query: string;
  /** The first `key`; null when there is none. */
  readonly key: string | null;
}

/**
 * Removes the credentials from a query, so that none is logged, cached or sent to a provider.
 * Returns the same text when there are none.
 */
export function withoutKeys(query: string): KeylessQuery {
  if (!MAY_HOLD_CREDENTIAL.test(query)) return { query, key: null };
  const parameters = [...new URLSearchParams(query)];
  const kept = parameters.filter(([name]) => !CREDENTIALS.has(name.toLowerCase()));
  if (kept.length === parameters.length) return { query, key: null };
  const [, key = null] = parameters.find(([name]) => /^\$?key$/i.test(name)) ?? [];
  const rest = new URLSearchParams(kept).toString();
  return { query: rest === '' ? '' : `?${rest}`, key };
}

/** A cheap first test; `%` is included because a name may be percent-encoded. */
const MAY_HOLD_CREDENTIAL = /key|token|%/i;
