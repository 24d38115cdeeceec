import { EVENT_CHANNEL, HEARTBEAT_MS, type ControlPlaneEvent, type DocumentKey } from '@gw/contracts';
import type { RedisBus, RedisDocuments } from '@gw/redis';
import { parseEvent } from './event-lines';
import type { HttpControlPlane } from './http-control-plane';
import type {
  DocumentSource,
  EventListener,
  EventSource,
  FoundDocument,
  Subscription,
  WantedDocument,
} from './ports';

export interface RedisControlPlaneOptions {
  readonly bus: RedisBus;
  readonly documents: RedisDocuments;
  /**
   * Source of documents that Redis does not have, of missed events, and of everything while Redis
   * is unreachable.
   */
  readonly http: HttpControlPlane;
  readonly now?: () => number;
}

/**
 * Reads documents and events through Redis, and falls back to the admin API over HTTP. The HTTP
 * event stream is open exactly while the channel is not known to be complete: at the start, after a
 * loss or a gap, and while Redis is unreachable.
 */
export class RedisControlPlane implements DocumentSource, EventSource {
  private readonly now: () => number;
  private listener: EventListener | null = null;
  private after: () => number | null = () => null;
  private http: Subscription | null = null;
  private lastMessageAt = -Infinity;
  /** The newest sequence that the channel announced; its documents were written to Redis before. */
  private published = -1;

  constructor(private readonly options: RedisControlPlaneOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  get name(): string {
    return this.http === null ? 'redis' : 'http';
  }

  /**
   * Reads from Redis while its copies include everything that the reader has received. Otherwise
   * Redis is the last resort, only for documents that the reader does not know at all.
   */
  async read(wanted: readonly WantedDocument[]): Promise<ReadonlyMap<DocumentKey, FoundDocument>> {
    const found = new Map<DocumentKey, FoundDocument>();
    const current = this.isCurrent();
    if (current) await this.addCopies(found, wanted);
    const missing = wanted.filter(({ key }) => !found.has(key));
    if (missing.length === 0) return found;
    try {
      for (const [key, document] of await this.options.http.read(missing)) found.set(key, document);
    } catch (error) {
      // Redis alone still serves what it has, so the source does not count as unreachable.
      if (!(await this.addCopies(found, missing))) throw error;
    }
    return found;
  }

  subscribe(after: () => number | null, listener: EventListener): Subscription {
    this.listener = listener;
    this.after = after;
    this.openHttp();
    const end = this.options.bus.subscribe(EVENT_CHANNEL, {
      onMessage: (text) => {
        this.onMessage(text);
      },
      onDown: () => {
        this.lastMessageAt = -Infinity;
        this.fallBack();
      },
    });
    return {
      reconnect: () => {
        if (this.http === null) this.openHttp();
        else this.http.reconnect();
      },
      close: () => {
        end();
        this.closeHttp();
        this.listener = null;
      },
    };
  }

  /** Adds copies from Redis; returns false when Redis cannot be read. */
  private async addCopies(
    found: Map<DocumentKey, FoundDocument>,
    wanted: readonly WantedDocument[],
  ): Promise<boolean> {
    const finite = wanted.filter(({ atLeast }) => atLeast !== Infinity);
    const copies = await this.options.documents.read(finite.map(({ key }) => key)).catch(() => null);
    for (const { key, atLeast } of finite) {
      const copy = copies?.get(key);
      if (copy !== undefined && copy.sequence >= atLeast) found.set(key, copy);
    }
    return copies !== null;
  }

  private isCurrent(): boolean {
    const isReceiving = this.now() - this.lastMessageAt < 3 * HEARTBEAT_MS;
    return isReceiving && this.published >= (this.after() ?? 0);
  }

  private onMessage(text: string): void {
    const event = parseEvent(text);
    if (event === null || this.listener === null) return;
    this.lastMessageAt = this.now();
    this.published = Math.max(this.published, event.sequence);
    const after = this.after();
    if (after === null ? event.type === 'change' : isAhead(event, after)) {
      // An event is missing, or the start is unknown: the admin API has the events.
      this.fallBack();
      return;
    }
    this.listener.onEvent(event);
    if (event.type === 'heartbeat' && event.sequence === this.after()) this.closeHttp();
  }

  private fallBack(): void {
    if (this.http !== null) return;
    this.listener?.onLost();
    this.openHttp();
  }

  private openHttp(): void {
    const { listener } = this;
    if (this.http !== null || listener === null) return;
    this.http = this.options.http.subscribe(this.after, {
      onEvent: (event) => {
        listener.onEvent(event);
      },
      onLost: () => {
        listener.onLost();
      },
    });
  }

  private closeHttp(): void {
    this.http?.close();
    this.http = null;
  }
}

/** Whether an event between this one and `after` is missing. */
function isAhead(event: ControlPlaneEvent, after: number): boolean {
  switch (event.type) {
    case 'change':
      return event.previous > after;
    case 'heartbeat':
      return event.sequence > after;
    case 'reset':
      return false;
  }
}
