import type { GatewayError } from '@gw/kernel';
import { addGatewayHeaders } from '../answer-headers';
import type { RequestContext, Stage } from '../request-context';
import type { LastStage } from '../pipeline';
import { Reply, type Settle } from '../reply';

/** Bytes of a rendered prompt that the log may be given. */
const KEEP_BYTES = 1_048_576;

/** Passes over a stage for a request that asks for no more than the rendered prompt. */
export class UnlessRendered implements Stage {
  constructor(private readonly stage: Stage) {}

  run(context: RequestContext): void | Promise<void> {
    return context.rendered === null ? this.stage.run(context) : undefined;
  }
}

/** Answers with the rendered prompt where there is one; everything else is the ordinary reply's. */
export class RenderedReply implements LastStage {
  constructor(
    private readonly settle: Settle,
    private readonly reply: LastStage,
  ) {}

  run(context: RequestContext): void | Promise<void> {
    const { rendered } = context;
    if (rendered === null || context.clientGone) return this.reply.run(context);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    addGatewayHeaders(headers, context);
    const reply = new Reply(context, this.settle, null, KEEP_BYTES);
    reply.start(200, headers);
    reply.end(rendered);
    return undefined;
  }

  fail(context: RequestContext, error: GatewayError): void {
    this.reply.fail(context, error);
  }
}
