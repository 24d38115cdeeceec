import { eventId, messageEvent, retryEvent } from '@gw/mcp';
import { CallReply } from '../reply/call-reply';
import type { NumberedEvent } from './events/event-store';
import type { StreamTrail } from './events/stream-trail';

/** Milliseconds after which the client of a stream that ended early should open it again. */
const RETRY_MS = 1_000;

/**
 * The response to one POST or GET of an MCP client. If it is a stream, the client may be able to
 * resume it.
 */
export class McpReply extends CallReply {
  /** Stores the messages of a stream that its client can resume; null for every other response. */
  private trail: StreamTrail | null = null;
  private sendsFirstId = false;

  /**
   * Makes the stream resumable. With `sendsFirstId`, the client receives an event id before the
   * first message.
   */
  resumable(trail: StreamTrail, primes: boolean): void {
    this.trail = trail;
    this.sendsFirstId = primes;
  }

  /** Sends an event of another stream that the client resumes. */
  replay(stream: string, { number, json }: NumberedEvent): void {
    if (number > 1 && json !== '') this.write(messageEvent(json, eventId(stream, number)));
  }

  /**
   * Sends the `endpoint` event with the path to which a client of the HTTP+SSE transport posts its
   * messages.
   */
  endpoint(path: string): void {
    this.startStream();
    this.write(`event: endpoint\ndata: ${path}\n\n`);
  }

  /** Bytes that were sent and that the client has not read yet. */
  get unread(): number {
    return this.context.res.writableLength;
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Ends a stream and makes its client open it again, possibly at another gateway. */
  retire(): void {
    this.startStream();
    this.write(retryEvent(RETRY_MS));
    this.close();
  }

  /** Closes the connection, because one of the responses that share it cannot be written. */
  abort(): void {
    this.cut();
  }

  /** Ends the response to a request that its client cancelled, without a result. */
  cancelled(): void {
    if (this.hasEnded) {
      this.leave();
      return;
    }
    if (this.isStream) this.abandoned();
    this.context.reply.clientLeft();
    this.close();
  }

  /** Stores a message for a client that resumes the stream. */
  protected override idOf(json: string | Buffer, isLast: boolean): string | null {
    const { trail } = this;
    if (trail === null || !this.isStream || this.context.settled) return null;
    if (!isLast) return trail.add(json.toString());
    this.trail = null;
    return trail.finish(json.toString());
  }

  /** Sends the client the first event id, from which it can resume. */
  protected override streamBegan(): void {
    if (this.trail === null || this.trail.hasBegun) return;
    const id = this.trail.begin();
    if (this.sendsFirstId) this.write(`id: ${id}\nretry: ${String(RETRY_MS)}\ndata: \n\n`);
  }

  protected override abandoned(): void {
    this.trail?.abandon();
  }
}
