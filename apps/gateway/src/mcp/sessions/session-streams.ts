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

/** A GET of a session. */
export interface StreamRequest {
  readonly endpoint: Endpoint;
  readonly session: SessionFacts;
  readonly state: SessionState;
  readonly name: SessionName;
  readonly reply: McpReply;
  /** The header `Last-Event-ID`; null without it. */
  readonly lastEventId: string | null;
}

/** The last event that a client got. */
interface Place {
  readonly stream: string;
  readonly number: number;
}

/** An earlier stream that goes on: what its client missed, and the number of its last event. */
interface Before extends Place {
  readonly events: readonly NumberedEvent[];
}

/** Clients of this revision on understand events without a message (MCP 2025-11-25, resumability). */
const PRIMES_SINCE = '2025-11-25';
export const isPrimed = ({ revision }: SessionFacts): boolean => revision >= PRIMES_SINCE;

/** GET streams of sessions: one for what belongs to no call, and those on which clients resume calls. */
export class SessionStreams {
  constructor(private readonly parts: SessionStreamParts) {}

  /** Opens or resumes a stream. Throws `McpFault`, and a denial with status 429 at the bounds of streams. */
  async open(request: StreamRequest): Promise<void> {
    const last = request.lastEventId === null ? null : readEventId(request.lastEventId);
    if (last !== null && replicaOfStream(last.stream) !== null) await this.resumeCall(request, last);
    else await this.openOfSession(request, last);
  }

  private async resumeCall({ endpoint, name, reply }: StreamRequest, last: Place): Promise<void> {
    const { resumed, streams, endpoints } = this.parts;
    const stream = { ...name, stream: last.stream };
    // A new stream in its place would wait for a response that nothing sends.
    if (!(await resumed.has(stream, last.number))) throw callOver();
    if (reply.isOver) return;
    streams.resume(endpoint, reply, () => endpoints.now(endpoint));
    if (reply.isOver) return;
    resumed.follow(stream, last.number, reply);
  }

  private async openOfSession(request: StreamRequest, last: Place | null): Promise<void> {
    const { endpoint, session, state, name, reply, lastEventId } = request;
    const { leases, streams, watches, lists, endpoints } = this.parts;
    const lost = (): void => reply.retire();
    if (!(await leases.take(name, lastEventId !== null, lost))) throw streamTaken();
    const before = await this.before(name, last);
    if (reply.isOver) {
      leases.release(name, lost);
      return;
    }
    reply.whenOver(() => leases.release(name, lost));
    this.trail(request, before);
    const now = (): Endpoint | null => endpoints.now(endpoint);
    streams.open(endpoint, reply, now, state);
    for (const event of before?.events ?? []) reply.replay(before?.stream ?? '', event);
    if (lastEventId !== null && before === null) reply.comment('the stream starts anew');
    watches.ofSession({ now, session, reply, state });
    void lists.during(endpoint, reply, now);
  }

  /** Events of an earlier stream that the client missed; null when there is no such stream. */
  private async before(name: SessionName, last: Place | null): Promise<Before | null> {
    if (last === null) return null;
    const { stream, number } = last;
    const found = await this.parts.events.read({ ...name, stream }, number);
    if (found === null) return null;
    return { stream, events: found.events, number: found.events.at(-1)?.number ?? number };
  }

  /** Numbers and keeps what the stream sends, behind what an earlier one sent. */
  private trail({ name, session, reply }: StreamRequest, before: Before | null): void {
    const stream = { ...name, stream: before?.stream ?? sessionStream() };
    const trail = new StreamTrail(this.parts.events, stream, null, before?.number ?? 0);
    reply.resumable(trail, isPrimed(session));
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
