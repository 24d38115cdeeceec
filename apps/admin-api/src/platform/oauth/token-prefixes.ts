export const REFRESH_PREFIX = 'prt_';
const TOKEN = /^p[ar]t_([\w-]{43})$/;

/** Returns the value behind the prefix; for text without the prefix, a value that no token has. */
export const withoutPrefix = (token: string): string => TOKEN.exec(token)?.[1] ?? 'unknown';
