import { MINUTE_MS } from '@gw/kernel';
import type { SessionFacts } from '@gw/mcp';
import type { CallEnding } from '@gw/mcp-client';
import type { EventStore } from '../events/event-store';
import type { RunningStreams } from '../events/running-streams';
import { callStream, StreamTrail } from '../events/stream-trail';
import type { EndpointRequest } from '../mcp-request';
import { RunningCalls } from './running-calls';
import type { ReplicaLink } from '../replicas/replica-link';
import { isPrimed } from './session-streams';

/** How long the call of a client that left goes on: clients with sessions do not cancel by leaving. */
const LEFT_MS = MINUTE_MS;

export interface SessionCallParts {
  readonly link: ReplicaLink;
  readonly events: EventStore;
  readonly streams: RunningStreams;
}

/** A call of a client with a session. */
export interface SessionCall {
  /** The client left, and may resume the stream of the call. */
  left(): void;
  /** The call has ended. */
  over(): void;
}

/** Calls of clients with sessions: they can be cancelled and their streams resumed, at any gateway. */
export class SessionCalls {
  private readonly running: RunningCalls;

  constructor(private readonly parts: SessionCallParts) {
    this.running = new RunningCalls(parts.link);
  }

  /** Must be followed by `over` when the call has ended. */
  begin(
    { message, endpoint, reply }: EndpointRequest,
    session: SessionFacts,
    abort: CallEnding,
  ): SessionCall {
    const { events, streams, link } = this.parts;
    const stream = callStream(link.id);
    const name = { principal: endpoint.caller.binding, session: session.nonce, stream };
    reply.resumable(new StreamTrail(events, name, message), isPrimed(session));
    const forget = this.running.add(session, message.id, abort);
    streams.add(stream);
    let timer: NodeJS.Timeout | null = null;
    const left = (): void => {
      timer = setTimeout(() => (streams.isFollowed(stream) ? left() : abort.abort()), LEFT_MS).unref();
    };
    return {
      left,
      over: () => {
        if (timer !== null) clearTimeout(timer);
        streams.delete(stream);
        forget();
      },
    };
  }

  /** Cancels a call; an unknown id changes nothing. */
  cancel(session: SessionFacts, requestId: unknown): void {
    this.running.cancel(session, requestId);
  }
}
