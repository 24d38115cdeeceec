import type { McpServerDocument } from '@gw/contracts';
import type { Share } from '@gw/kernel';
import { NO_CAPABILITIES, own, type JsonObject, type SessionFacts } from '@gw/mcp';
import { UpstreamError } from '@gw/mcp-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { CalledUpstream, UpstreamOwner } from '../called-upstream';
import type { ServerView } from '../server-view';
import type { McpUpstreams } from '../upstreams';
import { assertExpected, CHECK_EVERY_MS, connectionOf, retryDelayMs } from '../watched-server';

export const UPDATED = 'notifications/resources/updated';
/** Milliseconds after which a connection counts as stable, so that its end is not a failure. */
const STABLE_MS = 60_000;
/**
 * Milliseconds after which a subscription counts as established; a server without streams refuses
 * it earlier.
 */
const ESTABLISHED_MS = 1_000;
/** Milliseconds between two attempts to get a place in the workspace's share of watches. */
const PLACE_WAIT_MS = 5_000;

/** The resources of one server that are watched for one client. */
export interface WatchedServer {
  readonly session: SessionFacts | null;
  /**
   * Returns the caller's current view of the server; undefined when the caller may no longer see
   * it.
   */
  readonly view: () => ServerView | undefined;
  /** Returns the watched URIs that the caller sees now, in the server's own form. */
  readonly uris: (view: ServerView) => readonly string[];
  /** Called with an update under the server's own URI. */
  readonly updated: (uri: string, params: JsonObject) => void;
}

interface Connection {
  /** Time of `performance.now` at which the server had accepted the subscriptions; null before. */
  subscribedAt: number | null;
  hadUpdate: boolean;
  readonly stopped: AbortController;
}

/**
 * Watches resources of a server until the signal aborts. It reconnects when a connection ends,
 * because servers restart, lose sessions and end streams. After a lost connection the client is
 * notified of all resources, because an update may have been missed.
 */
export class ResourceWatch {
  private wasWatched = false;

  constructor(
    private readonly upstreams: Pick<McpUpstreams, 'of'>,
    private readonly server: WatchedServer,
    /** Returns the workspace's share of watches. */
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
        hasLasted = await this.watchOnce();
      } finally {
        share.give(1);
      }
      failures = hasLasted ? 0 : failures + 1;
      await this.pause(retryDelayMs(failures));
    }
  }

  /**
   * Watches over one connection until it ends. Returns whether the connection was stable or an
   * update arrived.
   */
  private async watchOnce(): Promise<boolean> {
    const view = this.server.view();
    if (view === undefined) return false;
    const connection: Connection = { subscribedAt: null, hadUpdate: false, stopped: new AbortController() };
    let wasOutdated = false;
    const check = setInterval(() => {
      if (!this.isOutdated(view.document)) return;
      wasOutdated = true;
      connection.stopped.abort();
    }, CHECK_EVERY_MS).unref();
    try {
      const upstream = this.upstreams.of(view.document, ownerOf(view, this.server.session));
      await this.listen(upstream, this.server.uris(view), connection);
    } catch (error) {
      assertExpected(error);
    } finally {
      clearInterval(check);
      // Ends the stream, which a failed subscription leaves open.
      connection.stopped.abort();
    }
    const { subscribedAt, hadUpdate } = connection;
    const ms = subscribedAt === null ? 0 : performance.now() - subscribedAt;
    if (hadUpdate || ms >= ESTABLISHED_MS) this.wasWatched = true;
    return hadUpdate || wasOutdated || ms >= STABLE_MS;
  }

  private isOutdated(document: McpServerDocument): boolean {
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
    const signal = AbortSignal.any([this.signal, connection.stopped.signal]);
    const isLegacy = (await upstream.describe({ signal })).era === 'legacy';
    const messages = upstream.listen({ resourceSubscriptions: uris }, { signal });
    try {
      // The stream is opened before the subscription, because a server without an open stream drops
      // updates.
      let next = messages.next();
      if (isLegacy) {
        next.catch(() => undefined);
        await subscribe(upstream, uris, signal);
        this.noteSubscribed(uris, connection);
      }
      for (let read = await next; read.done !== true; read = await next) {
        next = messages.next();
        next.catch(() => undefined);
        const { method, params } = read.value;
        // A modern server acknowledges the subscription first.
        if (connection.subscribedAt === null) this.noteSubscribed(uris, connection);
        const uri = own(params, 'uri');
        if (method !== UPDATED || typeof uri !== 'string') continue;
        connection.hadUpdate = true;
        this.server.updated(uri, params);
      }
    } finally {
      // An abort does not end a generator whose next message was requested in advance.
      void messages.return(undefined).catch(() => undefined);
    }
  }

  private noteSubscribed(uris: readonly string[], connection: Connection): void {
    connection.subscribedAt = performance.now();
    if (this.wasWatched) for (const uri of uris) this.server.updated(uri, { uri });
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Subscribes to resources at a server with sessions. Ignores resources that the server refuses, and
 * throws when it refuses all.
 */
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
