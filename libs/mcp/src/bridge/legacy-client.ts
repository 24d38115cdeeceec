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
/** Clients of this revision and of later ones read every kind of content. */
export const NEWEST_CONTENT: LegacyRevision = '2025-06-18';
const CACHE_MEMBERS: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope']);

/**
 * Translates a result of a modern upstream for a client of a legacy revision: without the members
 * of the modern era, without `structuredContent` that is no object, and with a text in place of
 * content that the revision has not. A result of an unknown type is an error.
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

/** Whether a client can read a `resultType`; absent means complete. */
export function isKnownResultType(type: unknown, client: { readonly tasks: boolean }): boolean {
  return type === 'complete' || type === 'input_required' || (type === 'task' && client.tasks);
}

/** The error in place of a result whose type the client cannot read. */
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
 * Tools of a modern upstream for a legacy client: without output schemas of other kinds than
 * objects, and without tools that need tasks when the client has none.
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
  /** Level of `logging/setLevel`; null before. */
  readonly logLevel: string | null;
}

/**
 * `_meta` of a request to a modern upstream: the caller's members except those of the protocol and
 * of the gateway, which are written here.
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
 * Members of `_meta` that callers and upstreams may send through; `progressToken` is replaced
 * elsewhere.
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

  /** False when the session has as many subscriptions as it may. */
  subscribe(uri: string): boolean {
    if (this.uris.size >= SUBSCRIPTIONS_MAX && !this.uris.has(uri)) return false;
    this.uris.add(uri);
    return true;
  }

  unsubscribe(uri: string): void {
    this.uris.delete(uri);
  }

  /** Params of the next listen request; the one before is closed when this is acknowledged. */
  params(): JsonObject {
    const changes = (['tools', 'prompts', 'resources'] as const)
      .filter((kind) => own(ownObject(this.serverCapabilities, kind), 'listChanged') === true)
      .map((kind) => [`${kind}ListChanged`, true]);
    const subscriptions = this.uris.size > 0 && { resourceSubscriptions: [...this.uris] };
    return { notifications: { ...Object.fromEntries(changes), ...subscriptions } };
  }

  /**
   * A notification of the upstream's listen stream as the session's GET stream has it; null for one
   * that the session did not subscribe to, and for the acknowledgement.
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
