import { isOfUsers, type McpServerDocument } from '@gw/contracts';
import { Shares, type Share } from '@gw/kernel';
import { NO_CAPABILITIES } from '@gw/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamOwner } from '../called-upstream';
import type { Endpoint } from '../endpoint';
import type { McpReply } from '../mcp-reply';
import type { ServerView } from '../server-view';
import type { McpUpstreams } from '../upstreams';
import { assertOfServer, CHECK_EVERY_MS, connectionOf, watchedAgainMs } from '../watched-server';
import type { ChangedLists } from './changed-lists';

/** Servers that one process watches, of which each workspace has a share. */
const WATCHES_MAX = 500;
/** Waiting streams that get their watch in one check. */
const ATTACHED_PER_CHECK_MAX = 100;
/** A stream begins after so long, although a server is not watched yet. */
const READY_WAIT_MS = 250;
/** A client that opens its next stream within this time finds the server watched. */
const LINGER_MS = 30_000;

const WANTED = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const ANNOUNCED: ReadonlySet<string> = new Set(
  ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`),
);

/** A stream for which a server is watched. */
interface User {
  /** Returns the current endpoint of the stream's address; null when it is gone. */
  readonly now: () => Endpoint | null;
  readonly serverId: string;
  /** The watches that the workspace may have. */
  readonly share: () => Share;
  /** Null: it waits for a place. */
  watch: Watch | null;
}

/** One server that is watched for all clients that have a stream. */
interface Watch {
  readonly users: Set<User>;
  /** Settings of the connection, by `connectionOf`. */
  readonly connection: string;
  readonly over: AbortController;
  readonly ready: Promise<void>;
  readonly isReady: () => void;
  linger: NodeJS.Timeout | null;
}

/**
 * Watches servers for changed lists while clients have streams on which they are notified. The control plane then
 * reads the server, and clients are notified of what was approved. Servers at which users sign in are not watched,
 * since the control plane cannot read them.
 */
export class ListWatches {
  private readonly watches = new Map<string, Watch>();
  /** Streams without a place among the watches of their workspace. */
  private readonly waiting = new Set<User>();
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
   * Watches the servers of an address until the stream of the reply is over. `now` gives what the address offers at
   * any later time. Resolves when they are watched, within a quarter of a second.
   */
  async during(endpoint: Endpoint, reply: McpReply, now: User['now']): Promise<void> {
    if (this.isClosed || reply.isOver) return;
    const watches = endpoint.servers.flatMap((view) => {
      if (!isWatched(view.document)) return [];
      const { id: serverId, workspaceId, organisationId } = view.document;
      const share = (): Share => this.shares.of(workspaceId, organisationId);
      const user: User = { now, serverId, share, watch: null };
      this.attach(user, view);
      reply.whenOver(() => {
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
    this.rest();
    this.lists.close();
  }

  /** Moves the users of watches whose connection is out of date to new ones. */
  private check(): void {
    for (const watch of this.watches.values()) {
      if (watch.over.signal.aborted) continue;
      const [first] = watch.users;
      const view = first && viewOf(first);
      if (view === undefined || connectionOf(view.document) === watch.connection) continue;
      stop(watch);
      for (const user of watch.users) this.attach(user, viewOf(user));
    }
    this.checkWaiting();
    if (this.watches.size + this.waiting.size === 0) this.rest();
  }

  /** Gives places that are free now to those who wait. A stream whose address is gone ends by itself. */
  private checkWaiting(): void {
    let left = ATTACHED_PER_CHECK_MAX;
    for (const user of [...this.waiting]) {
      if (!user.share().fits(1)) continue;
      if ((left -= 1) < 0) return;
      // One that waits again is the last from then on.
      this.waiting.delete(user);
      this.attach(user, viewOf(user));
    }
  }

  /** Lets a stream have the watch of its server, or wait for one. */
  private attach(user: User, view: ServerView | undefined): void {
    const watch = view === undefined ? null : this.watchOf(view, user.share());
    if (watch !== null) join(user, watch);
    else if (view === undefined || isWatched(view.document)) {
      user.watch = null;
      this.waiting.add(user);
    }
  }

  private rest(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** Null: the server cannot be watched, or the workspace watches as many as it may. */
  private watchOf(view: ServerView, share: Share): Watch | null {
    if (!isWatched(view.document)) return null;
    const owner = ownerOf(view);
    const key = `${view.document.id}/${owner.binding}`;
    const known = this.watches.get(key);
    // One that was stopped is still there until its connection has ended.
    return known?.over.signal.aborted === false ? known : this.begin(key, view.document, owner, share);
  }

  private begin(key: string, document: McpServerDocument, owner: UpstreamOwner, share: Share): Watch | null {
    if (!share.take(1)) return null;
    let isReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const watch: Watch = {
      ...{ users: new Set(), connection: connectionOf(document) },
      ...{ over: new AbortController(), ready, isReady, linger: null },
    };
    this.watches.set(key, watch);
    void this.run(watch, document, owner).finally(() => {
      share.give(1);
      isReady();
      if (this.watches.get(key) === watch) this.watches.delete(key);
    });
    return watch;
  }

  /** Listens, and again after each end, until the watch is stopped. A server without such lists is tried again seldom. */
  private async run(watch: Watch, server: McpServerDocument, owner: UpstreamOwner): Promise<void> {
    const { signal } = watch.over;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const hadMessage = await this.listen(watch, server, owner);
      watch.isReady();
      if (hadMessage) failures = 0;
      await delay(watchedAgainMs(failures), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** One connection to its end. Returns whether it brought a message. */
  private async listen(watch: Watch, server: McpServerDocument, owner: UpstreamOwner): Promise<boolean> {
    const { signal } = watch.over;
    let hadMessage = false;
    try {
      const upstream = this.upstreams.of(server, owner);
      const { era } = await upstream.describe({ signal });
      const messages = upstream.listen(WANTED, { signal });
      // A modern server acknowledges the subscription; of others nothing says that they have one.
      if (era === 'legacy') watch.isReady();
      for await (const { method } of messages) {
        hadMessage = true;
        watch.isReady();
        if (ANNOUNCED.has(method)) this.lists.changed(server.integrationId);
      }
    } catch (error) {
      assertOfServer(error);
    }
    return hadMessage;
  }
}

const isWatched = ({ integrationKind, authType }: McpServerDocument): boolean =>
  integrationKind !== 'openapi' && !isOfUsers(authType);

/** One session for all callers, unless the server learns who calls. */
const ownerOf = ({ document, caller }: ServerView): UpstreamOwner => ({
  binding: document.configurations['user_identity_forwarding'] === undefined ? 'lists' : caller.binding,
  caller: caller.access,
  session: null,
  capabilities: NO_CAPABILITIES,
});

const viewOf = ({ now, serverId }: User): ServerView | undefined =>
  now()?.servers.find(({ document }) => document.id === serverId);

function join(user: User, watch: Watch): void {
  user.watch = watch;
  watch.users.add(user);
  if (watch.linger !== null) clearTimeout(watch.linger);
  watch.linger = null;
}

function leave(user: User): void {
  const { watch } = user;
  if (watch === null) return;
  watch.users.delete(user);
  if (watch.users.size === 0) watch.linger = setTimeout(() => stop(watch), LINGER_MS).unref();
}

function stop(watch: Watch): void {
  if (watch.linger !== null) clearTimeout(watch.linger);
  watch.over.abort();
}
