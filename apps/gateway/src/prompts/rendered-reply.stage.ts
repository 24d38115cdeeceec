import { addGatewayHeaders } from '../reply/response-headers';
import type { RequestContext, Stage } from '../core/request-context';
import { Reply, type Settle } from '../reply/reply';

/** Bytes of a rendered prompt that are kept for the log. */
const KEEP_BYTES = 1_048_576;

/** Responds with the rendered prompt if the request is for that only. */
export class RenderedReply implements Stage {
  constructor(private readonly settle: Settle) {}

  run(context: RequestContext): void {
    const rendered = context.prompt === null ? null : context.prompt.rendered;
    if (rendered === null || context.clientGone) return;
    const headers = ['content-type', 'application/json; charset=utf-8'];
    addGatewayHeaders(headers, context);
    const reply = new Reply(context, this.settle, null, KEEP_BYTES);
    reply.start(200, headers);
    reply.end(rendered);
  }
}
