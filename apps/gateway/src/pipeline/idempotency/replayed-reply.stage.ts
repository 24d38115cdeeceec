import { Buffer } from 'node:buffer';
import { replayAnswer, type StoredAnswer } from '@gw/cache';
import type { GatewayError } from '@gw/kernel';
import { addGatewayHeaders } from '../answer-headers';
import type { Exchange } from '../exchange';
import type { LastStage } from '../pipeline';
import { Reply, type Settle } from '../reply';

/** Bytes of a replayed answer that the log may be given. */
const KEEP_BYTES = 1_048_576;
const REPLAYED = 'idempotent-replayed';

/** Replays the first answer under an `Idempotency-Key` where there is one; everything else is the ordinary reply's. */
export class ReplayedReply implements LastStage {
  constructor(
    private readonly settle: Settle,
    private readonly reply: LastStage,
  ) {}

  run(exchange: Exchange): void | Promise<void> {
    const { replayed } = exchange;
    if (replayed === null || exchange.clientGone) return this.reply.run(exchange);
    this.replay(exchange, replayed);
    return undefined;
  }

  fail(exchange: Exchange, error: GatewayError): void {
    this.reply.fail(exchange, error);
  }

  private replay(exchange: Exchange, stored: StoredAnswer): void {
    exchange.streamed = stored.streamed;
    if (stored.status >= 400) exchange.outcome = 'provider_error';
    let last: Buffer | null = null;
    const call = replayAnswer(stored, {
      onHeaders: (status, described) => {
        const headers = [...described, REPLAYED, 'true'];
        addGatewayHeaders(headers, exchange);
        reply.start(status, headers);
      },
      onData: (chunk) => {
        // The last piece completes the answer, so it waits for the record.
        if (last !== null) reply.write(last);
        last = chunk;
      },
      onEnd: () => {
        reply.end(last);
      },
      onError: () => {
        exchange.outcome = 'client_closed';
        this.settle(exchange, () => undefined);
      },
    });
    const reply: Reply = new Reply(exchange, this.settle, call, KEEP_BYTES);
    exchange.whenClientGone({
      clientGone: () => {
        call.abort();
      },
    });
  }
}
