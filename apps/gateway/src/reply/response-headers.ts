import { HEADER } from '@gw/contracts';
import { lossHeader } from '@gw/dialects';
import type { GatewayError } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import { cacheUseOf } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';

const EXPLAIN_BYTES_MAX = 8_192;

/**
 * Appends the gateway's headers: ids, the target that served the request, retries, cache status and
 * version.
 */
export function addGatewayHeaders(headers: HeaderList, context: RequestContext): void {
  headers.push(HEADER.requestId, context.id, HEADER.traceId, traceIdOf(context));
  addRequestId(headers, context);
  const last = context.attempts.records.at(-1);
  if (last) {
    headers.push(
      HEADER.lastUsedOption,
      last.target,
      HEADER.retryCount,
      String(retryCount(context)),
      HEADER.servedBy,
      headerSafe(last.provider),
    );
  }
  addTranslation(headers, context);
  headers.push(HEADER.cacheStatus, cacheUseOf(context)?.status ?? 'DISABLED');
  if (context.gw?.explain) headers.push(HEADER.decision, explained(context));
}

/**
 * Sets the header in which SDKs look for the request id, unless the provider has set it.
 * Passthrough responses stay unchanged.
 */
function addRequestId(
  headers: HeaderList,
  { id, route, response, reply: { failure } }: RequestContext,
): void {
  if (route.kind === 'passthrough' && response !== null && failure === null) return;
  const name = route.dialect === 'anthropic' ? 'request-id' : 'x-request-id';
  if (valueOf(headers, name) === undefined) headers.push(name, id);
}

/**
 * Adds headers that name the translation of the response and the members of the request that it
 * dropped.
 */
function addTranslation(headers: HeaderList, { response }: RequestContext): void {
  const upstream = response?.upstream;
  if (upstream?.support?.via !== 'translated') return;
  headers.push(HEADER.translation, upstream.support.name);
  if (upstream.losses !== undefined) {
    const header = lossHeader(upstream.losses.losses, upstream.losses.more);
    if (header !== null) headers.push(HEADER.translationLoss, header);
  }
}

const traceIdOf = ({ id, traceId }: RequestContext): string => (traceId === id ? id : headerSafe(traceId));

/**
 * Returns 0 when the first attempt succeeded, n when the nth retry succeeded, and -1 when all
 * attempts at the last target failed after retries.
 */
function retryCount({ attempts, reply }: RequestContext): number {
  const last = attempts.records.at(-1);
  if (!last || last.retry === 0) return 0;
  return reply.failure !== null || (last.status ?? 500) >= 400 ? -1 : last.retry;
}

/**
 * Returns the decision so far as ASCII JSON: the attempts and their reasons, up to the moment the
 * head was sent. The complete record, with price and timings, is in the log under the request's id.
 */
function explained(context: RequestContext): string {
  const { configSource, limits, response } = context;
  const { strategy, matchedCondition, records: attempts, events: routing } = context.attempts;
  const cache = cacheUseOf(context)?.record();
  const limitStates = [
    ...(limits?.reservation?.states() ?? []),
    ...(response?.upstream.reservation?.states() ?? []),
    ...(limits?.refusals ?? []),
  ];
  const text = JSON.stringify({
    config: configSource,
    strategy,
    matchedCondition,
    attempts,
    ...(routing.length > 0 && { routing }),
    limits: limitStates,
    cache,
  });
  const ascii = text.replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return ascii.length <= EXPLAIN_BYTES_MAX
    ? ascii
    : JSON.stringify({ truncated: true, attempts: attempts.length });
}

const UNSAFE = /[^\x20-\x7e]/;

const headerSafe = (text: string): string => (UNSAFE.test(text) ? text.replace(/[^\x20-\x7e]/g, '?') : text);

/** Returns the headers of an error of the gateway itself, whose body is JSON. */
export function errorHeaders(error: GatewayError, context: RequestContext): HeaderList {
  const headers: HeaderList = ['content-type', 'application/json; charset=utf-8'];
  for (const [name, value] of Object.entries(error.options.headers ?? {})) headers.push(name, value);
  addGatewayHeaders(headers, context);
  return headers;
}
