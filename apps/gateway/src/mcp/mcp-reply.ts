import { eventId, messageEvent, retryEvent } from '@gw/mcp';
import { CallReply } from '../reply/call-reply';
import type { NumberedEvent } from './events/event-store';
import type { StreamTrail } from './events/stream-trail';

/** After so long, the client of a stream that ended early opens it again. */
const RETRY_MS = 1_000;

/** The response to one POST or GET of an MCP client, whose stream the client can perhaps resume. */
export class McpReply extends CallReply {
  /** Keeps the messages of a stream that its client can resume; null for every other response. */
  private trail: StreamTrail | null = null;
  private primes = false;

  /** Makes a stream one that the client can resume. `primes`: the client gets an id before the first message. */
  resumable(trail: StreamTrail, primes: boolean): void {
    this.trail = trail;
    this.primes = primes;
  }

  /** Sends an event of another stream that the client resumes. */
  replay(stream: string, { number, json }: NumberedEvent): void {
    if (number > 1 && json !== '') this.write(messageEvent(json, eventId(stream, number)));
  }

  /** Tells a client of the transport HTTP+SSE where it sends its messages. */
  endpoint(path: string): void {
    this.startStream();
    this.write(`event: endpoint\ndata: ${path}\n\n`);
  }

  /** Bytes that the client has not read. */
  get unread(): number {
    return this.context.res.writableLength;
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Ends a stream that its client opens again, perhaps at another gateway. */
  retire(): void {
    this.startStream();
    this.write(retryEvent(RETRY_MS));
    this.close();
  }

  /** The client cancelled its request, which gets no result. */
  cancelled(): void {
    if (this.isOver) {
      this.leave();
      return;
    }
    if (this.isStream) this.abandoned();
    this.context.reply.clientLeft();
    this.close();
  }

  /** Keeps a message for a client that resumes. */
  protected override idOf(json: string | Buffer, isLast: boolean): string | null {
    const { trail } = this;
    if (trail === null || !this.isStream || this.context.settled) return null;
    if (!isLast) return trail.add(json.toString());
    this.trail = null;
    return trail.finish(json.toString());
  }

  /** Gives the client an id from which on it can resume. */
  protected override begun(): void {
    if (this.trail === null || this.trail.hasBegun) return;
    const id = this.trail.begin();
    if (this.primes) this.write(`id: ${id}\nretry: ${String(RETRY_MS)}\ndata: \n\n`);
  }

  protected override abandoned(): void {
    this.trail?.abandon();
  }
}
