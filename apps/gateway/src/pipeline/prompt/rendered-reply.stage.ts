import type { GatewayError } from '@gw/kernel';
import { addGatewayHeaders } from '../answer-headers';
import type { Exchange, Stage } from '../exchange';
import type { LastStage } from '../pipeline';
import { Reply, type Settle } from '../reply';

/** Bytes of a rendered prompt that the log may be given. */
const KEEP_BYTES = 1_048_576;

/** Passes over a stage for a request that asks for no more than the rendered prompt. */
export class UnlessRendered implements Stage {
  constructor(private readonly stage: Stage) {}

  run(exchange: Exchange): void | Promise<void> {
    return exchange.rendered === null ? this.stage.run(exchange) : undefined;
  }
}

/** Answers with the rendered prompt where there is one; everything else is the ordinary reply's. */
export class RenderedReply implements LastStage {
  constructor(
    private readonly settle: Settle,
    private readonly reply: LastStage,
  ) {}

  run(exchange: Exchange): void | Promise<void> {
    const { rendered } = exchange;
    if (rendered === null || exchange.clientGone) return this.reply.run(exchange);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    addGatewayHeaders(headers, exchange);
    const reply = new Reply(exchange, this.settle, null, KEEP_BYTES);
    reply.start(200, headers);
    reply.end(rendered);
    return undefined;
  }

  fail(exchange: Exchange, error: GatewayError): void {
    this.reply.fail(exchange, error);
  }
}
