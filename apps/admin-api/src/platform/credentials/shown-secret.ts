/** Shorter secrets show nothing: five of their characters would be too large a part. */
const SHOWN_LENGTH_MIN = 12;

/** What a read shows of a secret: its first two and last three characters, of a long one. Never longer than 10 characters. */
export const maskSecret = (secret: string): string =>
  secret.length < SHOWN_LENGTH_MIN ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-3)}`;

/** Matches a secret in the shortened form of our lists or of a provider's. */
const SHORTENED = /…|\*{5}/;

/** Why a secret that a caller gives cannot be the whole one, as a sentence part; null: it may be. */
export const shortenedFault = (secret: unknown): string | null =>
  typeof secret === 'string' && SHORTENED.test(secret)
    ? 'is shortened with … or *****, the way lists show secrets; give the whole secret'
    : null;
