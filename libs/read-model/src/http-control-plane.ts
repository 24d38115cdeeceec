import { INTERNAL, type DocumentKey, type DocumentsResponse, type DocumentsRequest } from '@gw/contracts';
import { ServiceClient, type ServiceClientOptions, type ServiceStream } from '@gw/outbound';
import { READ_TIMEOUT_MS } from './bounds';
import { readEvents } from './event-lines';
import type {
  DocumentSource,
  EventListener,
  EventSource,
  FoundDocument,
  Subscription,
  WantedDocument,
} from './ports';

const CLIENT: ServiceClientOptions = {
  // A slower read has failed, because its reader has stopped waiting by then.
  timeoutMs: READ_TIMEOUT_MS,
  connections: 8,
  // 256 documents of 256 KiB.
  bytesMax: 64 * 1024 * 1024,
  // The server may just have closed a pooled connection, so a reset is retried once on a new one.
  retry: {
    limit: 1,
    methods: ['POST'],
    statusCodes: [],
    errorCodes: ['ECONNRESET'],
    calculateDelay: ({ computedValue }) => Math.min(computedValue, 1),
  },
};
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;

export interface HttpControlPlaneOptions {
  /**
   * Base URL of the admin API. The operator sets it, never a request, so it may be a loopback or
   * private address.
   */
  readonly adminUrl: string;
  readonly serviceToken: string;
}

/**
 * Reads documents and events from the admin API over HTTP: the embedded driver, and the fallback of
 * the other driver while Redis is unavailable.
 */
export class HttpControlPlane implements DocumentSource, EventSource {
  readonly name = 'http';
  private readonly client = new ServiceClient(CLIENT);
  private readonly adminUrl: string;
  private readonly headers: Record<string, string>;

  constructor({ adminUrl, serviceToken }: HttpControlPlaneOptions) {
    this.adminUrl = adminUrl.replace(/\/$/, '');
    this.headers = { authorization: `Bearer ${serviceToken}` };
  }

  async read(wanted: readonly WantedDocument[]): Promise<ReadonlyMap<DocumentKey, FoundDocument>> {
    const request: DocumentsRequest = { keys: wanted.map(({ key }) => key) };
    const { status, body } = await this.client.call({
      url: this.adminUrl + INTERNAL.documents,
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (status !== 200) throw new Error(`the admin API responded with status ${String(status)}`);
    const { sequence, documents } = JSON.parse(body.toString('utf8')) as DocumentsResponse;
    const found = new Map<DocumentKey, FoundDocument>();
    for (const key of request.keys) {
      const document = documents[key];
      if (document !== undefined) found.set(key, { document, sequence });
    }
    return found;
  }

  subscribe(after: () => number | null, listener: EventListener): Subscription {
    const stream = new EventStream((...from) => this.openEvents(...from), after, listener);
    stream.connect();
    return stream;
  }

  /** Closes the pooled connections. */
  close(): void {
    this.client.close();
  }

  private openEvents(after: number | null, signal: AbortSignal): Promise<ServiceStream> {
    const query = after === null ? '' : `?after=${String(after)}`;
    return this.client.open({ url: this.adminUrl + INTERNAL.events + query, headers: this.headers }, signal);
  }
}

/**
 * One long-lived stream that reconnects, after a delay that doubles from 50 ms to 2 s while it
 * fails.
 */
class EventStream implements Subscription {
  private current: AbortController | null = null;
  private timer: NodeJS.Timeout | null = null;
  private failures = 0;
  private closed = false;

  constructor(
    private readonly open: (after: number | null, signal: AbortSignal) => Promise<ServiceStream>,
    private readonly after: () => number | null,
    private readonly listener: EventListener,
  ) {}

  connect(): void {
    const connection = new AbortController();
    this.current = connection;
    const over = (): void => {
      if (this.current === connection) this.lost();
    };
    this.follow(connection.signal).then(over, over);
  }

  reconnect(): void {
    if (this.closed || this.timer !== null) return;
    this.drop();
    this.again();
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.drop();
  }

  /** Reads events until the stream ends. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { status, body } = await this.open(this.after(), signal);
    if (status !== 200) {
      body.destroy();
      return;
    }
    for await (const event of readEvents(body)) {
      if (signal.aborted) return;
      if (event.type === 'heartbeat') this.failures = 0;
      this.listener.onEvent(event);
    }
  }

  private drop(): void {
    const connection = this.current;
    this.current = null;
    connection?.abort();
  }

  private lost(): void {
    this.drop();
    this.listener.onLost();
    if (!this.closed) this.again();
  }

  private again(): void {
    const ceiling = Math.min(BACKOFF_MIN_MS * 2 ** Math.min(this.failures, 10), BACKOFF_MAX_MS);
    this.failures += 1;
    // Half of the delay is random, so that many gateways do not reconnect at the same moment.
    const delay = ceiling * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.connect();
    }, delay);
    this.timer.unref();
  }
}
