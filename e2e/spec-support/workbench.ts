import {
  eventually,
  startProduct,
  startRedis,
  StubProvider,
  type Product,
  type ProductOptions,
  type TestRedis,
} from '@gw/testing';
import { drawnLogFaults } from './drawn-logs';
import { preparedData } from './prepared-data';
import type { LogDetail, LogEntry, LogPage } from './logs';

/**
 * Time limit in milliseconds until the record of a finished request is readable, on a busy machine.
 */
const LOG_TIMEOUT_MS = 60_000;
/**
 * Time limit in milliseconds for a change to reach the gateways by its event. Shorter than the 30 s
 * for which they remember that something is unknown, so a change without an event fails.
 */
export const CHANGE_MS = 28_000;
/**
 * Time limit in milliseconds after stopped or killed parts were started again: the worker, which
 * stores the records, may be the last of them to start.
 */
const RECOVERY_TIMEOUT_MS = 90_000;

export interface Call {
  /** Key of the request; absent: the workspace's first key; null: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body; an object is sent as JSON. */
  readonly body?: unknown;
}

export interface Reply<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; empty if the response is not JSON. */
  readonly body: T;
}

export interface NewProvider {
  readonly slug: string;
  readonly type: string;
  /** Stub that receives the provider's requests; absent: the provider's own address. */
  readonly stub?: Pick<StubProvider, 'origin'>;
  readonly apiKey?: string;
  /** Id of the workspace; absent: the first one. */
  readonly workspaceId?: string;
}

export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/**
 * The running product as a client and an administrator use it through its base URL, with a record
 * of all responses.
 */
export class Workbench {
  /** Every response that went through `call`, for searches. */
  readonly responses: string[] = [];
  private readonly stubs: StubProvider[] = [];
  private traces = 0;

  private constructor(
    private readonly options: ProductOptions,
    private running: Product,
  ) {}

  static async start(options: ProductOptions): Promise<Workbench> {
    const dataDir = options.dataDir ?? preparedData(options);
    return new Workbench(options, await startProduct({ ...options, ...(dataDir && { dataDir }) }));
  }

  get product(): Product {
    return this.running;
  }

  get baseUrl(): string {
    return this.product.baseUrl;
  }

  /** API key of the first workspace. */
  get apiKey(): string {
    return this.product.credentials.api_key;
  }

  get adminKey(): string {
    return this.product.credentials.admin_api_key;
  }

  /** Stops the product like Ctrl-C and starts it again with its data on other ports. */
  async restartProduct(): Promise<void> {
    const { dataDir } = this.running;
    await this.running.stop({ keepData: true });
    this.running = await startProduct({ ...this.options, dataDir });
  }

  /** Returns a trace id that no other request has. */
  trace(name: string): string {
    this.traces += 1;
    return `${name}-${String(this.traces)}`;
  }

  async stub(): Promise<StubProvider> {
    const stub = await StubProvider.start();
    this.stubs.push(stub);
    return stub;
  }

