import { randomHex } from '@gw/kernel';
import { requestBody, type InputRequest, type JsonObject, type RpcResponse } from '@gw/mcp';
import type { McpRequest } from './mcp-request';

const WAITING_MAX = 1_000;

interface Waiting {
  /** Whose response counts: the caller and the session of the call. */
  readonly owner: string;
  readonly resolve: (response: JsonObject | null) => void;
}

const ownerOf = (binding: string, session: string): string => `${session}/${binding}`;

/** Requests that were sent to legacy clients on the streams of their calls, until they respond. */
export class ClientInputs {
  private readonly waiting = new Map<string, Waiting>();

  /** Sends a request to the client of a call. Null: the client refused, or too many requests wait. */
  ask(request: McpRequest, { method, params }: InputRequest): Promise<JsonObject | null> {
    const { session, view, reply, signal } = request;
    if (session === null || this.waiting.size >= WAITING_MAX || signal.aborted) return Promise.resolve(null);
    const id = `gwr1.${randomHex(32)}`;
    return new Promise((resolve) => {
      const end = (response: JsonObject | null): void => {
        this.waiting.delete(id);
        resolve(response);
      };
      this.waiting.set(id, { owner: ownerOf(view.caller.binding, session.nonce), resolve: end });
      signal.addEventListener('abort', () => end(null), { once: true });
      reply.message(requestBody(id, method, params));
    });
  }

  /** Takes the response of a client. One that nothing waits for, or of another caller, changes nothing. */
  take(binding: string, session: string, { id, result }: RpcResponse): void {
    const waiting = typeof id === 'string' ? this.waiting.get(id) : undefined;
    if (waiting?.owner === ownerOf(binding, session)) waiting.resolve(result);
  }
}
