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

/** Servers of streams that one process watches, of which each workspace has a share; further ones wait. */
const WATCHES_MAX = 2_000;

interface WatchedStream {
  readonly reply: McpReply;
  /** Returns the current endpoint of the stream's address; null when it is gone. */
  readonly now: () => Endpoint | null;
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
interface Wanted extends Pick<WatchedStream, 'now'> {
  readonly session: SessionFacts | null;
  /** URIs as the client knows them. */
  readonly uris: readonly string[];
  /** Takes an update under the URI that the client knows. */
  readonly updated: (uri: string, params: JsonObject) => void;
}

/** Watches resources at upstreams for clients that subscribed to them, while their streams are open. */
export class ResourceWatches {
  private readonly shares: Shares;

  constructor(
    private readonly upstreams: McpUpstreams,
    watchesMax = WATCHES_MAX,
  ) {
    this.shares = new Shares(watchesMax);
  }

  /** Watches what a session subscribes to, from now until its stream ends. */
  ofSession({ now, session, state, reply }: SessionStream): void {
    let watch: AbortController | null = null;
    const queue = new UpdateQueue(reply, (params) => notificationBody(UPDATED, params));
    const renew = (): void => {
      watch?.abort();
      watch = null;
      const uris = [...state.subscriptions];
      if (reply.isOver || uris.length === 0) return;
      watch = new AbortController();
      const updated = (uri: string, params: JsonObject): void => {
        if (state.subscriptions.has(uri)) queue.add(uri, params);
      };
      this.watchAll({ now, session, uris, updated }, watch.signal);
    };
    state.onChange = renew;
    reply.whenOver(() => {
      watch?.abort();
      if (state.onChange === renew) state.onChange = null;
    });
    renew();
  }

  /** Watches the resources of a `subscriptions/listen`. */
  ofListen({ now, reply, uris, id }: ListenStream): void {
    const watch = new AbortController();
    reply.whenOver(() => watch.abort());
    const queue = new UpdateQueue(reply, (params) => {
      const meta = { ...ownObject(params, '_meta'), [META.subscription]: id };
      return notificationBody(UPDATED, { ...params, _meta: meta });
    });
    this.watchAll({ now, session: null, uris, updated: (...update) => queue.add(...update) }, watch.signal);
  }

  private watchAll(wanted: Wanted, signal: AbortSignal): void {
    const { now, session } = wanted;
    const endpoint = now();
    for (const [id, { workspaceId, organisationId }] of serversOf(endpoint, wanted.uris)) {
      const view = (): ServerView | undefined => now()?.servers.find((each) => each.id === id);
      const watch = new ResourceWatch(
        this.upstreams,
        {
          ...{ session, view },
          uris: (of) => [...shownByOwn(now(), wanted.uris, of).keys()],
          updated: (uri, params) => {
            const seen = view();
            // The caller is not notified of resources that it may no longer see.
            const shown = seen && shownByOwn(now(), wanted.uris, seen).get(uri);
            if (shown !== undefined) wanted.updated(shown, { ...params, uri: shown });
          },
        },
        () => this.shares.of(workspaceId, organisationId),
        signal,
      );
      void watch.run();
    }
  }
}

/** The servers that have some of these resources, by id. */
function serversOf(
  endpoint: Endpoint | null,
  uris: readonly string[],
): ReadonlyMap<string, ServerView['document']> {
  const views = uris.map((uri) => endpoint?.resourceOf(uri)?.view).filter((view) => view !== undefined);
  return new Map(views.map(({ id, document }) => [id, document]));
}

/** Shown URIs by the server's own ones, of those that the caller sees. */
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
