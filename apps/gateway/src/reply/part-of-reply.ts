import type { GatewayError } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
import type { Settle } from './reply';
import type { ReplyWriter } from './request-reply';

/**
 * One of several responses that a client receives in one HTTP response. It has its own log record;
 * the owner of the HTTP response sends its bytes.
 */
export class PartOfReply implements ReplyWriter {
  readonly kept: Buffer[] = [];
  keptBytes = 0;
  truncated = false;

  constructor(
    private readonly context: RequestContext,
    private readonly settle: Settle,
    private readonly keepBytes: number,
  ) {
    context.reply.writer = this;
  }

  /**
   * Settles the part. Calls `onDurable` when its log record is durable; the bytes may be sent from
   * then on.
   */
  end(status: number, bytes: Buffer, onDurable: () => void): void {
    this.context.reply.status = status;
    this.context.reply.sent(bytes.length);
    this.truncated = bytes.length > this.keepBytes;
    if (!this.truncated) {
      this.kept.push(bytes);
      this.keptBytes = bytes.length;
    }
    this.settle(this.context, onDurable);
  }

  withdraw(): boolean {
    return false;
  }

  replaceBy(error: GatewayError): () => void {
    this.context.reply.brokenBy(error);
    return () => this.context.res.destroy();
  }

  /** Breaks the connection, which also ends the other parts. */
  break(): void {
    this.settle(this.context, () => this.context.res.destroy());
  }
}
