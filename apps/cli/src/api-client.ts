/** An answer that is no success. `message` holds no secret: it is the public text of the control plane. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Json = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 100;
const TRIES_MAX = 4;
const WAIT_MAX_MS = 60_000;

/**
 * Of 429 nothing was done. Of 503 a change may have been made whose confirmation was lost: to make it again is the same, but for a
 * POST, which could make a second resource.
 */
const mayRepeat = (method: string, status: number): boolean =>
  status === 429 || (status === 503 && method !== 'POST');

/** The control plane, as an organisation's key sees it. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws ApiError */
  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.send(method, path, body);
      const text = await response.text();
      const answer = parse(text);
      if (response.ok) return answer as T;
      const waitMs = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000;
      if (mayRepeat(method, response.status) && tries < TRIES_MAX && waitMs <= WAIT_MAX_MS) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      throw new ApiError(
        response.status,
        `${method} ${path}: ${messageOf(answer) ?? `status ${String(response.status)}`}`,
      );
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

  private async send(method: string, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(`${this.baseUrl}${path}`, {
        method,
        headers: {
          'x-gw-api-key': this.apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new ApiError(
        0,
        `${this.baseUrl} could not be reached: ${error instanceof Error ? error.message : ''}`,
      );
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const messageOf = (answer: unknown): string | undefined =>
  (answer as { error?: { message?: string } } | null)?.error?.message;
