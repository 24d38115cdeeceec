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

/**
 * Maximum number of streams of one caller; in `PROCESS_STREAMS_MAX`, of this process, which
 * workspaces share.
 */
const CALLER_STREAMS_MAX = 20;
const PROCESS_STREAMS_MAX = 5_000;
const SUBSCRIPTIONS_MAX = 100;
/** Maximum URIs of a request that are looked up, because each is compared with all templates. */
const WANTED_MAX = 1_000;
const CHECK_EVERY_MS = 500;
/**
 * Milliseconds in which a changed document reaches the gateway after the control plane has read a
 * server.
 */
const CHECK_SOON_MS = 50;

/** The list changes that a client subscribed to. */
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
  /** Returns the caller's current view of the address; null when the address no longer exists. */
  readonly current: () => Endpoint | null;
  /**
   * Stores the lists that the client was notified of, for its next stream; null when they are not
   * stored.
   */
  readonly state: SessionState | null;
  digest: string;
}

/**
 * Streams on which clients are notified of changed lists: the GET stream of a legacy session, and
 * `subscriptions/listen`. Each ends after about an hour; clients then open it again.
 */
export class ClientStreams {
  private readonly streams = new Set<Stream>();
  private readonly shares = new Shares(PROCESS_STREAMS_MAX);
  private timer: NodeJS.Timeout | null = null;
  private soon: NodeJS.Timeout | null = null;
  private isClosed = false;

  /** `hasEnded` returns whether a caller's key or user was withdrawn. */
  constructor(private readonly hasEnded: (caller: GatewayPrincipal) => boolean | Promise<boolean>) {}

  get size(): number {
    return this.streams.size;
  }

  /**
   * Opens the GET stream of a session. The client is soon notified of changes since its previous
   * stream. Throws a denial with status 429 when the caller or the process has too many streams.
   */
  open(endpoint: Endpoint, reply: McpReply, current: Stream['current'], state: SessionState): void {
    this.add({ endpoint, reply, current, filter: EVERYTHING, id: null, state });
    reply.startStream();
    this.endIfClosed();
  }

  /** Counts the GET stream on which a client resumes a call. Throws as `open` does. */
  resume(endpoint: Endpoint, reply: McpReply, current: Stream['current']): void {
    this.add({ endpoint, reply, current, filter: NOTHING, id: null, state: null });
    this.endIfClosed();
  }

  /**
   * Opens the stream of a `subscriptions/listen` and acknowledges the granted subscriptions.
   * Returns the URIs of granted resources. Throws as `open` does.
   */
  listen(
    endpoint: Endpoint,
    reply: McpReply,
    current: Stream['current'],
    request: { readonly id: RequestId; readonly params: JsonObject },
  ): readonly string[] {
    const wanted = ownObject(request.params, 'notifications');
    const filter = {
      tools: own(wanted, 'toolsListChanged') === true,
      prompts: own(wanted, 'promptsListChanged') === true,
      resources: own(wanted, 'resourcesListChanged') === true,
    };
    this.add({ endpoint, reply, current, filter, id: request.id, state: null });
    const uris = subscribedTo(endpoint, ownList(wanted, 'resourceSubscriptions'));
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

  /**
   * Checks the streams earlier than at the next interval, because a document has probably changed.
   */
  checkSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = null;
      this.check();
    }, CHECK_SOON_MS).unref();
  }

  /**
   * Ends all streams, and later ones as soon as they are opened; clients open them again at another
   * gateway.
   */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) end(stream);
    this.streams.clear();
    this.stopTimer();
  }

  private endIfClosed(): void {
    if (this.isClosed) this.close();
  }

  private add({
    endpoint,
    ...parts
  }: Pick<Stream, 'reply' | 'current' | 'filter' | 'id' | 'state'> & { endpoint: Endpoint }): void {
    const { binding, principal } = endpoint.caller;
    const { id: workspaceId, organisationId } = principal.workspace;
    const opened = [...this.streams].filter((each) => each.binding === binding).length;
    const share = this.shares.of(workspaceId, organisationId);
    if (opened >= CALLER_STREAMS_MAX || !share.take(1))
      throw new Denied({ kind: 'too_many_streams', retryAfterMs: 5_000 }, new GatewayError('rate_limited'));
    parts.reply.onceEnded(() => share.give(1));
    const digest = parts.state?.seenLists ?? endpoint.listsDigest;
    parts.state?.storeSeenLists(digest);
    this.streams.add({ ...parts, binding, endsAt: Date.now() + lifetime(), digest });
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  }

  /**
   * Notifies clients whose lists changed, and ends streams that have expired, and those whose
   * session has ended or whose address no longer exists.
   */
  private check(): void {
    const now = Date.now();
    for (const stream of this.streams) stream.reply.guard(() => this.checkStream(stream, now));
    this.stopTimer();
  }

  private checkStream(stream: Stream, now: number): void | Promise<void> {
    const isOver = stream.reply.hasEnded || stream.state?.isEnded === true;
    const endpoint = isOver ? null : stream.current();
    if (endpoint === null || now >= stream.endsAt) {
      this.streams.delete(stream);
      end(stream);
      return;
    }
    const ending = this.endIfWithdrawn(stream, endpoint.caller.principal);
    if (endpoint.listsDigest !== stream.digest) notify(stream);
    stream.digest = endpoint.listsDigest;
    stream.state?.storeSeenLists(endpoint.listsDigest);
    return ending;
  }

  /** Ends the stream of a caller that was withdrawn. */
  private endIfWithdrawn(stream: Stream, caller: GatewayPrincipal): void | Promise<void> {
    const hasEnded = this.hasEnded(caller);
    const finish = (isOver: boolean): void => {
      if (isOver && this.streams.delete(stream)) end(stream);
    };
    return hasEnded instanceof Promise ? hasEnded.then(finish) : finish(hasEnded);
  }

  private stopTimer(): void {
    if (this.streams.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

/** Returns the first wanted resources that the caller may read, at most `SUBSCRIPTIONS_MAX`. */
function subscribedTo(endpoint: Endpoint, wanted: readonly unknown[]): readonly string[] {
  const uris = new Set(wanted.slice(0, WANTED_MAX).filter((uri) => typeof uri === 'string'));
  return [...uris].filter((uri) => endpoint.resourceOf(uri) !== undefined).slice(0, SUBSCRIPTIONS_MAX);
}

/**
 * Returns the lifetime of a stream in milliseconds: an hour plus or minus ten per cent, so that
 * clients do not all reconnect at the same time.
 */
const lifetime = (): number => HOUR_MS * (0.9 + Math.random() * 0.2);

function notify({ reply, filter, id }: Stream): void {
  const params = id === null ? {} : { _meta: { [META.subscription]: id } };
  for (const kind of ['tools', 'prompts', 'resources'] as const)
    if (filter[kind]) reply.message(notificationBody(`notifications/${kind}/list_changed`, params));
}

function end({ reply, id }: Stream): void {
  if (reply.hasEnded) reply.leave();
  else if (id === null) reply.retire();
  else
    reply.end(JSON.stringify(resultBody(id, { resultType: 'complete', _meta: { [META.subscription]: id } })));
}
