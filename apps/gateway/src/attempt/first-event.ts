import { OutboundError } from '@gw/outbound';
import type { StreamTap } from '@gw/providers';
import { isFramed, isPlainEvents, type GatewayResponse } from './gateway-response';
import { type BodySink } from '../core/upstream';
import { FIELD } from './stream-pace';

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
const BLANK_LINE = /\n\r?\n|\r\r/;

/**
 * Waits for the first event of an event stream, which shows that the provider has begun to respond.
 * Until then no byte reaches the client, so another attempt can replace the stream. An encoded
 * stream counts as begun with its first byte.
 */
export class FirstEvent implements BodySink {
  private readonly held: Buffer[] = [];
  private heldBytes = 0;
  private text = '';
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
    if (this.heldBytes > 0 && FIELD.test(this.text)) this.begin();
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
    this.text += chunk.toString('latin1');
    const field = this.text.search(FIELD);
    return field >= 0 && BLANK_LINE.test(this.text.slice(field + 1));
  }
}
