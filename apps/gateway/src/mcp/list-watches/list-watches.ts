import { isOfUsers, type McpServerDocument } from '@gw/contracts';
import { Shares, type Share } from '@gw/kernel';
import { NO_CAPABILITIES } from '@gw/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamOwner } from '../called-upstream';
import type { Endpoint } from '../endpoint';
import type { McpReply } from '../mcp-reply';
import type { ServerView } from '../server-view';
import type { McpUpstreams } from '../upstreams';
import { assertExpected, CHECK_EVERY_MS, connectionOf, retryDelayMs } from '../watched-server';
import type { ChangedLists } from './changed-lists';

/** Maximum number of servers that one process watches; workspaces share it. */
const WATCHES_MAX = 500;
/** Maximum number of waiting streams that get a watch in one check. */
const ATTACHED_PER_CHECK_MAX = 100;
/** Milliseconds after which a stream begins even if a server is not watched yet. */
const READY_WAIT_MS = 250;
/** Milliseconds for which a server is still watched after its last stream has ended. */
const LINGER_MS = 30_000;

const WANTED = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const ANNOUNCED: ReadonlySet<string> = new Set(
  ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`),
);

/** A stream for which a server is watched. */
interface WatchingStream {
  /** Returns the current endpoint of the stream's address; null when it is gone. */
  readonly current: () => Endpoint | null;
  readonly serverId: string;
  /** Returns the workspace's share of watches. */
  readonly share: () => Share;
  /** The watch of the stream's server; null while the stream waits for one. */
  watch: Watch | null;
}

/** The watch of one server for all clients that have a stream. */
interface Watch {
  readonly users: Set<WatchingStream>;
  /** Settings of the connection, by `connectionOf`. */
  readonly connection: string;
  readonly stopped: AbortController;
  readonly ready: Promise<void>;
  readonly isReady: () => void;
  linger: NodeJS.Timeout | null;
}

/**
 * Watches servers for changed lists while clients have streams on which they are notified. After a
 * change the control plane reads the server, and clients are notified of approved changes. Servers
 * at which users sign in are not watched, because the control plane cannot read them.
 */
export class ListWatches {
  private readonly watches = new Map<string, Watch>();
  /** Streams that wait for a watch because their workspace's share is full. */
  private readonly waiting = new Set<WatchingStream>();
  private readonly shares: Shares;
  private isClosed = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly upstreams: McpUpstreams,
    private readonly lists: ChangedLists,
    watchesMax = WATCHES_MAX,
  ) {
    this.shares = new Shares(watchesMax);
  }

  /**
   * Watches the servers of an address until the reply's stream ends. `current` returns the current
   * endpoint of the address. Resolves when the servers are watched, at the latest after
   * `READY_WAIT_MS`.
   */
  async watchDuring(endpoint: Endpoint, reply: McpReply, current: WatchingStream['current']): Promise<void> {
    if (this.isClosed || reply.hasEnded) return;
    const watches = endpoint.servers.flatMap((view) => {
      if (!isWatched(view.document)) return [];
      const { id: serverId, workspaceId, organisationId } = view.document;
      const share = (): Share => this.shares.of(workspaceId, organisationId);
      const user: WatchingStream = { current, serverId, share, watch: null };
      this.attach(user, view);
      reply.onceEnded(() => {
        this.waiting.delete(user);
        leave(user);
      });
      return user.watch === null ? [] : [user.watch];
    });
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    if (watches.length === 0) return;
    const waited = new AbortController();
    await Promise.race([
      Promise.all(watches.map(({ ready }) => ready)),
      delay(READY_WAIT_MS, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
    waited.abort();
  }

  close(): void {
    this.isClosed = true;
    for (const watch of this.watches.values()) stop(watch);
    this.stopTimer();
    this.lists.close();
  }

  /**
   * Replaces watches whose connection settings have changed, and moves their streams to the new
   * watches.
   */
  private check(): void {
    for (const watch of this.watches.values()) {
      if (watch.stopped.signal.aborted) continue;
      const [first] = watch.users;
      const view = first && viewOf(first);
      if (view === undefined || connectionOf(view.document) === watch.connection) continue;
      stop(watch);
      for (const user of watch.users) this.attach(user, viewOf(user));
    }
    this.checkWaiting();
    if (this.watches.size + this.waiting.size === 0) this.stopTimer();
  }

  /**
   * Gives free places to waiting streams. `ClientStreams` ends a stream whose address no longer
   * exists.
   */
  private checkWaiting(): void {
    let left = ATTACHED_PER_CHECK_MAX;
    for (const user of [...this.waiting]) {
      if (!user.share().fits(1)) continue;
      if ((left -= 1) < 0) return;
      // A stream that has to wait again moves to the end of the order.
      this.waiting.delete(user);
      this.attach(user, viewOf(user));
    }
  }

  /** Attaches a stream to the watch of its server, or lets it wait for one. */
  private attach(user: WatchingStream, view: ServerView | undefined): void {
    const watch = view === undefined ? null : this.watchOf(view, user.share());
    if (watch !== null) join(user, watch);
    else if (view === undefined || isWatched(view.document)) {
      user.watch = null;
      this.waiting.add(user);
    }
  }

  private stopTimer(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * Returns the watch of a server; null when the server cannot be watched or the workspace's share
   * is full.
   */
  private watchOf(view: ServerView, share: Share): Watch | null {
    if (!isWatched(view.document)) return null;
    const owner = ownerOf(view);
    const key = `${view.document.id}/${owner.binding}`;
    const known = this.watches.get(key);
    // A stopped watch stays in the map until its connection has ended.
    return known?.stopped.signal.aborted === false
      ? known
      : this.startWatch(key, view.document, owner, share);
  }

  private startWatch(
    key: string,
    document: McpServerDocument,
    owner: UpstreamOwner,
    share: Share,
  ): Watch | null {
    if (!share.take(1)) return null;
    let isReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const watch: Watch = {
      ...{ users: new Set(), connection: connectionOf(document) },
      ...{ stopped: new AbortController(), ready, isReady, linger: null },
    };
    this.watches.set(key, watch);
    void this.run(watch, document, owner).finally(() => {
      share.give(1);
      isReady();
      if (this.watches.get(key) === watch) this.watches.delete(key);
    });
    return watch;
  }

  /**
   * Listens, and again after each end of the connection, until the watch is stopped. The delays
   * grow with consecutive failures, so a server that announces no changes is seldom called.
   */
  private async run(watch: Watch, server: McpServerDocument, owner: UpstreamOwner): Promise<void> {
    const { signal } = watch.stopped;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const hadMessage = await this.listen(watch, server, owner);
      watch.isReady();
      if (hadMessage) failures = 0;
      await delay(retryDelayMs(failures), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Listens on one connection until it ends. Returns whether a message arrived. */
  private async listen(watch: Watch, server: McpServerDocument, owner: UpstreamOwner): Promise<boolean> {
    const { signal } = watch.stopped;
    let hadMessage = false;
    try {
      const upstream = this.upstreams.of(server, owner);
      const { era } = await upstream.describe({ signal });
      const messages = upstream.listen(WANTED, { signal });
      // A modern server acknowledges the subscription; a legacy server has no acknowledgement.
      if (era === 'legacy') watch.isReady();
      for await (const { method } of messages) {
        hadMessage = true;
        watch.isReady();
        if (ANNOUNCED.has(method)) this.lists.changed(server.integrationId);
      }
    } catch (error) {
      assertExpected(error);
    }
    return hadMessage;
  }
}

const isWatched = ({ integrationKind, authType }: McpServerDocument): boolean =>
  integrationKind !== 'openapi' && !isOfUsers(authType);

/**
 * Returns the owner of the watch's session: one for all callers, unless the server receives the
 * caller's identity.
 */
const ownerOf = ({ document, caller }: ServerView): UpstreamOwner => ({
  binding: document.configurations['user_identity_forwarding'] === undefined ? 'lists' : caller.binding,
  caller: caller.access,
  session: null,
  capabilities: NO_CAPABILITIES,
});

const viewOf = ({ current, serverId }: WatchingStream): ServerView | undefined =>
  current()?.servers.find(({ document }) => document.id === serverId);

function join(user: WatchingStream, watch: Watch): void {
  user.watch = watch;
  watch.users.add(user);
  if (watch.linger !== null) clearTimeout(watch.linger);
  watch.linger = null;
}

function leave(user: WatchingStream): void {
  const { watch } = user;
  if (watch === null) return;
  watch.users.delete(user);
  if (watch.users.size === 0 && !watch.stopped.signal.aborted)
    watch.linger = setTimeout(() => stop(watch), LINGER_MS).unref();
}

function stop(watch: Watch): void {
  if (watch.linger !== null) clearTimeout(watch.linger);
  watch.stopped.abort();
}
