import type { JsonObject } from '@gw/mcp';
import type { McpReply } from '../mcp-reply';

/** UTF-16 units of the params of an update; of longer ones, the client gets the URI. */
const PARAMS_LENGTH_MAX = 65_536;

/**
 * Updates of resources on their way to a client. A client that reads slowly gets the newest of each
 * resource, so that a server that sends many fills no memory.
 */
export class UpdateQueue {
  private readonly waiting = new Map<string, JsonObject>();
  private isSending = false;

  constructor(
    private readonly reply: Pick<McpReply, 'drained' | 'isOver' | 'message'>,
    /** The message with which the client gets an update. */
    private readonly messageOf: (params: JsonObject) => JsonObject,
  ) {}

  add(uri: string, params: JsonObject): void {
    const isShort = JSON.stringify(params).length <= PARAMS_LENGTH_MAX;
    this.waiting.set(uri, { ...(isShort && params), uri });
    if (!this.isSending) void this.send();
  }

  private async send(): Promise<void> {
    this.isSending = true;
    while (this.waiting.size > 0) {
      await this.reply.drained();
      const [[uri, params] = ['', {}]] = this.waiting;
      this.waiting.delete(uri);
      if (!this.reply.isOver) this.reply.message(this.messageOf(params));
    }
    this.isSending = false;
  }
}
