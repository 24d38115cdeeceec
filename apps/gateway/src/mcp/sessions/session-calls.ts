import { MINUTE_MS } from '@gw/kernel';
import type { SessionFacts } from '@gw/mcp';
import type { CallEnding } from '@gw/mcp-client';
import { KEEP_MS, type EventStore } from '../events/event-store';
import type { RunningStreams } from '../events/running-streams';
import { callStream, StreamTrail } from '../events/stream-trail';
import type { EndpointRequest } from '../mcp-request';
import { RunningCalls } from './running-calls';
import type { ReplicaLink } from '../replicas/replica-link';
import { understandsFirstId } from './session-streams';

/**
 * Milliseconds for which a call continues after its client has disconnected: in sessions, a
 * disconnect does not cancel a call.
 */
const ABANDONED_MS = MINUTE_MS;
/** Milliseconds between two renewals of the stored events of running calls. */
const KEEP_EVERY_MS = KEEP_MS / 3;

export interface SessionCallParts {
  readonly link: ReplicaLink;
  readonly events: EventStore;
  readonly streams: RunningStreams;
}

/** A call of a client with a session. */
export interface SessionCall {
  /** Records that the client has disconnected; it may resume the stream of the call. */
  clientLeft(): void;
  /** Records that the call has ended. */
  end(): void;
}

/**
 * Calls of clients with sessions. Clients can cancel them and resume their streams at any gateway.
 */
export class SessionCalls {
  private readonly running: RunningCalls;
  /** Trails of the running calls, whose events are kept while a call is silent. */
  private readonly trails = new Set<StreamTrail>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: SessionCallParts) {
    this.running = new RunningCalls(parts.link);
  }

  /** Begins a call. The caller must call `end` when the call has ended. */
  begin(
    { message, endpoint, reply }: EndpointRequest,
    session: SessionFacts,
    abort: CallEnding,
  ): SessionCall {
    const { events, streams, link } = this.parts;
    const stream = callStream(link.id);
    const name = { principal: endpoint.caller.binding, session: session.nonce, stream };
    const trail = new StreamTrail(events, name, message);
    reply.resumable(trail, understandsFirstId(session));
    this.trails.add(trail);
    this.timer ??= setInterval(() => this.keepTrails(), KEEP_EVERY_MS).unref();
    const forget = this.running.add(session, message.id, abort);
    streams.add(stream);
    let timer: NodeJS.Timeout | null = null;
    let hasEnded = false;
    const clientLeft = (): void => {
      if (hasEnded) return;
      timer = setTimeout(
        () => (streams.isFollowed(stream) ? clientLeft() : abort.abort()),
        ABANDONED_MS,
      ).unref();
    };
    return {
      clientLeft,
      end: () => {
        hasEnded = true;
        if (timer !== null) clearTimeout(timer);
        this.trails.delete(trail);
        streams.delete(stream);
        forget();
      },
    };
  }

  private keepTrails(): void {
    for (const trail of this.trails) trail.keep();
    if (this.trails.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  /** Cancels a call. An unknown id has no effect. */
  cancel(session: SessionFacts, requestId: unknown): void {
    this.running.cancel(session, requestId);
  }
}
