import { OutboundError } from '@gw/outbound';
import type { StreamTap } from '@gw/providers';
import { isPlainEvents, type GatewayResponse } from './gateway-response';
import { type BodySink } from '../core/upstream';
import { FIELD } from './stream-pace';

export interface StreamListener {
  /**
   * The answer can be decided about: the first event is there, or all of a plain answer, and kept for the next sink; or it is too odd
   * to be waited for any longer.
   */
  streams(answer: GatewayResponse): void;
  /** The answer broke before that, said that it failed before it said anything else, or is no valid one. */
  broke(answer: GatewayResponse, error: OutboundError): void;
}

/** More than this is never kept, whatever it is. */
const HELD_BYTES_MAX = 65_536;
const BLANK_LINE = /\n\r?\n|\r\r/;

/**
 * Waits for the first event of an event stream: only then has the provider begun to answer, and until then nothing of it was
 * handed on, so that another one can answer in its place. An encoded stream counts as begun with its first byte.
 */
export class FirstEvent implements BodySink {
  private readonly held: Buffer[] = [];
  private heldBytes = 0;
  private text = '';
  private readonly tap: StreamTap | null;
  private over = false;

  constructor(
    private readonly answer: GatewayResponse,
    private readonly listener: StreamListener,
  ) {
    this.tap = isPlainEvents(answer) ? answer.upstream.provider.tap() : null;
  }

  data(chunk: Buffer): void {
    if (this.over) {
      // What was kept before this sink was attached still comes through it.
      this.answer.onData(chunk);
      return;
    }
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    this.tap?.write(chunk);
    if (this.tap?.failed === true) {
      this.fail(new OutboundError('interrupted', 'The stream began with an error.'));
      this.answer.call?.abort();
    } else if (this.heldBytes > HELD_BYTES_MAX || this.hasEvent(chunk)) this.begin();
  }

  end(): void {
    // Some providers leave out the blank line after their last event.
    if (this.heldBytes > 0 && FIELD.test(this.text)) this.begin();
    else this.fail(new OutboundError('interrupted', 'The stream ended before its first event.'));
  }

  fail(error: OutboundError): void {
    if (this.over) return;
    this.over = true;
    this.listener.broke(this.answer, error);
  }

  private begin(): void {
    if (this.over) return;
    this.over = true;
    this.answer.detach(this.held);
    this.listener.streams(this.answer);
  }

  private hasEvent(chunk: Buffer): boolean {
    if (this.tap === null) return true;
    this.text += chunk.toString('latin1');
    const field = this.text.search(FIELD);
    return field >= 0 && BLANK_LINE.test(this.text.slice(field + 1));
  }
}
