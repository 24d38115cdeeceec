import { Problem } from '../api';
import { errors } from '../messages';
import { API_PATHS, type GatewayApi } from './response-reader';
import { forgetGatewayKey, gatewayKey } from './gateway-key';
import type { HttpMessages } from './run-state';

export interface RunRequest {
  readonly workspaceId: string;
  readonly api: GatewayApi;
  /** JSON or a form; for the API `raw` a text that is sent unchanged, or null for no body. */
  readonly body: Readonly<Record<string, unknown>> | FormData | string | null;
  /** Headers other than the key: `x-gw-provider`, `x-gw-config`, `x-gw-metadata`. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP method for the API `raw`; `POST` when absent. */
  readonly method?: string;
  /** Path below the base URL with its query, for the API `raw`. */
  readonly path?: string;
}

const KEY_HEADER = 'x-gw-api-key';

/** Joins a path to the gateway's base URL; null when the result would lie outside of it. */
export function urlBelow(baseUrl: string, path: string): URL | null {
  if (!path.startsWith('/')) return null;
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/$/, '');
  const url = URL.canParse(`${base.origin}${root}${path}`) ? new URL(`${base.origin}${root}${path}`) : null;
  return url?.origin === base.origin && url.pathname.startsWith(`${root}/`) ? url : null;
}

/** Formats a form with one field for each line; files as name and size. */
export const formLines = (form: FormData): readonly string[] =>
  [...form].map(([name, value]) =>
    typeof value === 'string'
      ? `${name}=${value}`
      : `${name}=@${value.name} (${value.type}, ${String(value.size)} B)`,
  );

/** Formats a request body for display. */
function textOfBody(body: RunRequest['body']): string {
  if (body instanceof FormData) return formLines(body).join('\n');
  return typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
}

export interface OpenedCall {
  /** The request as sent, without the key. */
  readonly httpMessages: HttpMessages;
  readonly response: Promise<Response>;
}

/**
 * Sends a request with the session's playground key. Rejects with a `Problem`, or as `fetch` does.
 */
export async function openCall(request: RunRequest, signal: AbortSignal): Promise<OpenedCall> {
  const { workspaceId, api, body, method = 'POST', path = API_PATHS[api] } = request;
  const { key, baseUrl } = await gatewayKey(workspaceId);
  signal.throwIfAborted();
  const url = urlBelow(baseUrl, path);
  if (url === null) throw new Problem({ type: 'unexpected', message: errors.notBelow(baseUrl), status: 0 });
  const text = textOfBody(body);
  const isForm = body instanceof FormData;
  const sentHeaders = new Headers({
    ...request.headers,
    // The browser adds the content type of a form, with its boundary.
    ...(text === '' || isForm ? {} : { 'content-type': 'application/json' }),
    'x-gw-explain': '1',
  });
  const headers = new Headers(sentHeaders);
  headers.set(KEY_HEADER, key);
  const sent = new Request(url, {
    method,
    headers,
    ...(text === '' ? {} : { body: isForm ? body : text }),
    credentials: 'omit',
    cache: 'no-store',
    // No redirect may carry the key to another address.
    redirect: 'error',
    signal,
  });
  const response = globalThis.fetch(sent).then(
    (answer) => {
      if (answer.status === 401) forgetGatewayKey(workspaceId);
      return answer;
    },
    (error: unknown) => {
      if (signal.aborted) throw error;
      const message = errors.gatewayUnreachable(url.origin);
      throw new Problem({ type: 'network_failed', message, status: 0 });
    },
  );
  return {
    httpMessages: {
      ...{ method, url: url.href, sentHeaders, sent: text },
      ...{ receivedHeaders: null, received: '', isText: true, isCut: false, bytes: 0 },
    },
    response,
  };
}
