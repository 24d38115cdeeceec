import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { BodySink } from '../answer';
import type { Exchange } from '../exchange';

/** Collects a body that has to be read before it can be answered. Past the cap the call is cancelled. */
export class WholeBodySink implements BodySink {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private over = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly maxBytes: number,
    /** Null: the body did not arrive whole. */
    private readonly done: (body: Buffer | null, failure: GatewayError | null) => void,
  ) {}

  data(chunk: Buffer): void {
    if (this.over) return;
    this.size += chunk.length;
    if (this.size <= this.maxBytes) {
      this.chunks.push(chunk);
      return;
    }
    this.over = true;
    this.exchange.answer?.call?.abort();
    this.done(
      null,
      new GatewayError('provider_answer_invalid', { message: 'The answer is too large to be translated.' }),
    );
  }

  end(): void {
    if (!this.over) this.done(Buffer.concat(this.chunks, this.size), null);
  }

  fail(error: OutboundError): void {
    if (this.over) return;
    this.over = true;
    this.done(
      null,
      new GatewayError(error.failure === 'timeout' ? 'provider_timeout' : 'stream_interrupted', {
        cause: error,
      }),
    );
  }
}
