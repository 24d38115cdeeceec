export const REFRESH_PREFIX = 'prt_';
const TOKEN = /^p[ar]t_([\w-]{43})$/;

/** The value behind the prefix; a value that no token has for other text. */
export const withoutPrefix = (token: string): string => TOKEN.exec(token)?.[1] ?? 'unknown';
