import createClient from 'openapi-fetch';
import { CONSOLE_HEADERS, takeEarlyResponse } from '../begin/begun';
import type { paths } from '../generated/openapi';
import { accessOf, type ResponseOf, type BodyOf, type OperationId, type Params } from './operations';
import { Problem, problemFrom, problemOf } from './problem';

/**
 * Typed calls by method and path. Reads go through `read` and its hook, writes through `src/write`.
 */
export const api = createClient<paths>({
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  headers: CONSOLE_HEADERS,
  credentials: 'same-origin',
  // Reads the global at each call, so that tests can replace it.
  fetch: (request) => takeEarlyResponse(request) ?? globalThis.fetch(request),
});

export interface CallOptions<O extends OperationId> {
  readonly body?: BodyOf<O>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface CallResult<O extends OperationId> {
  readonly data: ResponseOf<O>;
  readonly etag: string | null;
  readonly headers: Headers;
}

interface Settled {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}
type Request = (method: string, path: string, init: object) => Promise<Settled>;

type Listener = (problem: Problem) => void;
const listeners = new Set<Listener>();

/**
 * Calls `listener` for each response that says that the session has ended or lacks a second factor
 * (`mfa_required`). Returns a function that unsubscribes it.
 */
export function onSessionRefusal(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Problem type when the session may do nothing but add a second factor. */
export const NEEDS_FACTOR = 'mfa_required';

/** Operations whose 401 is about the credentials in the request, not about the session. */
const WITH_CREDENTIALS: readonly OperationId[] = [
  'auth_login',
  'auth_loginByFactor',
  'claim_create',
  'mfa_confirm',
  'mfa_enrol',
  'mfa_remove',
  'mfa_renewCodes',
  'passkeyLogin_begin',
  'passkeyLogin_login',
  'passkeys_begin',
  'passkeys_register',
  'passwords_change',
  'ssoLogin_exchange',
];

const isOfSession = (id: OperationId, { status, type }: Problem): boolean =>
  (status === 401 && !WITH_CREDENTIALS.includes(id)) || type === NEEDS_FACTOR;

async function settle<O extends OperationId>(id: O, init: object, signal?: AbortSignal): Promise<Settled> {
  const { method, path } = accessOf(id);
  const request = api.request as unknown as Request;
  const settled = await request(method.toLowerCase(), path, { ...init, signal }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw problemFrom(thrown);
  });
  if (settled.response.ok) return settled;
  const problem = problemOf(settled.response, settled.error);
  if (isOfSession(id, problem)) for (const listener of listeners) listener(problem);
  throw problem;
}

/** Calls an operation. Rejects with a `Problem`, or with the reason of `signal`. */
export async function call<O extends OperationId>(
  id: O,
  params: Params<O>,
  { body, headers, signal }: CallOptions<O> = {},
): Promise<CallResult<O>> {
  const { response, data } = await settle(id, { params, body, headers }, signal);
  return { data: data as ResponseOf<O>, etag: response.headers.get('etag'), headers: response.headers };
}

/** Opens an operation with a streamed response. Rejects as `call` does. */
export async function openStream<O extends OperationId>(
  id: O,
  params: Params<O>,
  signal: AbortSignal,
): Promise<{ readonly stream: ReadableStream<Uint8Array>; readonly headers: Headers }> {
  const { data, response } = await settle(id, { params, parseAs: 'stream' }, signal);
  return { stream: data as ReadableStream<Uint8Array>, headers: response.headers };
}
