/** Statuses whose `location` a client follows by RFC 9110. */
const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isFollowedRedirect = (status: number): boolean => FOLLOWED.has(status);

/** Whether any client may take a status for a redirect: some follow the `location` of every 3xx. 304 confirms what the client has. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;
