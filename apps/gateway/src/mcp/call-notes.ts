import type { AttemptEnd } from '@gw/contracts';
import { META, notificationBody, own, ownObject, type JsonObject } from '@gw/mcp';
import { UpstreamError, type CallNotice } from '@gw/mcp-client';
import { performance } from 'node:perf_hooks';
import { withinRate } from './message-rate';
import type { McpRequest } from './mcp-request';

/**
 * Returns a function that forwards messages of an upstream to the client during a call, at most 20
 * of a kind in each second.
 */
export function relayTo({ reply, message, era }: McpRequest): (event: CallNotice) => void {
  const meta = ownObject(message.params, '_meta');
  return withinRate((event) => {
    if (event.kind === 'progress') {
      const progressToken = own(meta, 'progressToken');
      reply.notice(notificationBody('notifications/progress', { progressToken, ...event.params }));
    } else if (event.method === 'notifications/message' && wantsLog(era, meta))
      reply.notice(notificationBody(event.method, event.params));
  });
}

/**
 * Whether the client wants log messages; a modern client receives them only when its request sets a
 * level.
 */
const wantsLog = (era: McpRequest['era'], meta: JsonObject): boolean =>
  era === 'legacy' || own(meta, META.logLevel) !== undefined;

/**
 * Records the end of a call for the log: its HTTP status, or the error that ended it. Only the
 * first call has an effect.
 */
export type CallNote = (end: unknown) => void;

/**
 * Returns the function that records the end of a call. Call it before the response is sent, because
 * sending writes the log record.
 */
export function callNote(request: McpRequest, startedMs: number): CallNote {
  let isNoted = false;
  return (end) => {
    if (!isNoted) noteCall(request, startedMs, end);
    isNoted = true;
  };
}

function noteCall({ context, view }: McpRequest, startedMs: number, end: unknown): void {
  const isAnswered = typeof end === 'number';
  const failure = end instanceof UpstreamError ? end : null;
  context.attempts.addRecord({
    target: view.document.slug,
    provider: 'mcp',
    credential: view.document.slug,
    model: null,
    retry: 0,
    status: failure?.status ?? (isAnswered ? end : null),
    end: isAnswered ? 'answered' : ((failure && ENDS[failure.kind]) ?? 'interrupted'),
    reason: failure?.message ?? null,
    startedMs,
    durationMs: Math.max(0, performance.now() - context.startedAt - startedMs),
  });
}

const ENDS: Partial<Record<UpstreamError['kind'], AttemptEnd>> = {
  timeout: 'timeout',
  cancelled: 'client_closed',
  unreachable: 'unreachable',
  refused_address: 'unreachable',
  rpc_error: 'answered',
};
