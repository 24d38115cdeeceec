import { Shares } from '@gw/kernel';
import {
  META,
  notificationBody,
  ownObject,
  type JsonObject,
  type RequestId,
  type SessionFacts,
} from '@gw/mcp';
import type { Endpoint } from '../endpoint';
import type { McpReply } from '../mcp-reply';
import type { ServerView } from '../server-view';
import type { SessionState } from '../sessions/session-states';
import type { McpUpstreams } from '../upstreams';
import { ResourceWatch, UPDATED } from './resource-watch';
import { UpdateQueue } from './update-queue';

/**
 * Maximum number of watched pairs of stream and server in one process; workspaces share it, and
 * further ones wait.
 */
const WATCHES_MAX = 2_000;

interface WatchedStream {
  readonly reply: McpReply;
  /** Returns the current endpoint of the stream's address; null when it is gone. */
  readonly current: () => Endpoint | null;
}

interface SessionStream extends WatchedStream {
  readonly session: SessionFacts;
  readonly state: SessionState;
}

interface ListenStream extends WatchedStream {
  readonly uris: readonly string[];
  readonly id: RequestId;
}

/** Resources that a stream watches until a signal aborts. */
interface WatchedResources extends WatchedStream {
  readonly session: SessionFacts | null;
  /** URIs in the form that the client uses. */
  readonly uris: readonly string[];
  /** Called with an update under the URI that the client uses. */
  readonly updated: (uri: string, params: JsonObject) => void;
}

/**
 * Watches resources at upstreams for clients that subscribed to them, while their streams are open.
 */
export class ResourceWatches {
  private readonly shares: Shares;

  constructor(
    private readonly upstreams: McpUpstreams,
    watchesMax = WATCHES_MAX,
  ) {
    this.shares = new Shares(watchesMax);
  }

  /** Watches the resources that a session subscribes to, until its stream ends. */
  ofSession({ current, session, state, reply }: SessionStream): void {
    let watch: AbortController | null = null;
    const queue = new UpdateQueue(reply, (params) => notificationBody(UPDATED, params));
    const renew = (): void => {
      watch?.abort();
      watch = null;
      const uris = [...state.subscriptions];
      if (reply.hasEnded || uris.length === 0) return;
      watch = new AbortController();
      const updated = (uri: string, params: JsonObject): void => {
        if (state.subscriptions.has(uri)) queue.add(uri, params);
      };
      this.watchAll({ current, reply, session, uris, updated }, watch.signal);
    };
    state.onChange = renew;
    reply.onceEnded(() => {
      watch?.abort();
      if (state.onChange === renew) state.onChange = null;
    });
    renew();
  }

  /** Watches the resources of a `subscriptions/listen`. */
  ofListen({ current, reply, uris, id }: ListenStream): void {
    const watch = new AbortController();
    reply.onceEnded(() => watch.abort());
    const queue = new UpdateQueue(reply, (params) => {
      const meta = { ...ownObject(params, '_meta'), [META.subscription]: id };
      return notificationBody(UPDATED, { ...params, _meta: meta });
    });
    this.watchAll(
      { current, reply, session: null, uris, updated: (...update) => queue.add(...update) },
      watch.signal,
    );
  }

  private watchAll(wanted: WatchedResources, signal: AbortSignal): void {
    const { current, reply, session } = wanted;
    const endpoint = current();
    for (const [id, { workspaceId, organisationId }] of serversOf(endpoint, wanted.uris)) {
      const view = (): ServerView | undefined => current()?.servers.find((each) => each.id === id);
      const watch = new ResourceWatch(
        this.upstreams,
        {
          ...{ session, view },
          uris: (of) => [...shownByOwn(current(), wanted.uris, of).keys()],
          updated: (uri, params) => {
            const seen = view();
            // The caller is not notified of resources that it may no longer see.
            const shown = seen && shownByOwn(current(), wanted.uris, seen).get(uri);
            if (shown !== undefined) wanted.updated(shown, { ...params, uri: shown });
          },
        },
        () => this.shares.of(workspaceId, organisationId),
        signal,
      );
      reply.guard(() => watch.run());
    }
  }
}

/** Returns the servers of these resources by id. */
function serversOf(
  endpoint: Endpoint | null,
  uris: readonly string[],
): ReadonlyMap<string, ServerView['document']> {
  const views = uris.map((uri) => endpoint?.resourceOf(uri)?.view).filter((view) => view !== undefined);
  return new Map(views.map(({ id, document }) => [id, document]));
}

/** Maps the server's own URIs to the shown ones, for the resources that the caller sees. */
function shownByOwn(
  endpoint: Endpoint | null,
  uris: readonly string[],
  { id }: ServerView,
): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const uri of uris) {
    const resource = endpoint?.resourceOf(uri);
    if (resource?.view.id === id) shown.set(resource.uri, uri);
  }
  return shown;
}
