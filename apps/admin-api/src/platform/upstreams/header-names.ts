import { GATEWAY_HEADER_PREFIX } from '@gw/contracts';
import { isHeaderName } from '@gw/kernel';
import { isReservedHeader } from '@gw/mcp';

/** Request headers of callers that never reach an upstream server. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'api-key', 'apikey'],
  ...['x-auth-token', 'x-access-token', 'x-user-claims', 'x-user-jwt'],
]);

/**
 * Returns why a header cannot be sent to an upstream server, as part of a sentence; null if it can.
 * `protocolHeaders` are the names in lower case that only the gateway sets for this kind of
 * upstream, in addition to those that it sets for every kind.
 */
export function sentHeaderFault(name: unknown, protocolHeaders: ReadonlySet<string>): string | null {
  if (typeof name !== 'string' || !isHeaderName(name))
    return 'must be a valid header name of at most 128 characters';
  const lower = name.toLowerCase();
  return isReservedHeader(lower) || protocolHeaders.has(lower) || lower.startsWith(GATEWAY_HEADER_PREFIX)
    ? 'is a header of the protocol or of the connection, which cannot be set; remove it'
    : null;
}

/**
 * Returns why a caller's header cannot be forwarded to an upstream server; null if it can.
 * `protocolHeaders` as in `sentHeaderFault`.
 */
export function forwardedHeaderFault(name: unknown, protocolHeaders: ReadonlySet<string>): string | null {
  const fault = sentHeaderFault(name, protocolHeaders);
  if (fault !== null || typeof name !== 'string') return fault;
  return NEVER_FORWARDED.has(name.toLowerCase())
    ? 'may carry the credential of the caller, which is never forwarded; let callers send another header'
    : null;
}
