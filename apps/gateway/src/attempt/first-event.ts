import { OutboundError } from '@gw/outbound';
import type { StreamTap } from '@gw/providers';
import { isFramed, isPlainEvents, type GatewayResponse } from './gateway-response';
import { type BodySink } from '../core/upstream';

export interface StreamListener {
  /**
   * The plan can now decide about the response: its first event, or the whole of a plain response,
   * has arrived and is kept for the next sink, or `HELD_BYTES_MAX` was exceeded.
   */
  decidable(response: GatewayResponse): void;
  /** The response broke off, began with an error event, or failed validation. */
  failed(response: GatewayResponse, error: OutboundError): void;
}

/** Maximum bytes kept while waiting for the first event. */
const HELD_BYTES_MAX = 65_536;
/** An end of a line, and the first character of a field after it. */
const FIELD = /[\r\n][^:\r\n]/;
const BLANK_LINE = /\n\r?\n|\r\r/;

/**
 * Waits for the first event of an event stream, which shows that the provider has begun to respond.
 * Until then no byte reaches the client, so another attempt can replace the stream. An encoded
 * stream counts as begun with its first byte.
 */
export class FirstEvent implements BodySink {
  private readonly held: Buffer[] = [];
  private heldBytes = 0;
  private hasField = false;
  /** The last bytes, in which an end of a line may have begun. A stream begins as a line does. */
  private seam = '\n';
  private readonly tap: StreamTap | null;
  private isDone = false;

  constructor(
    private readonly response: GatewayResponse,
    private readonly listener: StreamListener,
  ) {
    this.tap = isPlainEvents(response) ? response.upstream.provider.tap() : null;
  }

  data(chunk: Buffer): void {
    if (this.isDone) {
      // Pieces kept before this sink was attached still arrive here; pass them on to the next sink.
      this.response.onData(chunk);
      return;
    }
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    this.tap?.write(chunk);
    if (this.tap?.failed === true) {
      this.fail(new OutboundError('interrupted', 'The stream began with an error.'));
      this.response.call?.abort();
    } else if (this.heldBytes > HELD_BYTES_MAX || this.hasEvent(chunk)) this.begin();
  }

  end(): void {
    // Some providers omit the blank line after their last event.
    if (this.hasField) this.begin();
    else this.fail(new OutboundError('interrupted', 'The stream ended before its first event.'));
  }

  fail(error: OutboundError): void {
    if (this.isDone) return;
    this.isDone = true;
    this.listener.failed(this.response, error);
  }

  private begin(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.response.detach(this.held);
    this.listener.decidable(this.response);
  }

  private hasEvent(chunk: Buffer): boolean {
    if (this.tap === null || isFramed(this.response)) return true;
    let text = this.seam + chunk.toString('latin1');
    if (!this.hasField) {
      const field = text.search(FIELD);
      this.seam = text.slice(-1);
      if (field < 0) return false;
      this.hasField = true;
      text = text.slice(field + 1);
    }
    this.seam = text.slice(-SEAM);
    return BLANK_LINE.test(text);
  }
}

/** Bytes of the longest blank line, without its last byte. */
const SEAM = 2;
