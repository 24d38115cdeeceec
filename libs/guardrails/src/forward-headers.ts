import { GATEWAY_HEADER_PREFIX, HEADER } from '@gw/contracts';
import {
  FRAMING_HEADERS,
  HOP_BY_HOP_HEADERS,
  isCredentialHeader,
  isHeaderName,
  isMetadataHeader,
  mayHoldApiKey,
} from '@gw/kernel';
import { GUARDRAIL_LIMITS } from './bounds';

/** Headers in which proxies report the origin and the destination of a request. */
const ROUTING: ReadonlySet<string> = new Set([
  'cf-connecting-ip',
  'client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);
const ROUTING_PREFIXES = [
  'x-forwarded-',
  'x-envoy-',
  'x-istio-',
  'x-kubernetes-',
  'x-internal-',
  'x-amzn-',
  'x-appengine-',
];
/** Headers of this gateway that may be forwarded. */
const OWN_ALLOWED: ReadonlySet<string> = new Set([HEADER.traceId, HEADER.spanId]);

const isRouting = (name: string): boolean =>
  ROUTING.has(name) || ROUTING_PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * Returns why a client header must not go to a webhook or partner, as part of a sentence; null when
 * it may. Case is ignored.
 */
export function forwardHeaderFault(written: string): string | null {
  const name = written.toLowerCase();
  if (name.includes('*')) return 'is a wildcard; name each header';
  if (!isHeaderName(name)) return 'is not a valid header name';
  if (name.startsWith(GATEWAY_HEADER_PREFIX) && !OWN_ALLOWED.has(name)) return 'is a header of this gateway';
  if (isCredentialHeader(name)) return 'is a credential header';
  if (HOP_BY_HOP_HEADERS.has(name) || FRAMING_HEADERS.has(name)) return 'is a header of one connection';
  if (isMetadataHeader(name)) return 'is a header of cloud metadata services';
  return isRouting(name) ? 'is an internal routing header' : null;
}

export const FORWARD_HEADERS_PARAMETER = {
  type: 'array',
  items: { type: 'string', maxLength: 128 },
  maxItems: GUARDRAIL_LIMITS.forwardHeadersMax,
  description: 'Names of client headers to forward.',
};

export function checkForwardHeaders(
  names: readonly string[] | undefined,
  report: (path: readonly (string | number)[], rule: string, message: string, value: unknown) => void,
): readonly string[] {
  names?.forEach((name, index) => {
    const fault = forwardHeaderFault(name);
    if (fault) report(['forwardHeaders', index], 'forbidden_header', fault, name);
  });
  return [...new Set(names?.map((name) => name.toLowerCase()))];
}

/**
 * Returns those of the named headers that the client sent, by lower-case name, except values that
 * may contain a key of this product.
 */
export const forwarded = (
  names: readonly string[],
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(headers, name) && !mayHoldApiKey(headers[name] ?? ''))
      .map((name) => [name, headers[name] ?? '']),
  );
