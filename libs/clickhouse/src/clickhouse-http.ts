import { GatewayError } from '@gw/kernel';
import { operatorsClient, OutboundError, type BufferedResponse, type BufferedClient } from '@gw/outbound';
import { randomUUID } from 'node:crypto';
import type { AnalyticsStoreSettings } from './settings';

const CALL_MS = 30_000;
const PING_MS = 2_000;
const RESPONSE_BYTES_MAX = 64 * 1_048_576;
const CALLS_MAX = 10;
const WAITING_MAX = 1_000;
/**
 * Longer parameters are sent as a form, because proxies and servers accept URLs of only a few
 * kilobytes.
 */
const ADDRESS_PARAMETERS_MAX = 4_096;

type Pairs = readonly (readonly [name: string, value: string])[];

/** ClickHouse refused a statement; its data may be the cause. */
export class ClickHouseRefusal extends Error {
  override readonly name = 'ClickHouseRefusal';
}

/**
 * Client of ClickHouse's HTTP interface. Every call uses its own connection, the proxy settings and
 * the address policy.
 */
export class ClickHouseHttp {
  private readonly client: BufferedClient;
  private readonly base: URL;
  private readonly headers: Readonly<Record<string, string>>;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    endpoint: string,
    private readonly settings: AnalyticsStoreSettings,
  ) {
    this.client = operatorsClient(endpoint, settings);
    this.base = new URL(endpoint);
    this.headers = {
      'x-clickhouse-user': settings.ANALYTICS_STORE_USER,
      'x-clickhouse-key': settings.ANALYTICS_STORE_PASSWORD,
    };
  }

  async command(statement: string): Promise<void> {
    await this.post([], statement);
  }

  async insert(table: string, rows: readonly object[]): Promise<void> {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    await this.post([['query', `INSERT INTO ${table} FORMAT JSONEachRow`]], lines);
  }

  /** Returns rows as JSON objects. Parameters are in the statement as `{name:Type}`. */
  async query(
    statement: string,
    parameters: Readonly<Record<string, unknown>>,
    options: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>[]> {
    const named = Object.entries(parameters).map(
      ([name, value]) => [`param_${name}`, formatted(value)] as const,
    );
    const query = `${statement}\nFORMAT JSONEachRow`;
    // Otherwise a late failure would follow the rows of a response that started with status 200.
    const search = [...Object.entries(options), ['wait_end_of_query', '1'] as const];
    const isShort = searchOf(named).length <= ADDRESS_PARAMETERS_MAX;
    const { body } = isShort
      ? await this.post([...search, ...named], query)
      : await this.postForm(search, [['query', query], ...named]);
    return body
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async responds(): Promise<boolean> {
    const url = this.urlOf('ping', []);
    const { status } = await this.client.fetchBuffered({ url, totalTimeoutMs: PING_MS, bytesMax: 1_024 });
    return status === 200;
  }

  private postForm(search: Pairs, fields: Pairs): Promise<BufferedResponse> {
    const boundary = `tollgate-${randomUUID()}`;
    const parts = fields.map(
      ([name, value]) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    return this.post(search, `${parts.join('')}--${boundary}--\r\n`, {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    });
  }

  private async post(
    search: Pairs,
    body: string,
    headers: Readonly<Record<string, string>> = { 'content-type': 'text/plain' },
  ): Promise<BufferedResponse> {
    await this.enter();
    try {
      const response = await this.client.fetchBuffered({
        url: this.urlOf('', search),
        method: 'POST',
        headers: { ...this.headers, ...headers },
        body,
        totalTimeoutMs: CALL_MS,
        bytesMax: RESPONSE_BYTES_MAX,
      });
      const code = response.headers['x-clickhouse-exception-code'];
      // The text may contain request data.
      if (response.status !== 200 || code !== undefined)
        throw new ClickHouseRefusal(
          `ClickHouse refused a statement: status ${String(response.status)}, code ${String(code ?? 'none')}.`,
        );
      return response;
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      throw new GatewayError('unavailable', {
        message: 'The analytics store cannot be reached; try again later.',
        cause,
      });
    } finally {
      this.leave();
    }
  }

  private urlOf(path: string, search: Pairs): string {
    const url = new URL(this.base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
    const { ANALYTICS_STORE_DATABASE: database } = this.settings;
    url.search = searchOf(path === '' ? [['database', database], ...search] : search);
    return url.href;
  }

  private async enter(): Promise<void> {
    if (this.running >= CALLS_MAX) {
      if (this.waiting.length >= WAITING_MAX)
        throw new GatewayError('unavailable', {
          message: 'The analytics store is overloaded; try again later.',
        });
      // A finished request passes its slot to the next waiting one.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running += 1;
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}

const searchOf = (pairs: Pairs): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};
const escaped = (text: string): string => text.replaceAll(/[\t\n\r'\\]/g, (sign) => ESCAPES[sign] as string);

/** Formats a parameter: texts with escapes, and quoted inside arrays. */
function formatted(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((each) => (typeof each === 'string' ? `'${escaped(each)}'` : String(each))).join(',')}]`;
  return typeof value === 'string' ? escaped(value) : String(value);
}
