// Imports nothing: it is loaded before the rest of the console.

/** Marks requests of the console; the API accepts the session cookie only with this header. */
export const CONSOLE_HEADERS = { 'x-gw-console': '1' } as const;

/** Paths that every page with a session reads first. */
export const FIRST_PATHS = ['/v1/auth/self', '/v1/auth/permissions', '/v1/console/bootstrap'] as const;

const begun = new Map<string, Promise<Response>>();

/** Sends the first requests of every page with a session. */
export function sendFirstRequests(): void {
  for (const path of FIRST_PATHS) {
    const answer = fetch(path, {
      headers: CONSOLE_HEADERS,
      credentials: 'same-origin',
      redirect: 'error',
    });
    // The caller of `takeEarlyResponse` receives the failure.
    answer.catch(() => undefined);
    begun.set(path, answer);
  }
}

/**
 * Response to an early request, for a check of its status only. The caller of `takeEarlyResponse`
 * reads its body.
 */
export const earlyResponse = (path: string): Promise<Response> | undefined => begun.get(path);

/** Returns the response to an early request, once; undefined when none was sent for the request. */
export function takeEarlyResponse({
  method,
  url,
}: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined {
  if (method !== 'GET' || begun.size === 0) return undefined;
  const { pathname, search } = new URL(url);
  const answer = search === '' ? begun.get(pathname) : undefined;
  begun.delete(pathname);
  return answer;
}
