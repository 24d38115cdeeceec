import { CREDENTIAL_HEADERS, digestOf, FRAMING_HEADERS, HOP_BY_HOP_HEADERS, type Field } from '@gw/kernel';

/**
 * Everything that determines the response to a request. Requests that differ in any part never
 * share an entry.
 */
export interface CacheRequest {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Version id of the saved config, `inlineConfigVersion` of an inline config, or `none`. */
  readonly configVersion: string;
  readonly provider: string;
  /** Saved provider with its version, or `ownCredential` of the caller's credential. */
  readonly credential: string;
  /** The requested model, after parameter rules. */
  readonly model: string | null;
  /** Route family, such as `chat.completions`. */
  readonly route: string;
  readonly method: string;
  /** Scheme, host and port of the upstream address. */
  readonly origin: string;
  /** Upstream path with its query. */
  readonly path: string;
  /** `relevantHeaders` of the upstream request, before it is signed. */
  readonly headers: readonly string[];
  /** The whole body, byte for byte, after parameter rules. It includes `stream`: a streamed and a
   * plain response to the same question are two entries, because neither can be converted to
   * exactly what the provider would have sent.
   */
  readonly body: Uint8Array;
  /**
   * The `cache_namespace` of the caller or the config; null when the metadata separates entries
   * instead.
   */
  readonly namespace: string | null;
  /**
   * Used only without a namespace, so that a request whose metadata names a user has its own
   * entries.
   */
  readonly metadata: Readonly<Record<string, string>>;
}

const DOMAIN = 'response-cache/1';
const BUCKET_DOMAIN = 'semantic-bucket/1';

/**
 * Returns the key of the exact entry: 43 characters, equal in every gateway, with nothing readable
 * from the request.
 */
export const cacheKey = (request: CacheRequest): string =>
  digestOf(DOMAIN, [...contextOf(request), request.body]);

/**
 * Returns the bucket of requests that differ only in the compared text. `rest` is the body without
 * that text. `embedder` is the model that creates the vectors, because vectors of different models
 * are not comparable.
 */
export const bucketKey = (request: CacheRequest, embedder: string, rest: string): string =>
  digestOf(BUCKET_DOMAIN, [...contextOf(request), embedder, rest]);

function contextOf(request: CacheRequest): Field[] {
  const { organisationId, workspaceId, configVersion, provider, credential, model } = request;
  const { route, method, origin, path, headers, namespace, metadata } = request;
  return [
    organisationId,
    workspaceId,
    configVersion,
    provider,
    credential,
    model,
    route,
    method,
    origin,
    path,
    headers,
    namespace,
    namespace === null ? pairsOf(metadata) : null,
  ];
}

function pairsOf(metadata: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(metadata);
  if (names.length > 1) names.sort();
  return names.flatMap((name) => [name, metadata[name] as string]);
}

/** Returns the version id of an inline config: a digest of its text. */
export const inlineConfigVersion = (text: string): string => `inline:${digestOf('inline-config/1', [text])}`;

/**
 * Returns an identifier of the caller's own credential (null for none). The secret cannot be
 * derived from it.
 */
export const ownCredential = (secret: string | null): string =>
  `own:${digestOf('own-credential/1', [secret])}`;

/** Headers that do not affect a response: identity, tracing, transport. */
const IRRELEVANT: ReadonlySet<string> = new Set([
  ...CREDENTIAL_HEADERS,
  ...FRAMING_HEADERS,
  ...HOP_BY_HOP_HEADERS,
  'baggage',
  'cache-control',
  'date',
  'dnt',
  'idempotency-key',
  'origin',
  'pragma',
  'priority',
  'referer',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-amz-date',
  'x-request-id',
]);
const IRRELEVANT_PREFIXES = ['sec-', 'x-b3-', 'x-gw-', 'x-stainless-'];

/**
 * Lower-case names of headers seen so far; null for irrelevant ones. When it is full, further names
 * are computed each time.
 */
const relevantNames = new Map<string, string | null>();
const NAMES_MAX = 4_096;

function relevantName(name: string): string | null {
  const cached = relevantNames.get(name);
  if (cached !== undefined) return cached;
  const lower = name.toLowerCase();
  const irrelevant = IRRELEVANT.has(lower) || IRRELEVANT_PREFIXES.some((prefix) => lower.startsWith(prefix));
  const relevant = irrelevant ? null : lower;
  if (relevantNames.size < NAMES_MAX) relevantNames.set(name, relevant);
  return relevant;
}

/**
 * Returns the headers of a flat list that can affect the response, sorted by name, with the values
 * of one name in order.
 * Unknown headers are included, because a provider may read any: a needless miss is cheaper than a
 * wrong response. `forwarded` are headers that the config forwards unchanged; all of them are
 * included, credentials too.
 */
export function relevantHeaders(sent: readonly string[], forwarded: readonly string[] = []): string[] {
  const pairs: [name: string, value: string][] = [];
  for (let i = 0; i + 1 < sent.length; i += 2) {
    const name = relevantName(sent[i] as string);
    if (name !== null) pairs.push([name, sent[i + 1] as string]);
  }
  for (let i = 0; i + 1 < forwarded.length; i += 2) {
    pairs.push([`forwarded ${(forwarded[i] as string).toLowerCase()}`, forwarded[i + 1] as string]);
  }
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return pairs.flat();
}
