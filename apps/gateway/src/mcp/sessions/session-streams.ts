import { CODES, McpFault, readEventId, type SessionFacts } from '@gw/mcp';
import type { McpReply } from '../mcp-reply';
import type { ClientStreams } from '../client-streams';
import type { EventStore, NumberedEvent } from '../events/event-store';
import type { ResumedCalls } from '../events/resumed-calls';
import { replicaOfStream, sessionStream, StreamTrail } from '../events/stream-trail';
import type { Endpoint } from '../endpoint';
import type { Endpoints } from '../endpoints';
import type { ListWatches } from '../list-watches/list-watches';
import type { ResourceWatches } from '../resource-watches/resource-watches';
import type { SessionState } from './session-states';
import type { SessionName } from './session-store';
import type { StreamLeases } from './stream-leases';

export interface SessionStreamParts {
  readonly events: EventStore;
  readonly leases: StreamLeases;
  readonly resumed: ResumedCalls;
  readonly streams: ClientStreams;
  readonly watches: ResourceWatches;
  readonly lists: ListWatches;
  readonly endpoints: Endpoints;
}

/** A GET request of a session. */
export interface StreamRequest {
  readonly endpoint: Endpoint;
  readonly session: SessionFacts;
  readonly state: SessionState;
  readonly name: SessionName;
  readonly reply: McpReply;
  /** The header `Last-Event-ID`; null when it was not sent. */
  readonly lastEventId: string | null;
}

/** The last event that a client received. */
interface Place {
  readonly stream: string;
  readonly number: number;
}

/**
 * An earlier stream that the client continues: the events that it missed, and the number of the
 * last one.
 */
interface EarlierStream extends Place {
  readonly events: readonly NumberedEvent[];
}

/**
 * First revision whose clients understand an event that has an id and no message (MCP 2025-11-25,
 * resumability).
 */
const FIRST_ID_SINCE = '2025-11-25';
export const understandsFirstId = ({ revision }: SessionFacts): boolean => revision >= FIRST_ID_SINCE;

/**
 * The GET streams of sessions: one for messages that belong to no call, and those on which clients
 * resume calls.
 */
export class SessionStreams {
  constructor(private readonly parts: SessionStreamParts) {}

  /**
   * Opens or resumes a stream. Rejects with `McpFault`, or with a denial with status 429 when there
   * are too many streams.
   */
  async open(request: StreamRequest): Promise<void> {
    const last = request.lastEventId === null ? null : readEventId(request.lastEventId);
    if (last !== null && replicaOfStream(last.stream) !== null) await this.resumeCall(request, last);
    else await this.openSessionStream(request, last);
  }

  private async resumeCall({ endpoint, name, reply }: StreamRequest, last: Place): Promise<void> {
    const { resumed, streams, endpoints } = this.parts;
    const stream = { ...name, stream: last.stream };
    // A new stream instead would wait for a response that is never sent.
    if (!(await resumed.has(stream, last.number))) throw callOver();
    if (reply.hasEnded) return;
    streams.resume(endpoint, reply, () => endpoints.current(endpoint));
    if (reply.hasEnded) return;
    resumed.follow(stream, last.number, reply);
  }

  private async openSessionStream(request: StreamRequest, last: Place | null): Promise<void> {
    const { endpoint, session, state, name, reply, lastEventId } = request;
    const { leases, streams, watches, lists, endpoints } = this.parts;
    const lost = (): void => reply.retire();
    if (!(await leases.take(name, lastEventId !== null, lost))) throw streamTaken();
    const before = await this.earlierStream(name, last);
    if (reply.hasEnded) {
      leases.release(name, lost);
      return;
    }
    reply.onceEnded(() => leases.release(name, lost));
    this.trail(request, before);
    const current = (): Endpoint | null => endpoints.current(endpoint);
    streams.open(endpoint, reply, current, state);
    for (const event of before?.events ?? []) reply.replay(before?.stream ?? '', event);
    if (lastEventId !== null && before === null) reply.comment('the stream starts anew');
    watches.ofSession({ current, session, reply, state });
    reply.guard(() => lists.watchDuring(endpoint, reply, current));
  }

  /**
   * Returns the earlier stream with the events that the client missed; null when there is no such
   * stream.
   */
  private async earlierStream(name: SessionName, last: Place | null): Promise<EarlierStream | null> {
    if (last === null) return null;
    const { stream, number } = last;
    const found = await this.parts.events.read({ ...name, stream }, number);
    if (found === null) return null;
    return { stream, events: found.events, number: found.events.at(-1)?.number ?? number };
  }

  /** Makes the stream resumable. Its events are numbered after those of the earlier stream. */
  private trail({ name, session, reply }: StreamRequest, before: EarlierStream | null): void {
    const stream = { ...name, stream: before?.stream ?? sessionStream() };
    const trail = new StreamTrail(this.parts.events, stream, null, before?.number ?? 0);
    reply.resumable(trail, understandsFirstId(session));
  }
}

const callOver = (): McpFault =>
  new McpFault(CODES.invalidRequest, 'The call of this stream is over; send the request again.', {
    status: 400,
  });

const streamTaken = (): McpFault =>
  new McpFault(
    CODES.invalidRequest,
    'The session has a stream already; end it first, or resume it with Last-Event-ID.',
    { status: 409 },
  );
