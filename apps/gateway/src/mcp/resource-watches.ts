import {
  META,
  NO_CAPABILITIES,
  notificationBody,
  own,
  ownObject,
  type JsonObject,
  type RequestId,
  type SessionFacts,
} from '@gw/mcp';
import { UpstreamError } from '@gw/mcp-client';
import { GatewayError } from '@gw/kernel';
import { Denied } from './denials';
import type { McpReply } from './mcp-reply';
import type { Endpoint } from './endpoint';
import type { ServerView } from './server-view';
import type { SessionState } from './sessions/session-states';
import type { CalledUpstream, UpstreamOwner } from './called-upstream';
import type { McpUpstreams } from './upstreams';

interface SessionStream {
  readonly endpoint: Endpoint;
  readonly session: SessionFacts;
  readonly state: SessionState;
  readonly reply: McpReply;
}

interface ListenStream {
  readonly endpoint: Endpoint;
  readonly reply: McpReply;
  readonly uris: readonly string[];
  readonly id: RequestId;
}

/** Watches resources at upstreams for clients that subscribed to them, while their streams are open. */
export class ResourceWatches {
  constructor(private readonly upstreams: McpUpstreams) {}

  /** Watches what a session subscribes to, from now until its stream ends. */
  ofSession({ endpoint, session, state, reply }: SessionStream): void {
    let watch: AbortController | null = null;
    const renew = (): void => {
      watch?.abort();
      watch = null;
      // What the caller may no longer see is not watched.
      const uris = [...state.subscriptions].filter((uri) => endpoint.resourceOf(uri) !== undefined);
      if (reply.isOver || uris.length === 0) return;
      watch = new AbortController();
      this.watchAll({ endpoint, session, uris }, watch.signal, (uri, params) => {
        if (state.subscriptions.has(uri)) reply.message(notificationBody(UPDATED, params));
      });
    };
    state.changed = renew;
    reply.whenOver(() => {
      watch?.abort();
      if (state.changed === renew) state.changed = null;
    });
    renew();
  }

  /** Watches the resources of a `subscriptions/listen`. */
  ofListen({ endpoint, reply, uris, id }: ListenStream): void {
    const watch = new AbortController();
    reply.whenOver(() => watch.abort());
    this.watchAll({ endpoint, session: null, uris }, watch.signal, (uri, params) => {
      if (!uris.includes(uri)) return;
      const meta = { ...ownObject(params, '_meta'), [META.subscription]: id };
      reply.message(notificationBody(UPDATED, { ...params, _meta: meta }));
    });
  }

  private upstreamOf(view: ServerView, session: SessionFacts | null): CalledUpstream {
    return this.upstreams.of(view.document, ownerOf(view, session));
  }

  /** Watches resources at their servers. `updated` gets the shown URI. */
  private watchAll(
    { endpoint, session, uris }: Pick<ListenStream, 'endpoint' | 'uris'> & { session: SessionFacts | null },
    signal: AbortSignal,
    updated: (uri: string, params: JsonObject) => void,
  ): void {
    for (const [view, shown] of byServer(endpoint, uris))
      void unlessFailed(() =>
        this.watch(this.upstreamOf(view, session), [...shown.keys()], signal, (own, params) => {
          const uri = shown.get(own) ?? own;
          updated(uri, { ...params, uri });
        }),
      );
  }

  private async watch(
    upstream: CalledUpstream,
    uris: readonly string[],
    signal: AbortSignal,
    updated: (uri: string, params: JsonObject) => void,
  ): Promise<void> {
    if ((await upstream.describe({ signal })).era === 'legacy')
      for (const uri of uris) await upstream.request('resources/subscribe', { uri }, { signal });
    for await (const { method, params } of upstream.listen({ resourceSubscriptions: uris }, { signal })) {
      const uri = own(params, 'uri');
      if (method === UPDATED && typeof uri === 'string') updated(uri, params);
    }
  }
}

const ownerOf = ({ caller }: ServerView, session: SessionFacts | null): UpstreamOwner => ({
  binding: caller.binding,
  caller: caller.access,
  session: session?.nonce ?? null,
  capabilities: session?.capabilities ?? NO_CAPABILITIES,
});

/** Shown URIs by the server's own ones, of each server that has some of them. */
function byServer(
  endpoint: Endpoint,
  uris: readonly string[],
): ReadonlyMap<ServerView, ReadonlyMap<string, string>> {
  const servers = new Map<ServerView, Map<string, string>>();
  for (const shown of uris) {
    const resource = endpoint.resourceOf(shown);
    if (resource === undefined) continue;
    const known = servers.get(resource.view);
    if (known === undefined) servers.set(resource.view, new Map([[resource.uri, shown]]));
    else known.set(resource.uri, shown);
  }
  return servers;
}

const UPDATED = 'notifications/resources/updated';

/** An upstream that cannot be watched now has no updates; calls of it say what is wrong. */
async function unlessFailed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isExpected =
      error instanceof UpstreamError || error instanceof Denied || error instanceof GatewayError;
    if (!isExpected) throw error;
  }
}
