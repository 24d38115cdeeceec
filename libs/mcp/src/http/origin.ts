import { isLoopbackUrl } from '@gw/kernel';
import { CODES, McpFault } from '../fault';
import { singleHeader, type HeaderFields } from './headers';

export interface OriginRules {
  /** Origins of pages that may call, such as the console's and those of MCP_ALLOWED_ORIGINS. */
  readonly allowedOrigins: readonly string[];
  /** Hosts of this installation, with or without a port. If empty, every `Host` is accepted. */
  readonly publicHosts: readonly string[];
}

/**
 * Refuses calls from pages of other origins and DNS rebinding: an `Origin` must be allowed, and
 * `Host` must be one of the public hosts if there are any (MCP 2025-11-25, transports, security
 * warning). Clients other than browsers send no `Origin`. Throws a fault with status 403.
 */
export function checkOrigin(headers: HeaderFields, { allowedOrigins, publicHosts }: OriginRules): void {
  const origin = singleHeader(headers, 'origin');
  if (origin !== undefined && !isAllowed(origin, allowedOrigins))
    throw forbidden('The origin is not allowed.');
  if (publicHosts.length === 0) return;
  const host = singleHeader(headers, 'host') ?? '';
  if (!publicHosts.some((known) => isHost(host.toLowerCase(), known.toLowerCase())))
    throw forbidden('The host is not one of this installation.');
}

const forbidden = (message: string): McpFault => new McpFault(CODES.invalidRequest, message, { status: 403 });

function isAllowed(origin: string, allowed: readonly string[]): boolean {
  const canonical = canonicalOrigin(origin);
  if (canonical === null) return false;
  // An allowed loopback origin without a port covers all ports, because tools choose free ones.
  const anyPort = isLoopbackUrl(canonical) ? canonical.replace(/:\d{1,5}$/, '') : canonical;
  return allowed.map(canonicalOrigin).some((known) => known === canonical || known === anyPort);
}

/**
 * Returns scheme, host and port in canonical form; null for a text that is not an HTTP origin, such
 * as `null`.
 */
export function canonicalOrigin(text: string): string | null {
  const isOrigin = text.length <= 512 && /^https?:\/\/[^\s/?#@\\,]+$/i.test(text) && URL.canParse(text);
  return isOrigin ? new URL(text).origin : null;
}

/**
 * Returns whether a `Host` is a known public host. A known host without a port covers all ports.
 */
const isHost = (host: string, known: string): boolean =>
  host === known || (!/:\d+$/.test(known) && host.replace(/:\d{1,5}$/, '') === known);

/** Headers that clients in browsers may send and read. */
const ALLOWED_HEADERS = [
  ...['authorization', 'content-type', 'last-event-id'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
];
const REQUESTED_MAX = 100;

/**
 * Returns the headers of the response to a preflight request of an allowed origin (Fetch standard).
 * They allow the first 100 requested `mcp-param-*` headers.
 */
export function preflightHeaders(
  headers: HeaderFields,
  rules: OriginRules,
): Readonly<Record<string, string>> {
  checkOrigin(headers, rules);
  const requested = (singleHeader(headers, 'access-control-request-headers') ?? '')
    .slice(0, 8_192)
    .toLowerCase()
    .split(',', REQUESTED_MAX)
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name));
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...requested].join(', '),
    'access-control-expose-headers': 'mcp-session-id, www-authenticate',
    ...originHeaders(headers),
  };
}

/**
 * Returns the headers of every response to a page of an allowed origin; none without an `Origin`.
 */
export function originHeaders(headers: HeaderFields): Readonly<Record<string, string>> {
  const origin = singleHeader(headers, 'origin');
  return origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' };
}