  /** Sends any request below `/v1`, to either plane. */
  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: Call = {},
  ): Promise<Reply<T>> {
    const { key = this.apiKey, headers, body } = options;
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { 'x-gw-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    this.responses.push(text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text !== '' ? JSON.parse(text) : {}) as T,
    };
  }

  /** Sends a control-plane call that must succeed. */
  async manage<T = Record<string, unknown>>(method: string, path: string, options: Call = {}): Promise<T> {
    const { status, text, body } = await this.call<T>(method, path, options);
    if (status !== 200) throw new Error(`${method} ${path} answered ${String(status)}: ${text}`);
    return body;
  }

  /** Sends a chat request, with `x-gw-provider` unless the headers select a provider. */
  chat(headers: Readonly<Record<string, string>>, options: Call = {}): Promise<Reply> {
    return this.call('POST', '/chat/completions', { body: CHAT_REQUEST, ...options, headers });
  }

  /** Creates an integration of the workspace and its provider `@slug`. */
  async provider({ slug, type, stub, apiKey = `sk-${slug}`, workspaceId }: NewProvider): Promise<string> {
    const { id } = await this.manage<{ id: string }>('POST', '/integrations', {
      key: this.adminKey,
      body: {
        name: slug,
        slug: `${slug}-integration`,
        ai_provider_id: type,
        key: apiKey,
        workspace_id: workspaceId ?? this.product.credentials.workspace_id,
        default_provider_slug: slug,
        ...(stub ? { configurations: { custom_host: `${stub.origin}/v1` } } : {}),
      },
    });
    return id;
  }

  /** Creates a saved config and returns its slug. */
  async config(config: object, options: Call = {}): Promise<string> {
    const body = { name: 'Route', config };
    const { slug } = await this.manage<{ slug: string }>('POST', '/configs', { ...options, body });
    return slug;
  }

  /** Creates a workspace key; in the first workspace unless the body names another. */
  newKey(body: object = {}): Promise<NewKey> {
    return this.manage('POST', '/api-keys/workspace/service', {
      key: this.adminKey,
      body: {
        name: 'A key',
        workspace_id: this.product.credentials.workspace_id,
        scopes: ['completions.write', 'logs.list', 'logs.view'],
        ...body,
      },
    });
  }

  logs(query: string, key = this.apiKey): Promise<LogPage> {
    return this.manage('GET', `/logs?${query}`, { key });
  }

  /** Returns every record that matches the filter, page by page. */
  async allLogs(filter: string): Promise<LogEntry[]> {
    const logs: LogEntry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await this.logs(`page_size=100&${filter}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      logs.push(...page.data);
      cursor = page.next_cursor;
    }
    return logs;
  }

  /** Waits until each trace has exactly one record among those of the filter. */
  async expectOneRecordEach(traces: readonly string[], filter: string): Promise<void> {
    await eventually(
      async () => {
        const logged = (await this.allLogs(filter)).map(({ trace_id }) => trace_id);
        const records = traces.map((trace) => [trace, logged.filter((id) => id === trace).length]);
        expect(records.filter(([, count]) => count !== 1)).toEqual([]);
        return true;
      },
      { timeoutMs: RECOVERY_TIMEOUT_MS, everyMs: 200 },
    );
  }

  /** Waits for the record of the trace. Fails if there is more than one. */
  async logOf(trace: string): Promise<LogEntry> {
    const [log, ...more] = await eventually(
      async () => {
        const { data } = await this.logs(`trace_id=${trace}`);
        return data.length > 0 && data;
      },
      { timeoutMs: LOG_TIMEOUT_MS, everyMs: 50 },
    );
    if (!log || more.length > 0)
      throw new Error(`The trace ${trace} has ${String(more.length + 1)} records.`);
    return log;
  }

  /** Like `logOf`, with bodies and decision record. */
  async logDetailOf(trace: string): Promise<LogDetail> {
    const { id } = await this.logOf(trace);
    return this.manage('GET', `/logs/${id}`);
  }

  async stop(): Promise<void> {
    for (const stub of this.stubs) await stub.stop();
    await this.product.stop();
  }
}

/** The smallest chat request, for the sandbox's small model or a stub that ignores the model. */
export const CHAT_REQUEST = { model: 'sandbox-small', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** Settings of the product: tests query the log far more often than users. */
const ENVIRONMENT = {
  TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
  CONTROL_PLANE_RATE_LIMIT: '0',
  CONSOLE_RATE_LIMIT: '0',
};

/**
 * Starts the product for a suite and trusts stub providers on loopback. Read it only in tests and
 * hooks. At the end of the suite every log must have plausible times and a complete waterfall.
 */
export function withProduct(
  options: () => Promise<ProductOptions> = () => Promise.resolve({}),
): () => Workbench {
  let bench: Workbench | undefined;
  beforeAll(async () => {
    const own = await options();
    bench = await Workbench.start({ ...own, environment: { ...ENVIRONMENT, ...own.environment } });
  }, 300_000);
  afterAll(async () => {
    if (bench === undefined) return;
    try {
      expect(await drawnLogFaults(bench)).toEqual([]);
    } finally {
      await bench.stop();
    }
  }, 300_000);
  return () => {
    if (!bench) throw new Error('The product runs from beforeAll on; use it in a test or a hook.');
    return bench;
  };
}

export type Drivers = 'embedded' | 'Redis';

/**
 * Like `withProduct`, with embedded drivers or with Redis. The server is null with the embedded
 * ones.
 */
export function withProductOn(drivers: Drivers): {
  readonly bench: () => Workbench;
  readonly redis: () => TestRedis | null;
} {
  let redis: Awaited<ReturnType<typeof startRedis>> | null = null;
  const bench = withProduct(async () => {
    if (drivers === 'embedded') return {};
    redis = await startRedis();
    return { redisUrl: redis.url };
  });
  // After the product, which would wait for it.
  afterAll(() => redis?.stop());
  return { bench, redis: () => redis };
}
