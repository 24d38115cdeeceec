import { HEADER } from '@gw/contracts';
import { headerText } from './header-text';
import type { RequestContext } from '../core/request-context';

const TRACE_MAX = 256;
/** Neither the version `ff` nor an id of zeros is valid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The trace context of a caller (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; the last bit says whether the caller records the trace. */
  readonly flags: string;
}

/** Parses a `traceparent`. Returns null for an invalid value. */
export function traceParentOf(value: unknown): TraceParent | null {
  const [, traceId, spanId, flags] = (typeof value === 'string' ? TRACEPARENT.exec(value) : null) ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined
    ? null
    : { traceId, spanId, flags };
}

/** Reads trace and spans: the gateway's own headers come first, then `traceparent`. */
export function readTrace(context: RequestContext): void {
  const { headers } = context.req;
  const parent = traceParentOf(headers['traceparent']);
  context.traceId = bounded(headers[HEADER.traceId]) ?? parent?.traceId ?? context.id;
  context.spanId = bounded(headers[HEADER.spanId]);
  context.parentSpanId = bounded(headers[HEADER.parentSpanId]) ?? parent?.spanId ?? null;
  context.spanName = bounded(headers[HEADER.spanName]);
}

/**
 * Uses the trace context of a message instead of the `traceparent` of its HTTP request, because one
 * connection can carry messages of several traces. The gateway's own headers still take precedence.
 */
export function adoptTrace(context: RequestContext, parent: TraceParent): void {
  const { headers } = context.req;
  if (bounded(headers[HEADER.traceId]) === null) context.traceId = parent.traceId;
  if (bounded(headers[HEADER.parentSpanId]) === null) context.parentSpanId = parent.spanId;
}

function bounded(value: string | string[] | undefined): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return headerText(value).slice(0, TRACE_MAX);
}
