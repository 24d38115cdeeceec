import { GATEWAY_HEADER_PREFIX, PORTKEY_HEADER_PREFIX } from '@gw/contracts';
import {
  FRAMING_HEADERS,
  HOP_BY_HOP_HEADERS,
  isCredentialHeader,
  isMetadataHeader,
  isObject,
} from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';
import type { RequestContext } from '../core/request-context';

/** A server as far as it decides which headers of callers are passed on to it. */
export interface PassingServer {
  readonly url: string;
  /** `forward_headers`, `passthrough_headers` and `user_identity_forwarding` of the integration. */
  readonly configurations: JsonObject;
}

/** A header that is passed on, and its name at the server. */
interface PassedName {
  readonly from: string;
  readonly to: string;
}

/** Credentials and claims for this gateway, which are never passed on. */
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
 * Headers of the caller's own request that the integration passes on to its server. A value that
 * contains the caller's credential for this gateway is never among them.
 */
export function passedHeaders(
  context: RequestContext,
  server: PassingServer,
): Readonly<Record<string, string>> {
  const { headers } = context.req;
  const { configurations } = server;
  const { apiKey } = context.gw;
  const forwarded = forwardRule(own(configurations, 'forward_headers'), Object.keys(headers)).filter(
    ({ from, to }) => !isCredentialHeader(from) && !isCredentialHeader(to),
  );
  const passed: Record<string, string> = {};
  for (const { from, to } of [...forwarded, ...namesIn(own(configurations, 'passthrough_headers'))]) {
    const value = headers[from];
    if (typeof value !== 'string' || !mayPass(from) || !mayPass(to)) continue;
    if (apiKey === null || !value.includes(apiKey)) passed[to] = value;
  }
  return { ...passed, ...identityHeader(context, server) };
}

const mayPass = (name: string): boolean =>
  !NEVER.has(name) &&
  !NEVER_PREFIXES.some((prefix) => name.startsWith(prefix)) &&
  !HOP_BY_HOP_HEADERS.has(name) &&
  !FRAMING_HEADERS.has(name) &&
  !isMetadataHeader(name) &&
  !OF_PROTOCOL.has(name);

/** Headers that the client of upstream servers writes itself. */
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

/** Claims about the caller for a server that wants them; none over plain HTTP. */
function identityHeader(
  { principal }: RequestContext,
  { configurations, url }: PassingServer,
): Readonly<Record<string, string>> {
  const rule = own(configurations, 'user_identity_forwarding');
  if (!isObject(rule) || principal === null || !url.startsWith('https:')) return {};
  const { key, workspace } = principal;
  const claims: JsonObject = {
    sub: key.userId,
    organisation_id: workspace.organisationId,
    workspace_id: workspace.id,
    api_key_id: key.id,
  };
  const included = own(rule, 'include_claims');
  const shown = Object.entries(claims).filter(
    ([name]) => !Array.isArray(included) || (included as readonly unknown[]).includes(name),
  );
  const header = own(rule, 'header_name');
  return {
    [typeof header === 'string' ? header : 'x-user-claims']: JSON.stringify(Object.fromEntries(shown)),
  };
}
