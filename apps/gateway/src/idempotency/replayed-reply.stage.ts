import { Buffer } from 'node:buffer';
import { replayResponse, type CachedResponse } from '@gw/cache';
import { protectFromBrowsers } from '../http/header-rules';
import { addGatewayHeaders } from '../reply/response-headers';
import type { RequestContext, Stage } from '../core/request-context';
import { Reply, type Settle } from '../reply/reply';

/** Bytes of a replayed response that are kept for the log. */
const KEEP_BYTES = 1_048_576;
const REPLAYED = 'idempotent-replayed';

/** Sends the stored first response of an `Idempotency-Key`, if there is one. */
export class ReplayedReply implements Stage {
  constructor(private readonly settle: Settle) {}

  run(context: RequestContext): void {
    const replayed = context.idempotency === null ? null : context.idempotency.replayed;
    if (replayed !== null && !context.clientGone) this.replay(context, replayed);
  }

  private replay(context: RequestContext, stored: CachedResponse): void {
    if (stored.streamed) context.reply.streams();
    if (stored.status >= 400) context.reply.providerFailed();
    let last: Buffer | null = null;
    const call = replayResponse(stored, {
      onHeaders: (status, described) => {
        const headers = [...described, REPLAYED, 'true'];
        protectFromBrowsers(headers);
        addGatewayHeaders(headers, context);
        reply.start(status, headers);
      },
      onData: (chunk) => {
        // The last chunk completes the response, so it is sent after the record is durable.
        if (last !== null) reply.write(last);
        last = chunk;
      },
      onEnd: () => {
        reply.end(last);
      },
      onError: () => {
        context.reply.clientLeft();
        this.settle(context, () => undefined);
      },
    });
    const reply: Reply = new Reply(context, this.settle, call, KEEP_BYTES);
    context.whenClientGone({
      clientGone: () => {
        call.abort();
      },
    });
  }
}
