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
import { UpstreamError, type McpUpstream } from '@gw/mcp-client';
import { Denied } from './denials';
import type { CallReply } from './call-reply';
import type { ServerView } from './server-view';
import type { SessionState } from './sessions/session-states';
import type { McpUpstreams } from './upstreams';

interface SessionStream {
  readonly view: ServerView;
  readonly session: SessionFacts;
  readonly state: SessionState;
  readonly reply: CallReply;
}

interface ListenStream {
  readonly view: ServerView;
  readonly reply: CallReply;
  readonly uris: readonly string[];
  readonly id: RequestId;
}

/** Watches resources at upstreams for clients that subscribed to them, while their streams are open. */
export class ResourceWatches {
  constructor(private readonly upstreams: McpUpstreams) {}

  /** Watches what a session subscribes to, from now until its stream ends. */
  ofSession({ view, session, state, reply }: SessionStream): void {
    const upstream = this.upstreamOf(view, session);
    let watch: AbortController | null = null;
    const renew = (): void => {
      watch?.abort();
      watch = null;
      // What the caller may no longer see is not watched.
      const uris = [...state.subscriptions].filter((uri) => view.resourceOf(uri) !== undefined);
      if (reply.isOver || uris.length === 0) return;
      watch = new AbortController();
      void this.watch(upstream, uris, watch.signal, (uri, params) => {
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
  ofListen({ view, reply, uris, id }: ListenStream): void {
    const watch = new AbortController();
    reply.whenOver(() => watch.abort());
    void this.watch(this.upstreamOf(view, null), uris, watch.signal, (uri, params) => {
      if (!uris.includes(uri)) return;
      const meta = { ...ownObject(params, '_meta'), [META.subscription]: id };
      reply.message(notificationBody(UPDATED, { ...params, _meta: meta }));
    });
  }

  private upstreamOf(view: ServerView, session: SessionFacts | null): McpUpstream {
    return this.upstreams.of(view.document, {
      binding: view.caller.binding,
      caller: view.caller.access,
      session: session?.nonce ?? null,
      capabilities: session?.capabilities ?? NO_CAPABILITIES,
    });
  }

  private async watch(
    upstream: McpUpstream,
    uris: readonly string[],
    signal: AbortSignal,
    updated: (uri: string, params: JsonObject) => void,
  ): Promise<void> {
    await unlessFailed(async () => {
      if ((await upstream.describe({ signal })).era === 'legacy')
        for (const uri of uris) await upstream.request('resources/subscribe', { uri }, { signal });
      for await (const { method, params } of upstream.listen({ resourceSubscriptions: uris }, { signal })) {
        const uri = own(params, 'uri');
        if (method === UPDATED && typeof uri === 'string') updated(uri, params);
      }
    });
  }
}

const UPDATED = 'notifications/resources/updated';

/** An upstream that cannot be watched now has no updates; calls of it say what is wrong. */
async function unlessFailed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof Denied)) throw error;
  }
}
