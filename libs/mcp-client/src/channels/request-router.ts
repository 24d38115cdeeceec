import { CODES, resultBody, type JsonObject, type RpcRequest } from '@gw/mcp';
import { CallsOnStream } from './calls-on-stream';

/** Responses of ours that are on their way at once; further requests are dropped. */
const SENDING_MAX = 10;

/**
 * Decides which call answers a request that the upstream sends outside of any call's own stream.
 * It is the only call in flight; with several, or none, or soon after a call that was given up,
 * the request is refused, so that no question reaches the user of another call. `ping` is answered
 * at once.
 */
export class RequestRouter {
  private readonly calls = new CallsOnStream<(request: RpcRequest) => void>();
  private sending = 0;

  /** `send` never rejects. */
  constructor(private readonly send: (message: JsonObject) => Promise<void>) {}

  add(id: number, onRequest: (request: RpcRequest) => void): void {
    this.calls.add(id, onRequest);
  }

  /** `error`: why the call ended without a response; null with one. */
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
