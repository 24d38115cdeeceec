import { GATEWAY_HEADER_PREFIX, HEADER, PORTKEY_HEADER_PREFIX } from '@gw/contracts';
import { CREDENTIAL_HEADERS, HOP_BY_HOP_HEADERS, isCredentialHeader, isMetadataHeader } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';

/**
 * Never sent to a provider, in addition to headers that cloud metadata services obey: headers of
 * this hop only, those that identify the caller's network or session, and the caller's credentials.
 */
const NEVER_UPSTREAM: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS,
  'cf-connecting-ip',
  'cf-ray',
  'cf-visitor',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method',
  'x-method-override',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);
const NEVER_UPSTREAM_PREFIXES = [
  GATEWAY_HEADER_PREFIX,
  PORTKEY_HEADER_PREFIX,
  'sec-websocket-',
  'x-forwarded',
  'x-envoy-',
];

/**
 * Addresses that a client, or a proxy between it and the gateway, follows on its own, either with
 * the caller's gateway key or instead of the response: redirects, polling and upload addresses, and
 * files that a proxy would serve.
 */
const FOLLOWED_ADDRESSES = [
  'azure-asyncoperation',
  'content-location',
  'link',
  'location',
  'operation-location',
  'refresh',
  'x-accel-redirect',
  'x-goog-upload-control-url',
  'x-goog-upload-url',
  'x-lighttpd-send-file',
  'x-reproxy-url',
  'x-sendfile',
];

/**
 * Never sent to a client: headers of this hop, addresses to follow, gateway credentials, and
 * headers that a browser would apply to the gateway's origin or store for it. The gateway's own
 * settings decide which pages may read a response.
 */
const NEVER_DOWNSTREAM: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS,
  ...CREDENTIAL_HEADERS,
  ...FOLLOWED_ADDRESSES,
  'accept-ch',
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
  'use-as-dictionary',
  'x-amz-security-token',
  'x-permitted-cross-domain-policies',
]);
const NEVER_DOWNSTREAM_PREFIXES = [GATEWAY_HEADER_PREFIX, 'access-control-', 'attribution-reporting-'];

/** Bounds of the cached verdicts; others are found each time. */
const [NAMES_MAX, NAME_LENGTH_MAX] = [4_096, 128];

/**
 * Decides whether a header may pass. The verdict is cached by name, because clients and providers
 * use few names.
 */
class NameRules {
  private readonly known = new Map<string, string | null>();
  constructor(private readonly isForbidden: (name: string) => boolean) {}

  /** Returns the lower-case name, or null if the header must not pass. */
  allowed(name: string): string | null {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const verdict = this.isForbidden(lower) ? null : lower;
    if (this.known.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) this.known.set(name, verdict);
    return verdict;
  }
}

const upstream = new NameRules(
  (name) =>
    NEVER_UPSTREAM.has(name) ||
    isCredentialHeader(name) ||
    isMetadataHeader(name) ||
    NEVER_UPSTREAM_PREFIXES.some((prefix) => name.startsWith(prefix)),
);
const downstream = new NameRules(
  (name) => NEVER_DOWNSTREAM.has(name) || NEVER_DOWNSTREAM_PREFIXES.some((prefix) => name.startsWith(prefix)),
);

/**
 * Returns the caller's headers that may reach a provider, from Node's flat raw list. Only the first
 * content type passes, because the gateway reads the body by it.
 */
export function upstreamHeaders(rawHeaders: readonly string[], connection: string | undefined): HeaderList {
  const named = connectionNames(connection);
  const headers: HeaderList = [];
  let hasType = false;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = upstream.allowed(rawHeaders[i] as string);
    if (name === null || named?.has(name)) continue;
    if (name === 'content-type') {
      if (hasType) continue;
      hasType = true;
    }
    headers.push(name, rawHeaders[i + 1] as string);
  }
  return headers;
}

const SINGLE_HOP: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS,
  'host',
  'x-powered-by',
  HEADER.clientAddress,
  // Provider responses share this origin with the control plane, so no console may have its session
  // here.
  HEADER.console,
]);

