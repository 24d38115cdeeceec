import { own, ownObject } from '@gw/mcp';
import { callSpanId, traceIdOf } from '@gw/telemetry';
import { traceParentOf } from '../accept/trace-context';
import type { McpRequest } from './mcp-request';

/**
 * Trace flags of a trace that begins at the gateway: sampled, because every request is recorded.
 */
const RECORDED = '01';
const STATE_LENGTH_MAX = 512;

/**
 * Returns the trace context of a call to a server: `traceparent` names the span of the call, which
 * the worker exports, and `tracestate` is the caller's. MCP carries them in `_meta`, without a
 * prefix; HTTP carries them in headers of the same names.
 */
export function traceContext({ context, message: { params } }: McpRequest): Readonly<Record<string, string>> {
  const { headers } = context.req;
  const meta = ownObject(params, '_meta');
  const inMeta = traceParentOf(own(meta, 'traceparent'));
  const parent = inMeta ?? traceParentOf(headers['traceparent']);
  const span = callSpanId(context.id, context.attempts.records.length);
  const traceparent = `00-${traceIdOf(context.traceId)}-${span}-${parent?.flags ?? RECORDED}`;
  // `tracestate` must come from the same place as `traceparent`.
  const state = inMeta === null ? headers['tracestate'] : own(meta, 'tracestate');
  return isState(state) ? { traceparent, tracestate: state } : { traceparent };
}

const isState = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= STATE_LENGTH_MAX && /^[\x20-\x7e]+$/.test(value);
