import type { JsonObject } from '@gw/mcp';
import type { McpReply } from '../mcp-reply';

/**
 * Maximum UTF-16 units of an update's params; of longer params the client receives only the URI.
 */
const PARAMS_LENGTH_MAX = 65_536;

/**
 * Queues updates of resources for a client. A client that reads slowly receives only the newest
 * update of each resource, so that a server with many updates cannot fill the memory.
 */
export class UpdateQueue {
  private readonly waiting = new Map<string, JsonObject>();
  private isSending = false;

  constructor(
    private readonly reply: Pick<McpReply, 'drained' | 'guard' | 'hasEnded' | 'message'>,
    /** Creates the notification for an update. */
    private readonly messageOf: (params: JsonObject) => JsonObject,
  ) {}

  add(uri: string, params: JsonObject): void {
    const isShort = JSON.stringify(params).length <= PARAMS_LENGTH_MAX;
    this.waiting.set(uri, { ...(isShort && params), uri });
    if (!this.isSending) this.reply.guard(() => this.send());
  }

  private async send(): Promise<void> {
    this.isSending = true;
    while (this.waiting.size > 0) {
      await this.reply.drained();
      const [[uri, params] = ['', {}]] = this.waiting;
      this.waiting.delete(uri);
      if (!this.reply.hasEnded) this.reply.message(this.messageOf(params));
    }
    this.isSending = false;
  }
}