/**
 * Returns all headers except those of a single hop, for another process of Tollgate.
 * `content-length` and end-to-end headers stay.
 */
export function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const lower = name.toLowerCase();
    if (!SINGLE_HOP.has(lower) && !lower.startsWith('x-forwarded-'))
      headers.push(name, rawHeaders[i + 1] as string);
  }
  return headers;
}

/**
 * Returns the client's headers, unchanged, whose lower-case names `mayPass` accepts; hop-by-hop
 * headers never pass.
 */
export function chosenHeaders(
  rawHeaders: readonly string[],
  mayPass: (name: string, value: string) => boolean,
): HeaderList {
  const headers: HeaderList = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    if (!HOP_BY_HOP_HEADERS.has(name) && mayPass(name, value)) headers.push(name, value);
  }
  return headers;
}

/** Returns the provider's headers that may reach the client. */
export function downstreamHeaders(headers: readonly string[]): HeaderList {
  const passed: HeaderList = [];
  let named: ReadonlySet<string> | null = null;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i] === 'connection') named = connectionNames(headers[i + 1]);
  }
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = downstream.allowed(headers[i] as string);
    if (name !== null && !named?.has(name)) passed.push(name, headers[i + 1] as string);
  }
  protectFromBrowsers(passed);
  return passed;
}

/**
 * Types that a browser shows without running anything in them. All others may become documents of
 * the gateway's origin: HTML, everything that ends in `+xml`, PDF, multipart, and types that a
 * browser invents later. A comma is not allowed, because browsers take the last one of several
 * types.
 */
const INERT =
  /^(?:application\/(?:json|octet-stream|x-ndjson|jsonl|problem\+json)|text\/(?:event-stream|plain)|(?:audio|font|image|video)\/[\w.-]+) *(?:;[^,]*)?$/i;
/** The most frequent types; browsers do not sniff another type in them. */
const PLAIN: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'text/event-stream',
  'text/event-stream; charset=utf-8',
]);
const POLICY = 'content-security-policy';
const SNIFFABLE = /^text\/(?!event-stream)|html|xml|octet-stream|,/i;

/**
 * Provider responses share the gateway's origin. A browser must not sniff a page out of a response
 * that the provider did not declare as one, and a document that it opens gets an origin of its own,
 * without scripts and forms.
 */
export function protectFromBrowsers(headers: HeaderList): void {
  const type = onlyValueOf(headers, 'content-type');
  if (PLAIN.has(type)) return;
  if (type === undefined || SNIFFABLE.test(type)) setHeader(headers, 'x-content-type-options', 'nosniff');
  // Added to the provider's policies, since a browser enforces all of them.
  if (type !== undefined && INERT.test(type)) return;
  if (onlyValueOf(headers, POLICY) !== 'sandbox') headers.push(POLICY, 'sandbox');
}

/**
 * Returns the names that a Connection header makes hop-by-hop; null for the usual `keep-alive` and
 * `close`.
 */
function connectionNames(value: string | undefined): ReadonlySet<string> | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

/** Returns the value of a header in a flat list of lower-case names. */
export function valueOf(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) if (headers[i] === name) return headers[i + 1];
  return undefined;
}

/**
 * Returns the content type in lower case, with its parameters; undefined without one. Media types
 * ignore case (RFC 9110).
 */
export const contentTypeOf = (headers: readonly string[]): string | undefined =>
  valueOf(headers, 'content-type')?.toLowerCase();

/** Like `valueOf`, but also undefined for a header that occurs several times. */
function onlyValueOf(headers: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i] !== name) continue;
    if (value !== undefined) return undefined;
    value = headers[i + 1];
  }
  return value;
}

/** Sets a header in a flat list and replaces all its values. */
export function setHeader(headers: HeaderList, name: string, value: string): void {
  removeHeader(headers, name);
  headers.push(name, value);
}

export function removeHeader(headers: HeaderList, name: string): void {
  for (let i = headers.length - 2; i >= 0; i -= 2) if (headers[i] === name) headers.splice(i, 2);
}
