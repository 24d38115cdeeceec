import { randomUUID } from 'node:crypto';

/** An answer that is no success. `message` holds no secret: it is the public text of the control plane. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    /** What is wrong, or in the way. */
    readonly details: readonly Detail[] = [],
  ) {
    super(message);
  }

  get isWithoutResponse(): boolean {
    return this.status === NO_RESPONSE;
  }
}

/** A member of the body that is wrong, or a use that is in the way of a deletion. */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** In the place of a status. */
const NO_RESPONSE = 0;
const TIMEOUT_MS = 30_000;
/** A stream says something every second. */
const SILENT_MAX_MS = 15_000;
const PAGE_SIZE = 100;
const TRIES_MAX = 4;
const WAIT_MAX_MS = 60_000;

/** Waits before a request is sent again that got no response. */
const SILENCE_PAUSE_MS = 1_000;

/**
 * After 429 nothing was done. After 503, and without any response, a change may have been made: PUT and DELETE change nothing the
 * second time, and a POST is carried out once under its `Idempotency-Key`. 409 with `retry-after`: the first one is in flight.
 */
const RETRIED = new Set([NO_RESPONSE, 409, 429, 503]);

/** The control plane, as an organisation's key sees it. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** Another kind of client of the same control plane, with the same key. */
  like<C extends ApiClient>(kind: new (baseUrl: string, apiKey: string) => C): C {
    return new kind(this.baseUrl, this.apiKey);
  }

  /** @throws ApiError */
  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const key = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    for (let tries = 1; ; tries += 1) {
      const response = await this.send(method, path, body, key);
      const { status, waitMs, message, answer } = response;
      // The response to an earlier attempt was lost, which deleted it.
      const isGone = method === 'DELETE' && tries > 1 && status === 404;
      if (response.ok || isGone) return response.answer as T;
      if (!RETRIED.has(status) || tries >= TRIES_MAX || !(waitMs <= WAIT_MAX_MS)) {
        throw new ApiError(status, message, detailsOf(answer));
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** Every row of a list, oldest first. */
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

  /** An event stream as it comes, in pieces; it ends when the control plane ends it. @throws ApiError */
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const silence = new AbortController();
    const timer = setTimeout(() => {
      silence.abort(
        new Error(`${this.baseUrl} has said nothing for ${String(SILENT_MAX_MS / 1_000)} seconds`),
      );
    }, SILENT_MAX_MS);
    try {
      const response = await fetch(`${this.baseUrl}${path}`, {
        redirect: 'manual',
        headers: { 'x-gw-api-key': this.apiKey, accept: 'text/event-stream' },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (!response.ok || !response.body) {
        const message = messageOf(parse(await response.text())) ?? `status ${String(response.status)}`;
        throw new ApiError(response.status, `GET ${path}: ${message}`);
      }
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        yield text;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private async send(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<Sent> {
    try {
      const response = await fetch(`${this.baseUrl}${path}`, {
        method,
        // The key goes to the address that it was given for, and to no other.
        redirect: 'manual',
        headers: {
          ...headers,
          'x-gw-api-key': this.apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { ok, status } = response;
      const answer = parse(await response.text());
      const waitMs = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000;
      const message = `${method} ${path}: ${messageOf(answer) ?? `status ${String(status)}`}`;
      return { ok, status, answer, waitMs, message };
    } catch (error) {
      const message = `${this.baseUrl} could not be reached: ${reasonOf(error)}`;
      const waitMs = isUnreachable(error) ? Number.NaN : SILENCE_PAUSE_MS;
      return { ok: false, status: NO_RESPONSE, answer: {}, waitMs, message };
    }
  }
}

interface Sent {
  readonly ok: boolean;
  readonly status: number;
  readonly answer: unknown;
  /** Until it may be sent again; NaN when it may not. */
  readonly waitMs: number;
  readonly message: string;
}

/** There is no such server, and to send the request again does not help. */
const isUnreachable = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ENOTFOUND'].includes(
    String((error as { cause?: { code?: unknown } } | null)?.cause?.code),
  );

/** `fetch failed` says nothing; its cause does. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The message, and a line for each detail that it does not name itself. */
function messageOf(answer: unknown): string | undefined {
  const { error } = (answer ?? {}) as { error?: PublicError };
  if (error?.message === undefined) return undefined;
  const { message, details = [] } = error;
  const more = details
    .map((detail) => `${detail.path}: ${detail.message}`)
    .filter((line) => !message.includes(line));
  return [message, ...more].join('\n    ');
}

function detailsOf(answer: unknown): readonly Detail[] {
  const { param, message = '', details = [] } = ((answer ?? {}) as { error?: PublicError }).error ?? {};
  if (details.length > 0) return details;
  return typeof param === 'string' ? [{ path: param, message }] : [];
}

interface PublicError {
  readonly param?: string | null;
  readonly message?: string;
  readonly details?: readonly Detail[];
}
