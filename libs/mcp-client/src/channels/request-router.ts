import { CODES, resultBody, type JsonObject, type RpcRequest } from '@gw/mcp';
import { CallsOnStream } from './calls-on-stream';

/** Maximum number of responses that are sent at the same time; further requests are dropped. */
const SENDING_MAX = 10;

/**
 * Decides which call handles a request that the upstream sends outside of any call's own stream:
 * the only call in flight. With several calls or none, or soon after an abandoned call, it refuses
 * the request, so that no question reaches the user of another call. It responds to `ping`
 * immediately.
 */
export class RequestRouter {
  private readonly calls = new CallsOnStream<(request: RpcRequest) => void>();
  private sending = 0;

  /** `send` never rejects. */
  constructor(private readonly send: (message: JsonObject) => Promise<void>) {}

  add(id: number, onRequest: (request: RpcRequest) => void): void {
    this.calls.add(id, onRequest);
  }

  /** Removes a call. `error` is the reason why it ended without a response; null if it got one. */
  delete(id: number, error: unknown): void {
    this.calls.delete(id, error);
  }

  route(request: RpcRequest): void {
    if (request.method === 'ping') {
      this.reply(resultBody(request.id, {}));
      return;
    }
    const only = this.calls.only();
    if (only !== undefined) only(request);
    else this.reply({ jsonrpc: '2.0', id: request.id, error: NOT_NOW });
  }

  private reply(message: JsonObject): void {
    if (this.sending >= SENDING_MAX) return;
    this.sending += 1;
    void this.send(message).finally(() => (this.sending -= 1));
  }
}

const NOT_NOW = { code: CODES.invalidRequest, message: 'The request belongs to no single call in flight.' };
