import { API_PATHS, type GatewayApi } from './answer-reader';
import { forgetGatewayKey, gatewayKey } from './gateway-key';
import type { Exchange } from './run-state';

export interface RunRequest {
  readonly workspaceId: string;
  readonly api: GatewayApi;
  /** JSON, or a form; with the API `raw` a text that is sent as it is, or null for none. */
  readonly body: Readonly<Record<string, unknown>> | FormData | string | null;
  /** Headers besides the key: `x-gw-provider`, `x-gw-config`, `x-gw-metadata`. */
  readonly headers: Readonly<Record<string, string>>;
  /** API `raw`: the method; `POST` when absent. */
  readonly method?: string;
  /** API `raw`: the path below the base URL, with a query. */
  readonly path?: string;
}

const KEY_HEADER = 'x-gw-api-key';

/** An address below the base URL of the gateway; null where the path leads elsewhere. */
export function urlBelow(baseUrl: string, path: string): URL | null {
  if (!path.startsWith('/')) return null;
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/$/, '');
  const url = URL.canParse(`${base.origin}${root}${path}`) ? new URL(`${base.origin}${root}${path}`) : null;
  return url?.origin === base.origin && url.pathname.startsWith(`${root}/`) ? url : null;
}

/** The members of a form, one a line; files by their names and sizes. */
export const formLines = (form: FormData): readonly string[] =>
  [...form].map(([name, value]) =>
    typeof value === 'string'
      ? `${name}=${value}`
      : `${name}=@${value.name} (${value.type}, ${String(value.size)} B)`,
  );

/** A body as it is shown. */
function textOfBody(body: RunRequest['body']): string {
  if (body instanceof FormData) return formLines(body).join('\n');
  return typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
}

export interface OpenedCall {
  /** As it is sent, without the key. */
  readonly exchange: Exchange;
  readonly response: Promise<Response>;
}

/** Sends a request with a key of the session. Rejects with a `Problem`, or as `fetch` does. */
export async function openCall(request: RunRequest, signal: AbortSignal): Promise<OpenedCall> {
  const { workspaceId, api, body, method = 'POST', path = API_PATHS[api] } = request;
  const { key, baseUrl } = await gatewayKey(workspaceId);
  signal.throwIfAborted();
  const url = urlBelow(baseUrl, path);
  if (url === null) throw new TypeError(`The path is not below ${baseUrl}`);
  const text = textOfBody(body);
  const isForm = body instanceof FormData;
  const sentHeaders = new Headers({
    ...request.headers,
    // The browser adds that of a form, with its boundary.
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
    // The key goes to no other address.
    redirect: 'error',
    signal,
  });
  const response = globalThis.fetch(sent).then((answer) => {
    if (answer.status === 401) forgetGatewayKey(workspaceId);
    return answer;
  });
  return {
    exchange: {
      ...{ method, url: url.href, sentHeaders, sent: text },
      ...{ receivedHeaders: null, received: '', isText: true, bytes: 0 },
    },
    response,
  };
}
