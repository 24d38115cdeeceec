import {
  cancellationOf,
  isForwardedMeta,
  META,
  ownObject,
  upstreamHeaders,
  type JsonObject,
  type RpcNotification,
} from '@gw/mcp';
import type { Channel, ChannelRequest } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import { rpcFault } from '../rpc/response-fault';
import type { UpstreamMessage } from '../rpc/messages';
import { UpstreamError } from '../upstream-error';
import type { CallEvent, CallOptions } from './call-event';
import { UpstreamRequests } from './upstream-requests';

/** One request on a channel, until its response. */
export interface Exchange {
  readonly channel: Channel;
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly options: CallOptions;
  readonly clock: CallClock;
}

type ResultEvent = Extract<CallEvent, { readonly kind: 'result' }>;

/**
 * Makes one request: yields what the upstream notifies, answers what it requests, and returns its
 * result. Throws an `UpstreamError`. When the reader leaves early or the call is aborted, a legacy
 * upstream gets a cancellation.
 */
export async function* exchange(call: Exchange): AsyncGenerator<CallEvent, ResultEvent> {
  const { channel, clock, options } = call;
  const input = typeof options.input === 'object' ? options.input : null;
  const requests = new UpstreamRequests(channel, clock, input);
  let hasResponse = false;
  let isFailed = false;
  try {
    for await (const received of channel.exchange(requestOf(call, requests), clock)) {
      const { message } = received;
      if (message.kind === 'request') {
        if (channel.era === 'legacy') requests.take(message);
      } else if (message.kind === 'notification') {
        const event = eventOf(message, call.id);
        if (event !== null) yield event;
      } else {
        hasResponse = true;
        return resultOf(received);
      }
    }
    throw new Error('unreachable: a channel ends with a response or throws');
  } catch (error) {
    // What was surely not executed, or failed by itself, needs no cancellation.
    isFailed = !clock.signal.aborted || (error instanceof UpstreamError && !error.mayHaveExecuted);
    throw error;
  } finally {
    requests.end();
    if (!hasResponse && !isFailed) cancelAt(call);
  }
}

function resultOf({ message, numbers }: UpstreamMessage): ResultEvent {
  if (message.kind !== 'response') throw new Error('unreachable: not a response');
  if (message.error !== null) throw rpcFault(message.error);
  return { kind: 'result', result: message.result ?? {}, numbers };
}

function requestOf(
  { channel, id, method, params, options }: Exchange,
  requests: UpstreamRequests,
): ChannelRequest {
  const kept = Object.entries(ownObject(params, '_meta')).filter(([name]) => isForwardedMeta(name));
  const meta = {
    ...Object.fromEntries(kept),
    ...(options.wantsProgress === true && { progressToken: id }),
    ...(options.logLevel !== undefined && channel.era === 'modern' && { [META.logLevel]: options.logLevel }),
  };
  const { _meta, ...rest } = params;
  const sent = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  const parameters = channel.era === 'modern' ? (options.headerParameters ?? []) : [];
  return {
    id,
    method,
    params: sent,
    headers: parameters.length === 0 ? {} : upstreamHeaders(channel.revision, { method, params }, parameters),
    extra: options.headers ?? {},
    onRequest: typeof options.input === 'object' ? (request) => requests.take(request) : null,
  };
}

/** Null: progress of another call. */
function eventOf({ method, params }: RpcNotification, id: number): CallEvent | null {
  if (method !== 'notifications/progress') return { kind: 'notification', method, params };
  const { progressToken, ...rest } = params;
  return progressToken === id || progressToken === String(id) ? { kind: 'progress', params: rest } : null;
}

/** Cancels the request at a legacy upstream. A modern one sees that the connection of the POST closed. */
function cancelAt({ channel, id, clock }: Exchange): void {
  const reason = clock.signal.aborted ? 'The call was cancelled.' : 'The result is no longer needed.';
  const { notification } = cancellationOf(channel.era, id, reason);
  if (notification !== null) void channel.farewell(notification);
}
