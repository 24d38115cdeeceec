/**
 * Shorter secrets are masked completely, since five characters would be too large a part of them.
 */
const SHOWN_LENGTH_MIN = 12;

/**
 * Masks a secret: shows the first two and last three characters of a long one. The result has at
 * most 10 characters.
 */
export const maskSecret = (secret: string): string =>
  secret.length < SHOWN_LENGTH_MIN ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-3)}`;

/** Matches a shortened secret, as responses of Tollgate or a provider show it. */
const SHORTENED = /…|\*{5}/;

/**
 * Returns why a secret in a request cannot be complete, as part of a sentence; null if it may be
 * complete.
 */
export const shortenedFault = (secret: unknown): string | null =>
  typeof secret === 'string' && SHORTENED.test(secret)
    ? 'is shortened with … or *****, as in lists of secrets; send the whole secret'
    : null;
