import { CREDENTIAL_HEADERS, digestOf, FRAMING_HEADERS, HOP_BY_HOP_HEADERS, type Field } from '@gw/kernel';

/** Everything that decides which answer a request gets. What differs in any part never shares an entry. */
export interface CacheRequest {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Id of the saved config's version, `inlineConfigVersion` of a config written out, or `none`. */
  readonly configVersion: string;
  readonly provider: string;
  /** Saved provider with its version, or `ownCredential` of what the caller brought. */
  readonly credential: string;
  /** The requested model, after parameter rules. */
  readonly model: string | null;
  /** Route family, such as `chat.completions`. */
  readonly route: string;
  readonly method: string;
  /** Where the request would be sent: scheme, host and port. */
  readonly origin: string;
  /** With its query, as it would be sent. */
  readonly path: string;
  /** `relevantHeaders` of what would be sent, before it is signed. */
  readonly headers: readonly string[];
  /**
   * The whole body, byte for byte, after parameter rules. `stream` is a part of it: a streamed and a plain answer to the same
   * question are two entries, because neither can be replayed as the other without guessing what the provider would have sent.
   */
  readonly body: Uint8Array;
  /** The caller's or the config's `cache_namespace`. Null: the metadata divides the cache instead. */
  readonly namespace: string | null;
  /** Counts only without a namespace, so that what names a user in its metadata has a cache of its own. */
  readonly metadata: Readonly<Record<string, string>>;
}

const DOMAIN = 'response-cache/1';
const BUCKET_DOMAIN = 'semantic-bucket/1';

/** Key of the exact entry: 43 characters, the same in every gateway. Holds nothing readable of the request. */
export const cacheKey = (request: CacheRequest): string =>
  digestOf(DOMAIN, [...surroundings(request), request.body]);

/**
 * Bucket of requests that differ in nothing but the compared text. `rest` is the body without that text; `embedder` the model
 * that made the vectors, because vectors of different models cannot be compared.
 */
export const bucketKey = (request: CacheRequest, embedder: string, rest: string): string =>
  digestOf(BUCKET_DOMAIN, [...surroundings(request), embedder, rest]);

function surroundings(request: CacheRequest): Field[] {
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

/** Represents a config written out in the request. */
export const inlineConfigVersion = (text: string): string => `inline:${digestOf('inline-config/1', [text])}`;

/** Represents a credential that the caller brought. Null: none. The secret cannot be read from it. */
export const ownCredential = (secret: string | null): string =>
  `own:${digestOf('own-credential/1', [secret])}`;

/** Headers that change nothing about an answer: who asks, for tracing, how it travels. */
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

/** Lower-case names of the headers seen so far, null for irrelevant ones. At its cap names are worked out each time. */
const known = new Map<string, string | null>();
const KNOWN_MAX = 4_096;

function relevantName(name: string): string | null {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const lower = name.toLowerCase();
  const irrelevant = IRRELEVANT.has(lower) || IRRELEVANT_PREFIXES.some((prefix) => lower.startsWith(prefix));
  const relevant = irrelevant ? null : lower;
  if (known.size < KNOWN_MAX) known.set(name, relevant);
  return relevant;
}

/**
 * The headers of a flat list that can change the answer, sorted by name, values of the same name in their order. Unknown headers
 * count, because a provider may read any: a needless miss is cheaper than a wrong answer. `forwarded` are headers that the config
 * sends on as they came; all of them count, credentials too.
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
