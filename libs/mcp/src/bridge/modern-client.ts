import { isObject } from '@gw/kernel';
import { CODES } from '../fault';
import { capabilitiesOfBits, capabilityBits, type ClientCapabilities } from '../http/client-capabilities';
import { META, type JsonObject } from '../protocol';
import { own, ownList, type RpcError } from '../rpc/message';
import type { InputRequest, InputRequests } from '../sealed/request-state';

/** Rules for relaying requests of upstreams to clients. */
export interface RelayRules {
  /** Whether the integration allows sampling by the caller's model. */
  readonly allowSampling: boolean;
}

const RELAYED = {
  ...{ form: true, url: true, sampling: false, samplingTools: false, roots: true, tasks: true },
} satisfies ClientCapabilities;
const RELAYED_BITS = capabilityBits(RELAYED);
const RELAYED_WITH_SAMPLING = capabilityBits({ ...RELAYED, sampling: true, samplingTools: true });

/**
 * Returns the capabilities that the gateway declares to a legacy upstream for a client, as
 * `capabilityBits`: only those that it can relay. The bits are part of the key of pooled upstream
 * sessions.
 */
export const relayedCapabilityBits = (client: ClientCapabilities, { allowSampling }: RelayRules): number =>
  capabilityBits(client) & (allowSampling ? RELAYED_WITH_SAMPLING : RELAYED_BITS);

/** Returns the capabilities of `relayedCapabilityBits` by name. */
export const relayedCapabilities = (client: ClientCapabilities, rules: RelayRules): ClientCapabilities =>
  capabilitiesOfBits(relayedCapabilityBits(client, rules));

const LISTS: ReadonlySet<string> = new Set([
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
]);
/** Returns whether results of a method may be cached (MCP 2026-07-28). */
export const isCacheable = (method: string): boolean => LISTS.has(method) || method === 'resources/read';

const TTL_MS_MAX = 300_000;

export interface ModernResultFacts {
  /** `{name, version}` of the upstream. */
  readonly serverInfo: JsonObject;
  /** How long the gateway's snapshot is valid, in milliseconds. */
  readonly ttlMs: number;
  /** Whether the list differs between callers; such a list never has the scope `public`. */
  readonly isFiltered: boolean;
}

/**
 * Returns a result of an upstream of either era as a modern client reads it: with `resultType`, the
 * server's name, and for lists and resources with `ttlMs` and `cacheScope`.
 */
export function toModernResult(method: string, result: JsonObject, facts: ModernResultFacts): JsonObject {
  const meta = own(result, '_meta');
  const modern = {
    ...result,
    resultType: own(result, 'resultType') ?? 'complete',
    _meta: { ...(isObject(meta) ? meta : {}), [META.server]: facts.serverInfo },
  };
  return isCacheable(method) ? { ...modern, ...cacheFacts(result, facts) } : modern;
}

function cacheFacts(result: JsonObject, { ttlMs, isFiltered }: ModernResultFacts): JsonObject {
  const upstream = own(result, 'ttlMs');
  const bound =
    Number.isSafeInteger(upstream) && (upstream as number) >= 0 ? (upstream as number) : TTL_MS_MAX;
  const isPublic = own(result, 'cacheScope') === 'public' && !isFiltered;
  return {
    ttlMs: Math.min(TTL_MS_MAX, bound, Math.max(0, Math.trunc(ttlMs))),
    cacheScope: isPublic ? 'public' : 'private',
  };
}

/**
 * Translation of a legacy upstream's error for a modern client: an error, or a request for input.
 */
export type ModernError =
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'input_required'; readonly requests: InputRequests };

const ELICITATIONS_MAX = 5;

/**
 * Translates an error of a legacy upstream: -32002 becomes -32602, and -32042 becomes one URL
 * elicitation for each entry (at most 5) when the client can open URLs.
 */
export function toModernError(error: RpcError, client: ClientCapabilities): ModernError {
  if (error.code === CODES.resourceNotFound)
    return { kind: 'error', error: { ...error, code: CODES.invalidParams } };
  if (error.code !== CODES.urlElicitation) return { kind: 'error', error };
  const entries = isObject(error.data) ? ownList(error.data, 'elicitations') : [];
  const requests = entries.filter(isObject).slice(0, ELICITATIONS_MAX).map(urlElicitation);
  if (requests.length > 0 && client.url && requests.every((each) => isHttps(own(each.params, 'url'))))
    return {
      kind: 'input_required',
      requests: Object.fromEntries(requests.map((each, index) => [`url${String(index + 1)}`, each])),
    };
  return { kind: 'error', error: needsUrl };
}

/** Error for a client that did not declare that it can open URLs, and for invalid entries. */
const needsUrl: RpcError = {
  code: CODES.missingCapability,
  message: 'The server needs the user to open a page, which this client cannot show.',
  data: { requiredCapabilities: { elicitation: { url: {} } } },
};

const urlElicitation = (entry: JsonObject): InputRequest => ({
  method: 'elicitation/create',
  params: { ...entry, mode: 'url' },
});

/** Returns whether a value is an https URL, which elicitations in URL mode require. */
export const isHttps = (url: unknown): boolean =>
  typeof url === 'string' && url.length <= 2_048 && /^https:\/\//i.test(url) && URL.canParse(url);
