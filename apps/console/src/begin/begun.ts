// Imports nothing: it is loaded before the rest of the console.

/** Marks requests of the console: the session's cookie counts only together with it. */
export const CONSOLE_HEADERS = { 'x-gw-console': '1' } as const;

/** Paths that every page with a session reads first. */
export const FIRST_PATHS = ['/v1/auth/self', '/v1/auth/permissions', '/v1/console/bootstrap'] as const;

const begun = new Map<string, Promise<Response>>();

/** Sends the requests that every page with a session begins with. */
export function beginSession(): void {
  for (const path of FIRST_PATHS) {
    const answer = fetch(path, {
      headers: CONSOLE_HEADERS,
      credentials: 'same-origin',
      redirect: 'error',
    });
    // The caller that takes it sees that it failed.
    answer.catch(() => undefined);
    begun.set(path, answer);
  }
}

/** The answer to a request that has begun, for a look at its status; its body is read by the caller that takes it. */
export const begunAt = (path: string): Promise<Response> | undefined => begun.get(path);

/** The answer to a request that has begun, which is given once; undefined where none has. */
export function takeBegun({ method, url }: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined {
  if (method !== 'GET' || begun.size === 0) return undefined;
  const { pathname, search } = new URL(url);
  const answer = search === '' ? begun.get(pathname) : undefined;
  begun.delete(pathname);
  return answer;
}
