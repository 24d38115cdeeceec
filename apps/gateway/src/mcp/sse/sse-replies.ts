import { ServerResponse } from 'node:http';
import type { ExactNumbers } from '@gw/kernel';
import type { RpcRequest } from '@gw/mcp';
import { partContext, PartReply } from '../batch-reply';
import type { GatewayPrincipal } from '../../auth/principals';
import type { RequestContext } from '../../core/request-context';
import type { CallReplyOptions } from '../../reply/call-reply';
import type { McpReply } from '../mcp-reply';

/** Maximum number of requests of one stream that run at the same time. */
export const RUNNING_MAX = 100;
/** Maximum bytes that a client has not read; above it, the gateway ends the stream. */
const UNREAD_MAX = 33_554_432;

/**
 * One request of a client of the HTTP+SSE transport: its response is an event of the client's
 * stream.
 */
export interface SseReply {
  readonly context: RequestContext;
  readonly reply: PartReply;
}

/** The requests of one stream. Their calls end with the stream. */
export class SseReplies {
  private readonly running = new Set<RequestContext>();

  constructor(
    private readonly stream: McpReply,
    private readonly options: CallReplyOptions,
  ) {
    stream.onceEnded(() => {
      for (const context of this.running) context.abandon();
    });
  }

  /** Whether more requests run than may, including the one that has begun last. */
  get isFull(): boolean {
    return this.running.size > RUNNING_MAX;
  }

  /** Runs work for the stream that nothing waits for. What it throws ends the stream. */
  guard(work: () => unknown): void {
    this.stream.guard(work);
  }

  /**
   * Begins a request. `whole` is the POST that brought the message, or the GET of the stream. The
   * caller must call `finish` afterwards.
   */
  begin(
    whole: RequestContext,
    message: RpcRequest,
    of: { readonly numbers: ExactNumbers | null; readonly principal: GatewayPrincipal },
  ): SseReply {
    // This response is never sent itself; `finish` closes it, which ends the work for the request.
    const context = partContext(whole, new ServerResponse(whole.req), message, of);
    this.running.add(context);
    const sink = { whole: this.stream, put: (json: string): void => this.send(json) };
    return { context, reply: new PartReply(context, this.options, sink) };
  }

  /**
   * Waits for the end of the request, and frees its resources once the client has read the
   * response.
   */
  async finish({ context, reply }: SseReply): Promise<void> {
    await reply.ended;
    this.running.delete(context);
    await this.stream.drained();
    context.whenClientGone(null);
    context.res.emit('close');
  }

  private send(json: string): void {
    if (json === '') return;
    if (this.stream.unread > UNREAD_MAX) this.stream.close();
    else this.stream.event(json);
  }
}
