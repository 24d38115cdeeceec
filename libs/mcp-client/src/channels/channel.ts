import type { Era, JsonObject, RpcRequest } from '@gw/mcp';
import type { CallClock } from '../http/call-clock';
import type { UpstreamMessage } from '../rpc/messages';

/** What a server says about itself. Its texts are not trusted. */
export interface ServerFacts {
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  /** At most 65,536 UTF-16 units; null without one. */
  readonly instructions: string | null;
}

/** A request to an upstream, ready to be sent. */
export interface ChannelRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Headers of the protocol beyond those that the channel writes, such as `mcp-param-*`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the caller for this call alone. */
  readonly extra: Readonly<Record<string, string>>;
  /**
   * Answers a request that comes outside of the stream of this one; null: the call answers none.
   * Requests on the stream of the call are messages of `exchange`.
   */
  readonly onRequest: ((request: RpcRequest) => void) | null;
}

/** One way to exchange messages with an upstream. */
export interface Channel {
  readonly era: Era;
  readonly revision: string;
  /** Null: a modern server that was not queried about itself. */
  readonly facts: ServerFacts | null;
  /** Whether requests name a session, which the upstream may forget. */
  readonly hasSession: boolean;
  /** False when the channel ended, so that the next call needs another. */
  readonly isOpen: boolean;
  /**
   * Sends a request and yields what the upstream sends for it. The response is the last message.
   * A reader that stops earlier drops the connection of the request.
   */
  exchange(request: ChannelRequest, clock: CallClock): AsyncGenerator<UpstreamMessage, void>;
  /**
   * Yields what the upstream sends outside of calls, until the clock aborts. `filter` is what a modern
   * upstream is subscribed to: params of `subscriptions/listen`.
   */
  listen(filter: JsonObject, id: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void>;
  /** Sends a response or a notification of ours. Modern upstreams take none. */
  post(message: JsonObject, clock: CallClock): Promise<void>;
  /** Sends the last message of a call that is over, such as its cancellation. Never rejects. */
  farewell(message: JsonObject): Promise<void>;
  /** Ends the session at the upstream. Never rejects. */
  close(): Promise<void>;
}

/** Members of `_meta` and `initialize` that say who we are. */
export interface DeclaredClient {
  /** Capabilities as the protocol writes them. */
  readonly capabilities: JsonObject;
  /** Name and version of the client. */
  readonly clientInfo: JsonObject;
}

export const ACCEPT_BOTH = 'application/json, text/event-stream';

/** Headers of a POST with a message. */
export const POST_HEADERS: Readonly<Record<string, string>> = {
  accept: ACCEPT_BOTH,
  'content-type': 'application/json',
};

export const encoded = (message: JsonObject): Buffer => Buffer.from(JSON.stringify(message));
