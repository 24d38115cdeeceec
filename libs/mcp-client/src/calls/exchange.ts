import { isObject } from '@gw/kernel';
import {
  cancellationOf,
  isForwardedMeta,
  META,
  upstreamHeaders,
  type JsonObject,
  type RpcNotification,
} from '@gw/mcp';
import { withMember, type Channel, type ChannelRequest } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import { resultOf } from '../rpc/response-fault';
import type { UpstreamMessage } from '../rpc/messages';
import { UpstreamError } from '../upstream-error';
import type { CallEvent, CallNotice, CallOptions } from './call-event';
import { UpstreamRequests } from './upstream-requests';

/** One request on a channel and its response. */
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
 * Makes one request: reports the upstream's notifications, responds to its requests, and returns
 * its result. Throws an `UpstreamError`. If the call is aborted, sends a cancellation to a legacy
 * upstream.
 */
export async function exchange(call: Exchange, onNotice: (notice: CallNotice) => void): Promise<ResultEvent> {
  const { channel, clock, options } = call;
  const input = typeof options.input === 'object' ? options.input : null;
  const requests = new UpstreamRequests(channel, clock, input);
  const onMessage = ({ message }: UpstreamMessage): void => {
    if (message.kind === 'request') {
      if (channel.era === 'legacy') requests.take(message);
    } else if (message.kind === 'notification') {
      const notice = noticeOf(message, call);
      if (notice !== null) onNotice(notice);
    }
  };
  try {
    const received = await channel.exchange(requestOf(call, requests), clock, onMessage);
    return { kind: 'result', result: resultOf(received) };
  } catch (error) {
    // A call that failed, or was certainly not executed, needs no cancellation.
    const isFailed = clock.aborted === null || (error instanceof UpstreamError && !error.mayHaveExecuted);
    if (!isFailed) cancelAt(call);
    throw error;
  } finally {
    requests.end();
  }
}

function requestOf(call: Exchange, requests: UpstreamRequests): ChannelRequest {
  const { channel, id, method, params, options } = call;
  const parameters = channel.era === 'modern' ? (options.headerParameters ?? []) : [];
  return {
    id,
    method,
    params,
    meta: metaOf(call),
    argumentBytes: options.argumentBytes ?? null,
    headers: parameters.length === 0 ? {} : upstreamHeaders(channel.revision, { method, params }, parameters),
    extra: options.headers ?? {},
    onRequest: typeof options.input === 'object' ? (request) => requests.take(request) : null,
  };
}

/**
 * Returns `_meta` of a request as JSON members: the caller's members that may be forwarded, and
 * those that the call's options need.
 */
function metaOf({ channel, id, params, options }: Exchange): string {
  const callerMeta = params['_meta'];
  let members = '';
  if (isObject(callerMeta))
    for (const name in callerMeta)
      if (isForwardedMeta(name)) members = withMember(members, name, callerMeta[name]);
  if (options.wantsProgress === true) members = withMember(members, 'progressToken', id);
  if (options.logLevel !== undefined && channel.era === 'modern')
    members = withMember(members, META.logLevel, options.logLevel);
  return members;
}

/**
 * Returns the notice for a notification; null for progress of another call, and for progress that
 * the call did not ask for.
 */
function noticeOf({ method, params }: RpcNotification, { id, options }: Exchange): CallNotice | null {
  if (method !== 'notifications/progress') return { kind: 'notification', method, params };
  const { progressToken, ...rest } = params;
  const isOfCall = progressToken === id || progressToken === String(id);
  return isOfCall && options.wantsProgress === true ? { kind: 'progress', params: rest } : null;
}

/**
 * Cancels the request at a legacy upstream. A modern upstream notices the closed connection of the
 * POST.
 */
function cancelAt({ channel, id }: Exchange): void {
  const { notification } = cancellationOf(channel.era, id, 'The call was cancelled.');
  if (notification !== null) void channel.farewell(notification);
}
