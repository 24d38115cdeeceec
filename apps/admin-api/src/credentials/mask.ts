/** Shorter secrets show nothing: five of their characters would be too large a part. */
const SHOWN_LENGTH_MIN = 12;

/** What a read shows of a secret: its first two and last three characters, of a long one. Never longer than 10 characters. */
export const maskSecret = (secret: string): string =>
  secret.length < SHOWN_LENGTH_MIN ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-3)}`;
