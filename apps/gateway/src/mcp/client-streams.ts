import { GatewayError, HOUR_MS, Shares } from '@gw/kernel';
import {
  META,
  notificationBody,
  own,
  ownList,
  ownObject,
  resultBody,
  type JsonObject,
  type RequestId,
} from '@gw/mcp';
import type { GatewayPrincipal } from '../auth/principals';
import type { McpReply } from './mcp-reply';
import { Denied } from './denials';
import type { Endpoint } from './endpoint';
import type { SessionState } from './sessions/session-states';

/** Streams of one caller, and of this process, which workspaces share. */
const OF_CALLER_MAX = 20;
const OF_PROCESS_MAX = 5_000;
const SUBSCRIPTIONS_MAX = 100;
const LOOK_EVERY_MS = 500;
/** Time in which a changed document reaches the gateway, after the control plane has read a server. */
const LOOK_SOON_MS = 50;

/** Changes that a client subscribed to. */
interface Filter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

const EVERYTHING: Filter = { tools: true, prompts: true, resources: true };
const NOTHING: Filter = { tools: false, prompts: false, resources: false };

interface Stream {
  readonly reply: McpReply;
  readonly binding: string;
  readonly endsAt: number;
  readonly filter: Filter;
  /** The id of the modern request; null for the GET stream of a session. */
  readonly id: RequestId | null;
  /** Returns what the address offers the caller now; null when the address is gone. */
  readonly look: () => Endpoint | null;
  /** Remembers what the client was notified of, for its next stream; null: it is not remembered. */
  readonly state: SessionState | null;
  digest: string;
}

/**
 * Streams on which clients wait for changes of lists: GET of a legacy session, and `subscriptions/listen`.
 * They end after an hour, and clients open them again.
 */
export class ClientStreams {
  private readonly streams = new Set<Stream>();
  private readonly shares = new Shares(OF_PROCESS_MAX);
  private timer: NodeJS.Timeout | null = null;
  private soon: NodeJS.Timeout | null = null;
  private isClosed = false;

  /** `hasEnded`: whether a caller was withdrawn. */
  constructor(private readonly hasEnded: (caller: GatewayPrincipal) => boolean | Promise<boolean>) {}

  get size(): number {
    return this.streams.size;
  }

  /**
   * Opens the GET stream of a session. What changed since its last one is notified soon. Throws a
   * denial with status 429 at the bound.
   */
  open(endpoint: Endpoint, reply: McpReply, look: Stream['look'], state: SessionState): void {
    this.add({ endpoint, reply, look, filter: EVERYTHING, id: null, state });
    reply.startStream();
    this.endIfClosed();
  }

  /** Counts the GET stream on which a client resumes a call. Throws as `open` does. */
  resume(endpoint: Endpoint, reply: McpReply, look: Stream['look']): void {
    this.add({ endpoint, reply, look, filter: NOTHING, id: null, state: null });
    this.endIfClosed();
  }

  /** Opens the stream of a `subscriptions/listen` and acknowledges what is granted. Returns the URIs of granted resources. */
  listen(
    endpoint: Endpoint,
    reply: McpReply,
    look: Stream['look'],
    request: { readonly id: RequestId; readonly params: JsonObject },
  ): readonly string[] {
    const wanted = ownObject(request.params, 'notifications');
    const filter = {
      tools: own(wanted, 'toolsListChanged') === true,
      prompts: own(wanted, 'promptsListChanged') === true,
      resources: own(wanted, 'resourcesListChanged') === true,
    };
    this.add({ endpoint, reply, look, filter, id: request.id, state: null });
    const uris = ownList(wanted, 'resourceSubscriptions')
      .filter((uri): uri is string => typeof uri === 'string' && endpoint.resourceOf(uri) !== undefined)
      .slice(0, SUBSCRIPTIONS_MAX);
    const granted = {
      ...(filter.tools && { toolsListChanged: true }),
      ...(filter.prompts && { promptsListChanged: true }),
      ...(filter.resources && { resourcesListChanged: true }),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    reply.message(
      notificationBody('notifications/subscriptions/acknowledged', {
        notifications: granted,
        _meta: { [META.subscription]: request.id },
      }),
    );
    this.endIfClosed();
    return uris;
  }

  /** Notifies clients sooner than at the next look: a document has probably changed. */
  lookSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = null;
      this.look();
    }, LOOK_SOON_MS).unref();
  }

  /** Ends all streams, and later ones at once; clients open them again elsewhere. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) end(stream);
    this.streams.clear();
    this.rest();
  }

  private endIfClosed(): void {
    if (this.isClosed) this.close();
  }

  private add({
    endpoint,
    ...parts
  }: Pick<Stream, 'reply' | 'look' | 'filter' | 'id' | 'state'> & { endpoint: Endpoint }): void {
    const { binding, principal } = endpoint.caller;
    const { id: workspaceId, organisationId } = principal.workspace;
    const own = [...this.streams].filter((each) => each.binding === binding).length;
    const share = this.shares.of(workspaceId, organisationId);
    if (own >= OF_CALLER_MAX || !share.take(1))
      throw new Denied({ kind: 'too_many_streams', retryAfterMs: 5_000 }, new GatewayError('rate_limited'));
    parts.reply.whenOver(() => share.give(1));
    const digest = parts.state?.seenLists ?? endpoint.listsDigest;
    parts.state?.sawLists(digest);
    this.streams.add({ ...parts, binding, endsAt: Date.now() + lifetime(), digest });
    this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** Notifies clients whose lists changed; ends streams that are due or whose address is gone. */
  private look(): void {
    const now = Date.now();
    for (const stream of this.streams) {
      const endpoint = stream.reply.isOver ? null : stream.look();
      if (endpoint !== null && now < stream.endsAt) {
        this.endIfWithdrawn(stream, endpoint.caller.principal);
        if (endpoint.listsDigest !== stream.digest) notify(stream);
        stream.digest = endpoint.listsDigest;
        stream.state?.sawLists(endpoint.listsDigest);
        continue;
      }
      this.streams.delete(stream);
      end(stream);
    }
    this.rest();
  }

  /** Ends the stream of a caller who was withdrawn, within half a second or once that can be read. */
  private endIfWithdrawn(stream: Stream, caller: GatewayPrincipal): void {
    const hasEnded = this.hasEnded(caller);
    const finish = (isOver: boolean): void => {
      if (isOver && this.streams.delete(stream)) end(stream);
    };
    if (hasEnded instanceof Promise) void hasEnded.then(finish);
    else finish(hasEnded);
  }

  private rest(): void {
    if (this.streams.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

/** An hour, ten per cent more or less, so that clients do not all return at once. */
const lifetime = (): number => HOUR_MS * (0.9 + Math.random() * 0.2);

function notify({ reply, filter, id }: Stream): void {
  const params = id === null ? {} : { _meta: { [META.subscription]: id } };
  for (const kind of ['tools', 'prompts', 'resources'] as const)
    if (filter[kind]) reply.message(notificationBody(`notifications/${kind}/list_changed`, params));
}

function end({ reply, id }: Stream): void {
  if (reply.isOver) reply.leave();
  else if (id === null) reply.retire();
  else
    reply.end(JSON.stringify(resultBody(id, { resultType: 'complete', _meta: { [META.subscription]: id } })));
}
