import { ServerResponse } from 'node:http';
import type { RpcRequest } from '@gw/mcp';
import { partContext, PartReply } from '../batch-reply';
import type { RequestContext } from '../../core/request-context';
import type { CallReplyOptions } from '../../reply/call-reply';
import type { McpReply } from '../mcp-reply';

/** Requests of one stream that are carried out at the same time. */
export const RUNNING_MAX = 100;
/** Bytes that a client has not read, from which its stream ends. */
const UNREAD_MAX = 33_554_432;

/** One request of a client with the transport HTTP+SSE: its response is an event of the client's stream. */
export interface SseReply {
  readonly context: RequestContext;
  readonly reply: PartReply;
}

/** The requests of one stream. Their calls end with it. */
export class SseReplies {
  private readonly running = new Set<RequestContext>();

  constructor(
    private readonly stream: McpReply,
    private readonly options: CallReplyOptions,
  ) {
    stream.whenOver(() => {
      for (const context of this.running) context.abandon();
    });
  }

  get isFull(): boolean {
    return this.running.size >= RUNNING_MAX;
  }

  /** `whole`: the request that brought the message, or that of the stream. Must be followed by `over`. */
  begin(whole: RequestContext, message: RpcRequest): SseReply {
    // The response of this request is not sent by itself, so that what belongs to it ends with `over`.
    const context = partContext(whole, new ServerResponse(whole.req), message);
    this.running.add(context);
    const sink = { whole: this.stream, put: (json: string): void => this.send(json) };
    return { context, reply: new PartReply(context, this.options, sink) };
  }

  /** The response is sent, or there is none. What the request holds is freed when the client has read it. */
  async over({ context, reply }: SseReply): Promise<void> {
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
