import { isObject } from '@gw/kernel';
import { CODES } from '../fault';
import { writtenCapabilities, type ClientCapabilities } from '../http/client-capabilities';
import { META, type JsonObject, type LegacyRevision } from '../protocol';
import { own, ownList, ownObject, type RpcError } from '../rpc/message';

/**
 * A result of a modern upstream for a legacy client. `input_required` is handled by `InputRounds`.
 */
export type LegacyResult =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'input_required'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError };

/** Kinds of content by the first revision that has them. */
const CONTENT_SINCE: Readonly<Record<string, LegacyRevision>> = {
  audio: '2025-03-26',
  resource_link: '2025-06-18',
};
/** The first revision whose clients read every kind of content. */
export const NEWEST_CONTENT: LegacyRevision = '2025-06-18';
const CACHE_MEMBERS: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope']);

/**
 * Translates a result of a modern upstream for a client of a legacy revision: without the members
 * of the modern era, without `structuredContent` that is not an object, and with a text in place of
 * content that the revision does not have. Returns an error for a result of an unknown type.
 */
export function toLegacyResult(
  result: JsonObject,
  client: { readonly revision: LegacyRevision; readonly tasks: boolean },
): LegacyResult {
  const type = own(result, 'resultType') ?? 'complete';
  if (type === 'input_required') return { kind: 'input_required', result };
  if (!isKnownResultType(type, client)) return { kind: 'error', error: UNKNOWN_RESULT_TYPE };
  const entries = Object.entries(result).filter(([name]) => !CACHE_MEMBERS.has(name));
  const legacy: Record<string, unknown> = Object.fromEntries(entries);
  if (legacy['structuredContent'] !== undefined && !isObject(legacy['structuredContent']))
    delete legacy['structuredContent'];
  if (Array.isArray(legacy['content']))
    legacy['content'] = ownList(legacy, 'content').map((part) => contentFor(part, client.revision));
  return { kind: 'result', result: legacy };
}

/** Returns whether a client can read a `resultType`; an absent type means `complete`. */
export function isKnownResultType(type: unknown, client: { readonly tasks: boolean }): boolean {
  return type === 'complete' || type === 'input_required' || (type === 'task' && client.tasks);
}

/** Error that replaces a result whose type the client cannot read. */
export const UNKNOWN_RESULT_TYPE: RpcError = {
  code: CODES.internal,
  message: 'The server sent a result of a kind that this client cannot read.',
};

function contentFor(part: unknown, revision: LegacyRevision): unknown {
  if (!isObject(part)) return part;
  const type = String(own(part, 'type'));
  const since = Object.hasOwn(CONTENT_SINCE, type) ? CONTENT_SINCE[type] : undefined;
  if (since === undefined || revision >= since) return part;
  const detail = own(part, type === 'audio' ? 'mimeType' : 'uri');
  const text = typeof detail === 'string' ? `${type}: ${detail.slice(0, 2_048)}` : type;
  return { type: 'text', text: `[${text}]` };
}

/**
 * Returns the tools of a modern upstream as a legacy client reads them: without output schemas that
 * do not describe an object, and without tools that require tasks if the client does not support
 * tasks.
 */
export const toLegacyTools = (
  tools: readonly JsonObject[],
  client: { readonly tasks: boolean },
): readonly JsonObject[] =>
  tools
    .filter((tool) => client.tasks || own(ownObject(tool, 'execution'), 'taskSupport') !== 'required')
    .map((tool) => {
      const { outputSchema, ...rest } = tool;
      return isObject(outputSchema) && own(outputSchema, 'type') !== 'object' ? rest : tool;
    });

/** Settings of a session for its calls to modern upstreams. */
export interface LegacySessionState {
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
  readonly client: JsonObject;
  /** Level that the client set with `logging/setLevel`; null before it did. */
  readonly logLevel: string | null;
}

/**
 * Returns `_meta` of a request to a modern upstream: the caller's members, without those that the
 * protocol and the gateway define, and the gateway's own values of these.
 */
export function upstreamMeta(params: JsonObject, state: LegacySessionState): JsonObject {
  const forwarded = Object.entries(ownObject(params, '_meta')).filter(([name]) => isForwardedMeta(name));
  return {
    ...Object.fromEntries(forwarded),
    [META.version]: state.revision,
    [META.capabilities]: writtenCapabilities(state.capabilities),
    [META.client]: state.client,
    ...(state.logLevel !== null && { [META.logLevel]: state.logLevel }),
  };
}

/**
 * Returns whether a member of `_meta` is forwarded between callers and upstreams. `progressToken`
 * is replaced elsewhere.
 */
export const isForwardedMeta = (name: string): boolean =>
  !name.startsWith('io.modelcontextprotocol/') && !name.startsWith('gw/') && name !== 'progressToken';

/**
 * Filter of `subscriptions/listen` that a legacy session needs at a modern upstream. At most 100
 * resources.
 */
export class ListenFilter {
  private readonly uris = new Set<string>();

  constructor(private readonly serverCapabilities: JsonObject) {}

  /** Returns false when the session already has the maximum number of subscriptions. */
  subscribe(uri: string): boolean {
    if (this.uris.size >= SUBSCRIPTIONS_MAX && !this.uris.has(uri)) return false;
    this.uris.add(uri);
    return true;
  }

  unsubscribe(uri: string): void {
    this.uris.delete(uri);
  }

  /**
   * Returns the params of the next listen request. The caller closes the previous request once the
   * upstream acknowledges this one.
   */
  params(): JsonObject {
    const changes = (['tools', 'prompts', 'resources'] as const)
      .filter((kind) => own(ownObject(this.serverCapabilities, kind), 'listChanged') === true)
      .map((kind) => [`${kind}ListChanged`, true]);
    const subscriptions = this.uris.size > 0 && { resourceSubscriptions: [...this.uris] };
    return { notifications: { ...Object.fromEntries(changes), ...subscriptions } };
  }

  /**
   * Returns a notification of the upstream's listen stream in the form of the session's GET stream;
   * null for a notification that the session did not subscribe to, and for the acknowledgement.
   */
  relayed(
    method: string,
    params: JsonObject,
  ): { readonly method: string; readonly params: JsonObject } | null {
    if (method === 'notifications/subscriptions/acknowledged') return null;
    const uri = own(params, 'uri');
    if (method === 'notifications/resources/updated' && !(typeof uri === 'string' && this.uris.has(uri)))
      return null;
    const { _meta, ...rest } = params;
    const kept = Object.entries(isObject(_meta) ? _meta : {}).filter(([name]) => isForwardedMeta(name));
    return { method, params: { ...rest, ...(kept.length > 0 && { _meta: Object.fromEntries(kept) }) } };
  }
}

const SUBSCRIPTIONS_MAX = 100;
