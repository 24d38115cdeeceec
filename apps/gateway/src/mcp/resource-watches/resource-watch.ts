import type { McpServerDocument } from '@gw/contracts';
import type { Share } from '@gw/kernel';
import { NO_CAPABILITIES, own, type JsonObject, type SessionFacts } from '@gw/mcp';
import { UpstreamError } from '@gw/mcp-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { CalledUpstream, UpstreamOwner } from '../called-upstream';
import type { ServerView } from '../server-view';
import type { McpUpstreams } from '../upstreams';
import { assertOfServer, CHECK_EVERY_MS, connectionOf, watchedAgainMs } from '../watched-server';

export const UPDATED = 'notifications/resources/updated';
/** A connection that lasted so long was none that the server ends at once. */
const LASTED_MS = 60_000;
/** A server that offers no stream refuses it sooner. */
const WATCHED_MS = 1_000;
/** Wait for a place among the watches of the workspace. */
const PLACE_WAIT_MS = 5_000;

/** Resources of one server that are watched for one client. */
export interface WatchedServer {
  readonly session: SessionFacts | null;
  /** Returns the server as the caller sees it now; undefined when the caller does not. */
  readonly view: () => ServerView | undefined;
  /** Returns those of the server's own URIs that the caller sees now. */
  readonly uris: (view: ServerView) => readonly string[];
  /** Takes an update under the server's own URI. */
  readonly updated: (uri: string, params: JsonObject) => void;
}

interface Connection {
  /** When the server had taken the subscriptions; null before. */
  begunAt: number | null;
  hadUpdate: boolean;
  readonly over: AbortController;
}

/**
 * Watches resources of a server until the signal aborts: over one connection after the other, since
 * servers restart, forget sessions, and end streams. After a connection that was lost, the client is
 * notified of all resources, because an update may have been missed.
 */
export class ResourceWatch {
  private wasWatched = false;

  constructor(
    private readonly upstreams: Pick<McpUpstreams, 'of'>,
    private readonly server: WatchedServer,
    /** The watches that the workspace may have. */
    private readonly shareOf: () => Share,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<void> {
    for (let failures = 0; !this.signal.aborted;) {
      const share = this.shareOf();
      if (!share.take(1)) {
        await this.pause(PLACE_WAIT_MS);
        continue;
      }
      let hasLasted = false;
      try {
        hasLasted = await this.connection();
      } finally {
        share.give(1);
      }
      failures = hasLasted ? 0 : failures + 1;
      await this.pause(watchedAgainMs(failures));
    }
  }

  /** Watches over one connection to its end. Returns whether it lasted, or brought an update. */
  private async connection(): Promise<boolean> {
    const view = this.server.view();
    if (view === undefined) return false;
    const connection: Connection = { begunAt: null, hadUpdate: false, over: new AbortController() };
    let hasMoved = false;
    const check = setInterval(() => {
      if (!this.hasMoved(view.document)) return;
      hasMoved = true;
      connection.over.abort();
    }, CHECK_EVERY_MS).unref();
    try {
      const upstream = this.upstreams.of(view.document, ownerOf(view, this.server.session));
      await this.listen(upstream, this.server.uris(view), connection);
    } catch (error) {
      assertOfServer(error);
    } finally {
      clearInterval(check);
      // Ends a stream that a failed subscription left open.
      connection.over.abort();
    }
    const { begunAt, hadUpdate } = connection;
    const ms = begunAt === null ? 0 : performance.now() - begunAt;
    if (hadUpdate || ms >= WATCHED_MS) this.wasWatched = true;
    return hadUpdate || hasMoved || ms >= LASTED_MS;
  }

  private hasMoved(document: McpServerDocument): boolean {
    const now = this.server.view()?.document;
    if (now === document) return false;
    return now === undefined || connectionOf(now) !== connectionOf(document);
  }

  private async listen(
    upstream: CalledUpstream,
    uris: readonly string[],
    connection: Connection,
  ): Promise<void> {
    if (uris.length === 0) return;
    const signal = AbortSignal.any([this.signal, connection.over.signal]);
    const isLegacy = (await upstream.describe({ signal })).era === 'legacy';
    const messages = upstream.listen({ resourceSubscriptions: uris }, { signal });
    try {
      // The stream is opened first: a server without one drops updates.
      let next = messages.next();
      if (isLegacy) {
        next.catch(() => undefined);
        await subscribe(upstream, uris, signal);
        this.begun(uris, connection);
      }
      for (let read = await next; read.done !== true; read = await next) {
        next = messages.next();
        next.catch(() => undefined);
        const { method, params } = read.value;
        // A modern server acknowledges the subscription first.
        if (connection.begunAt === null) this.begun(uris, connection);
        const uri = own(params, 'uri');
        if (method !== UPDATED || typeof uri !== 'string') continue;
        connection.hadUpdate = true;
        this.server.updated(uri, params);
      }
    } finally {
      // An abort does not end a generator whose message was read ahead.
      void messages.return(undefined).catch(() => undefined);
    }
  }

  private begun(uris: readonly string[], connection: Connection): void {
    connection.begunAt = performance.now();
    if (this.wasWatched) for (const uri of uris) this.server.updated(uri, { uri });
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal, ref: false }).catch(() => undefined);
  }
}

/** Subscribes at a server with sessions. Resources that it refuses are left out; fails when it refuses all. */
async function subscribe(
  upstream: CalledUpstream,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let refusal: UpstreamError | null = null;
  let granted = 0;
  for (const uri of uris)
    try {
      await upstream.request('resources/subscribe', { uri }, { signal });
      granted += 1;
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.kind !== 'rpc_error') throw error;
      refusal = error;
    }
  if (granted === 0 && refusal !== null) throw refusal;
}

const ownerOf = ({ caller }: ServerView, session: SessionFacts | null): UpstreamOwner => ({
  binding: caller.binding,
  caller: caller.access,
  session: session?.nonce ?? null,
  capabilities: session?.capabilities ?? NO_CAPABILITIES,
});
