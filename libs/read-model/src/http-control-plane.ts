import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { INTERNAL, type DocumentKey, type DocumentsAnswer, type DocumentsRequest } from '@gw/contracts';
import { readEvents } from './event-lines';
import type {
  DocumentSource,
  EventListener,
  EventSource,
  FoundDocument,
  Subscription,
  WantedDocument,
} from './ports';

/** A read that takes longer has failed; a reader has stopped waiting by then. */
const READ_TIMEOUT_MS = 2_000;
/** 256 documents of 256 KiB. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 2_000;
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;

export interface HttpControlPlaneOptions {
  /** Base URL of the admin API. Set by the operator, never by a request, so that it may be a loopback or private address. */
  readonly adminUrl: string;
  readonly serviceToken: string;
}

/** Documents and events over HTTP from the admin API: the embedded driver, and the other driver's way when Redis is gone. */
export class HttpControlPlane implements DocumentSource, EventSource {
  readonly name = 'http';
  private readonly base: URL;
  private readonly request: typeof httpRequest;
  private readonly agent: HttpAgent;
  private readonly headers: Record<string, string>;

  constructor(options: HttpControlPlaneOptions) {
    this.base = new URL(options.adminUrl);
    const secure = this.base.protocol === 'https:';
    this.request = secure ? httpsRequest : httpRequest;
    const pool = { keepAlive: true, maxSockets: 8, maxFreeSockets: 4, timeout: 30_000 };
    this.agent = secure ? new HttpsAgent(pool) : new HttpAgent(pool);
    this.headers = { authorization: `Bearer ${options.serviceToken}` };
  }

  async read(wanted: readonly WantedDocument[]): Promise<ReadonlyMap<DocumentKey, FoundDocument>> {
    const body: DocumentsRequest = { keys: wanted.map(({ key }) => key) };
    const text = await this.post(JSON.stringify(body), true);
    const { sequence, documents } = JSON.parse(text) as DocumentsAnswer;
    const found = new Map<DocumentKey, FoundDocument>();
    for (const key of body.keys) {
      const document = documents[key];
      if (document !== undefined) found.set(key, { document, sequence });
    }
    return found;
  }

  subscribe(after: () => number | null, listener: EventListener): Subscription {
    const stream = new EventStream((sequence) => this.openEvents(sequence), after, listener);
    stream.connect();
    return stream;
  }

  /** Frees the kept connections. */
  close(): void {
    this.agent.destroy();
  }

  /** A kept connection may have been closed by the other side just now; a new one then gets its chance. */
  private post(body: string, mayRetry: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const req = this.request(this.urlOf(INTERNAL.documents), {
        method: 'POST',
        agent: this.agent,
        headers: {
          ...this.headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      });
      req.once('error', (error: NodeJS.ErrnoException) => {
        if (mayRetry && req.reusedSocket && error.code === 'ECONNRESET')
          this.post(body, false).then(resolve, reject);
        else reject(error);
      });
      req.once('response', (res) => {
        readText(res).then(resolve, reject);
      });
      req.end(body);
    });
  }

  /** Not from the pool: the stream lives as long as this process, and would hold a place there. */
  private openEvents(after: number | null): ClientRequest {
    const url = this.urlOf(INTERNAL.events);
    if (after !== null) url.searchParams.set('after', String(after));
    const req = this.request(url, { method: 'GET', agent: false, headers: this.headers });
    req.setTimeout(CONNECT_TIMEOUT_MS, () => {
      req.destroy(new Error('The admin API did not answer in time.'));
    });
    req.once('response', () => req.setTimeout(0));
    req.end();
    return req;
  }

  private urlOf(path: string): URL {
    return new URL(`${this.base.pathname.replace(/\/$/, '')}${path}`, this.base);
  }
}

/** One long-lived stream that opens itself again, after a pause that doubles from 50 ms to 2 s while it fails. */
class EventStream implements Subscription {
  private current: ClientRequest | null = null;
  private timer: NodeJS.Timeout | null = null;
  private failures = 0;
  private closed = false;

  constructor(
    private readonly open: (after: number | null) => ClientRequest,
    private readonly after: () => number | null,
    private readonly listener: EventListener,
  ) {}

  connect(): void {
    const req = this.open(this.after());
    this.current = req;
    const over = (): void => {
      if (this.current === req) this.lost();
    };
    req.on('error', over);
    req.once('response', (res) => {
      res.once('error', over);
      res.once('close', over);
      if (res.statusCode !== 200) {
        req.destroy();
        return;
      }
      readEvents(res, (event) => {
        if (this.current !== req) return;
        if (event.type === 'heartbeat') this.failures = 0;
        this.listener.onEvent(event);
      });
    });
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

  private drop(): void {
    const req = this.current;
    this.current = null;
    req?.destroy();
  }

  private lost(): void {
    this.drop();
    this.listener.onLost();
    if (!this.closed) this.again();
  }

  private again(): void {
    const ceiling = Math.min(BACKOFF_MIN_MS * 2 ** Math.min(this.failures, 10), BACKOFF_MAX_MS);
    this.failures += 1;
    // Half of it is left to chance, so that many gateways do not come back in the same moment.
    const delay = ceiling * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.connect();
    }, delay);
    this.timer.unref();
  }
}

async function readText(res: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of res as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('The answer of the admin API is too large.');
    chunks.push(chunk);
  }
  if (res.statusCode !== 200) throw new Error(`The admin API answered ${String(res.statusCode)}.`);
  return Buffer.concat(chunks).toString('utf8');
}
