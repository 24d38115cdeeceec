import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { ServiceClient, type ServiceClientOptions, type ServiceResponse } from '@gw/outbound';

/** An error response. `message` is the public text of the control plane and contains no secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    /** The invalid members, or the uses that prevent a deletion. */
    readonly details: readonly Detail[] = [],
  ) {
    super(message);
  }

  get isWithoutResponse(): boolean {
    return this.status === NO_RESPONSE;
  }
}

/** An invalid member of the body, or a use that prevents a deletion. */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** The status when there was no response. */
const NO_RESPONSE = 0;
/**
 * Maximum silence of an event stream in milliseconds; the control plane sends something every
 * second.
 */
const SILENT_MAX_MS = 15_000;
const PAGE_SIZE = 100;
/** Maximum bytes that are read of the error response of a stream. */
const MESSAGE_MAX = 65_536;
/** Pause in milliseconds before a request without a response is sent again. */
const SILENCE_PAUSE_MS = 1_000;

/**
 * When a request may be sent again. After 429 nothing was done. After 503, and without a response,
 * the change may have been made: repeating a PUT or DELETE changes nothing, and a POST is executed
 * once per `Idempotency-Key`. 409 with `retry-after` means that the first request is in flight.
 */
const RETRY: ServiceClientOptions['retry'] = {
  limit: 3,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  statusCodes: [409, 429, 503],
  // A refused connection and an unknown name are not retried, because a second attempt does not
  // help.
  errorCodes: ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'],
  maxRetryAfter: 60_000,
  enforceRetryRules: true,
  calculateDelay({ error, retryAfter }) {
    if (error.name !== 'HTTPError') return SILENCE_PAUSE_MS;
    return retryAfter === undefined ? 0 : Math.max(retryAfter, 1);
  },
};
const CLIENT = new ServiceClient({
  timeoutMs: 30_000,
  connections: 8,
  bytesMax: 64 * 1_048_576,
  retry: RETRY,
});

/**
 * Credential of calls: an API key, or a function that returns the headers of a login, which may be
 * renewed between calls.
 */
export type Authorization = string | (() => Promise<Readonly<Record<string, string>>>);

/** Client of the control plane with an organisation's key or a user's login. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly authorization: Authorization,
  ) {}

  private headers(): Promise<Readonly<Record<string, string>>> {
    const { authorization: given } = this;
    return typeof given === 'string' ? Promise.resolve({ 'x-gw-api-key': given }) : given();
  }

  /** Creates another kind of client for the same control plane and authorization. */
  like<C extends ApiClient>(kind: new (baseUrl: string, authorization: Authorization) => C): C {
    return new kind(this.baseUrl, this.authorization);
  }

  /** @throws ApiError */
  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, body: bytes, retries } = await this.send(method, path, body);
    const response = parse(bytes.toString('utf8'));
    // An earlier attempt deleted it, and its response was lost.
    const isGone = method === 'DELETE' && retries > 0 && status === 404;
    if (isSuccess(status) || isGone) return response as T;
    throw apiError(method, path, status, response);
  }

  /** Returns every row of a list, oldest first. */
  async all<T = Json>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const rows: T[] = [];
    for (let page = 0; ; page += 1) {
      const search = new URLSearchParams({
        ...query,
        current_page: String(page),
        page_size: String(PAGE_SIZE),
      });
      const { data, total } = await this.call<{ data: T[]; total: number }>(
        'GET',
        `${path}?${search.toString()}`,
      );
      rows.push(...data);
      if (data.length === 0 || rows.length >= total) return rows.reverse();
    }
  }

  /** Reads an event stream in pieces until the control plane ends it. @throws ApiError */
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const silence = new AbortController();
    const timer = setTimeout(() => {
      silence.abort(
        new Error(`${this.baseUrl} has sent nothing for ${String(SILENT_MAX_MS / 1_000)} seconds`),
      );
    }, SILENT_MAX_MS);
    try {
      const request = {
        url: this.baseUrl + path,
        headers: { ...(await this.headers()), accept: 'text/event-stream' },
      };
      const { status, body } = await CLIENT.open(request, AbortSignal.any([signal, silence.signal]));
      if (!isSuccess(status)) throw apiError('GET', path, status, parse(await beginningOf(body)));
      const decoder = new StringDecoder('utf8');
      for await (const chunk of body as AsyncIterable<Buffer>) {
        timer.refresh();
        yield decoder.write(chunk);
      }
    } catch (error) {
      throw silence.signal.aborted ? silence.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async send(method: string, path: string, body: unknown): Promise<ServiceResponse> {
    const headers = {
      ...(await this.headers()),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = { url: this.baseUrl + path, method, headers };
    try {
      return await CLIENT.call(body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ApiError(NO_RESPONSE, `${this.baseUrl} could not be reached: ${reason}`);
    }
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const apiError = (method: string, path: string, status: number, response: unknown): ApiError =>
  new ApiError(
    status,
    `${method} ${path}: ${messageOf(response) ?? `status ${String(status)}`}`,
    detailsOf(response),
  );

async function beginningOf(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > MESSAGE_MAX) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Formats the message, with a line for each detail that the message does not mention. */
function messageOf(response: unknown): string | undefined {
  const { error } = (response ?? {}) as { error?: PublicError };
  if (error?.message === undefined) return undefined;
  const { message, details = [] } = error;
  const more = details
    .map((detail) => `${detail.path}: ${detail.message}`)
    .filter((line) => !message.includes(line));
  return [message, ...more].join('\n    ');
}

function detailsOf(response: unknown): readonly Detail[] {
  const { param, message = '', details = [] } = ((response ?? {}) as { error?: PublicError }).error ?? {};
  if (details.length > 0) return details;
  return typeof param === 'string' ? [{ path: param, message }] : [];
}

interface PublicError {
  readonly param?: string | null;
  readonly message?: string;
  readonly details?: readonly Detail[];
}
