import { type Era, type JsonObject, type RpcRequest } from '@gw/mcp';
import type { CallClock } from '../http/call-clock';
import type { UpstreamMessage } from '../rpc/messages';
import type { OnMessage } from './response-of';

/** Facts that a server reports about itself. Its texts are not trusted. */
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
  /** Params. `meta` replaces their `_meta`, and `argumentBytes` their `arguments`. */
  readonly params: JsonObject;
  /** Members of `_meta` in JSON, as `withMember` adds them. The channel adds further members. */
  readonly meta: string;
  /** JSON that replaces `params.arguments`; null to serialise the arguments. */
  readonly argumentBytes: Buffer | null;
  /** Protocol headers that the channel does not write itself, such as `mcp-param-*`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the caller for this call only. */
  readonly extra: Readonly<Record<string, string>>;
  /**
   * Handles upstream requests that arrive outside the stream of this request; null if the call
   * handles none. Requests on the call's own stream are passed to `onMessage` of `exchange`.
   */
  readonly onRequest: ((request: RpcRequest) => void) | null;
}

/** One way to exchange messages with an upstream. */
export interface Channel {
  readonly era: Era;
  readonly revision: string;
  /** Facts about the server; null for a modern server whose facts were not requested. */
  readonly facts: ServerFacts | null;
  /** Whether requests name a session, which the upstream may forget. */
  readonly hasSession: boolean;
  /** False after the channel ended, so that the next call needs another one. */
  readonly isOpen: boolean;
  /**
   * Sends a request and resolves with its response. `onMessage` receives the earlier messages for
   * the request. The connection of the request is dropped when the clock aborts.
   */
  exchange(request: ChannelRequest, clock: CallClock, onMessage: OnMessage): Promise<UpstreamMessage>;
  /**
   * Yields the messages that the upstream sends outside of calls, until the clock aborts. `filter`
   * holds the params of `subscriptions/listen` for a modern upstream.
   */
  listen(filter: JsonObject, id: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void>;
  /** Sends a response or a notification. Modern upstreams accept neither. */
  post(message: JsonObject, clock: CallClock): Promise<void>;
  /** Sends the last message of an ended call, such as its cancellation. Never rejects. */
  farewell(message: JsonObject): Promise<void>;
  /** Ends the session at the upstream. Never rejects. */
  close(): Promise<void>;
}

/** Members of `_meta` and `initialize` that identify this client. */
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

/** Returns a request that the channel itself makes. */
export const ownRequest = (id: number, method: string, params: JsonObject): ChannelRequest => ({
  ...{ id, method, params, meta: '', argumentBytes: null, headers: {}, extra: {}, onRequest: null },
});

/** Returns the body of a request. `ownMeta` holds further members of `_meta` in JSON. */
export function encodedRequest(
  { id, method, params, meta, argumentBytes }: ChannelRequest,
  ownMeta = '',
): Buffer {
  // Concatenates JSON members, which costs less than building an object and serialising it.
  let members = '';
  for (const name in params)
    if (name !== '_meta' && (name !== 'arguments' || argumentBytes === null))
      members = withMember(members, name, params[name]);
  const allMeta = joined(meta, ownMeta);
  if (allMeta !== '') members = joined(members, `"_meta":{${allMeta}}`);
  const head = `{"jsonrpc":"2.0","id":${String(id)},"method":${JSON.stringify(method)},"params":{${members}`;
  if (argumentBytes === null) return Buffer.from(`${head}}}`);
  const start = `${head}${members === '' ? '' : ','}"arguments":`;
  const startBytes = Buffer.byteLength(start);
  const body = Buffer.allocUnsafe(startBytes + argumentBytes.length + 2);
  body.write(start);
  argumentBytes.copy(body, startBytes);
  body.write('}}', body.length - 2, 'latin1');
  return body;
}

/**
 * Adds a member to the JSON members of an object; a value that JSON cannot represent is left out.
 */
export function withMember(members: string, name: string, value: unknown): string {
  const text = JSON.stringify(value);
  return text === undefined ? members : joined(members, `${JSON.stringify(name)}:${text}`);
}

const joined = (members: string, more: string): string =>
  members === '' || more === '' ? members + more : `${members},${more}`;
