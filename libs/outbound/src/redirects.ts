/** Statuses whose `location` a client follows, by RFC 9110. */
const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isFollowedRedirect = (status: number): boolean => FOLLOWED.has(status);

/**
 * Returns whether any client may treat a status as a redirect. Some follow the `location` of every
 * 3xx. A 304 only confirms the client's copy.
 */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;
