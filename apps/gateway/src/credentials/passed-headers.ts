import { GATEWAY_HEADER_PREFIX, PORTKEY_HEADER_PREFIX } from '@gw/contracts';
import {
  FRAMING_HEADERS,
  HOP_BY_HOP_HEADERS,
  isCredentialHeader,
  isMetadataHeader,
  isObject,
} from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';
import { keyIdOf, userIdOf } from '../auth/known-caller';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext } from '../core/request-context';
import {
  identityClaims,
  identityHeader,
  identityRule,
  type IdentifiedServer,
  type IdentityRule,
} from './identity-tokens';

/** A header that is forwarded, and its name at the server. */
interface PassedName {
  readonly from: string;
  readonly to: string;
}

/** Headers with credentials and claims for this gateway, which are never forwarded. */
const NEVER: ReadonlySet<string> = new Set([
  ...['cookie', 'set-cookie', 'x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token'],
  ...['x-user-claims', 'x-user-jwt', 'dpop', 'host', 'origin', 'referer'],
]);
const NEVER_PREFIXES = [
  GATEWAY_HEADER_PREFIX,
  PORTKEY_HEADER_PREFIX,
  'mcp-',
  'a2a-',
  'x-a2a-',
  'x-forwarded',
  'sec-',
  'proxy-',
];

/**
 * Returns the headers of the caller's request that the integration forwards to its server. A value
 * that contains the caller's credential for this gateway is never forwarded.
 */
export function passedHeaders(
  context: RequestContext,
  server: IdentifiedServer,
  principal: GatewayPrincipal,
): Readonly<Record<string, string>> {
  const { headers } = context.req;
  const { configurations } = server;
  if (!RULES.some((rule) => Object.hasOwn(configurations, rule))) return NONE;
  const { apiKey } = context.gw;
  const forwarded = forwardRule(own(configurations, 'forward_headers'), Object.keys(headers)).filter(
    ({ from, to }) => !isCredentialHeader(from) && !isCredentialHeader(to),
  );
  const rule = identityRule(server);
  const passed: Record<string, string> = {};
  for (const { from, to } of [...forwarded, ...namesIn(own(configurations, 'passthrough_headers'))]) {
    const value = headers[from];
    if (typeof value !== 'string' || !mayPass(from) || !mayPass(to)) continue;
    if (apiKey === null || !value.includes(apiKey)) passed[to] = value;
  }
  // Only the gateway may state who calls.
  const identity = identityHeader(server);
  if (identity !== null) delete passed[identity];
  return { ...passed, ...claimsHeader(rule, server, principal) };
}

const RULES = ['forward_headers', 'passthrough_headers', 'user_identity_forwarding'] as const;
const NONE: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Returns the headers that only the integration's rules set, whether or not a caller sends them.
 */
export function ruledHeaders(server: IdentifiedServer): ReadonlySet<string> {
  const { configurations } = server;
  const identity = identityHeader(server);
  return new Set([
    ...forwardRule(own(configurations, 'forward_headers'), []).map(({ to }) => to),
    ...namesIn(own(configurations, 'passthrough_headers')).map(({ to }) => to),
    ...(identity === null ? [] : [identity]),
  ]);
}

const mayPass = (name: string): boolean =>
  !NEVER.has(name) &&
  !NEVER_PREFIXES.some((prefix) => name.startsWith(prefix)) &&
  !HOP_BY_HOP_HEADERS.has(name) &&
  !FRAMING_HEADERS.has(name) &&
  !isMetadataHeader(name) &&
  !OF_PROTOCOL.has(name);

/** Headers that the HTTP client for upstream servers writes itself. */
const OF_PROTOCOL: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'accept-encoding',
    'content-type',
    'content-encoding',
    'expect',
    'last-event-id',
    'user-agent',
  ],
]);

function forwardRule(rule: unknown, sent: readonly string[]): readonly PassedName[] {
  if (!isObject(rule)) return namesIn(rule);
  const named = namesIn(own(rule, 'headers'));
  if (own(rule, 'mode') !== 'all-except') return named;
  const isNamed = (name: string): boolean => named.some(({ from }) => from === name);
  return sent.filter((name) => !isNamed(name)).map((name) => ({ from: name, to: name }));
}

const namesIn = (list: unknown): readonly PassedName[] =>
  (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap(nameIn);

function nameIn(each: unknown): readonly PassedName[] {
  if (typeof each === 'string') return [{ from: each.toLowerCase(), to: each.toLowerCase() }];
  const named: JsonObject = isObject(each) ? each : {};
  const [from, to] = [own(named, 'from'), own(named, 'to')];
  if (typeof from !== 'string' || typeof to !== 'string') return [];
  return [{ from: from.toLowerCase(), to: to.toLowerCase() }];
}

/**
 * Returns the header with claims about the caller, if the integration requests one; none over plain
 * HTTP.
 */
function claimsHeader(
  rule: IdentityRule | null,
  server: IdentifiedServer,
  principal: GatewayPrincipal,
): Readonly<Record<string, string>> {
  if (rule?.method !== 'claims_header') return {};
  // The subject of a token of a trust is a user of its issuer, and might be the id of another user.
  const caller = { userId: userIdOf(principal), keyId: keyIdOf(principal) };
  const claims = identityClaims(rule, server, caller);
  return { [rule.header]: JSON.stringify(claims) };
}
