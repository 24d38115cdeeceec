import {
  ResponseRecorder,
  cachePolicy,
  isCacheable,
  replayResponse,
  type CachePolicy,
  type Coalescer,
  type Lookup,
  type ResponseCache,
  type SemanticSource,
} from '@gw/cache';
import type { CompiledCache } from '@gw/routing';
import type { Shares } from '@gw/kernel';
import { OutboundError, type OutboundHandler } from '@gw/outbound';
import { parseJsonObject } from '../bodies/json-body';
import { plainPath } from '../routes/plain-path';
import { GatewayResponse } from '../attempt/gateway-response';
import { type Upstream } from '../core/upstream';
import type { BuiltRequest } from '../attempt/request/request-builder';
import type { AroundStage, AttemptCall, Next } from '../attempt/attempt-call';
import type { Sender } from '../attempt/sender';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestContext, RequestView } from '../core/request-context';
import type { GatewayPrincipal } from '../auth/principals';
import { cachedRequest } from './cached-request';
import { CacheUse } from './cache-use';
import type { Embeddings, RequestEmbedder } from './embeddings';
import { checkOf } from './wholeness';

export interface CachingParts {
  readonly cache: ResponseCache;
  readonly flights: Coalescer;
  readonly embeddings: Embeddings;
  readonly memory: Shares;
  /** Maximum bytes of a response body; a longer one is not stored. */
  readonly bodyBytesMax: number;
}

/** One attempt at a target whose config has a cache. */
interface Cached {
  readonly context: RequestContext;
  /** The request as guardrails have changed it. */
  readonly view: RequestView;
  readonly upstream: Upstream;
  readonly built: BuiltRequest;
  readonly policy: CachePolicy;
  readonly response: GatewayResponse;
  readonly listener: AttemptListener;
  readonly embedder: RequestEmbedder | null;
}

/**
 * For targets whose config has a cache: serves the cached response if there is one, otherwise calls
 * the provider and stores its response. A cache failure counts as a miss and delays the request for
 * a bounded time only. Requests with the same key may share one call. Each attempt looks up the
 * cache of its own target; the attempts of a request share their embeddings (`RequestEmbeddings`).
 */
export class CacheAround implements AroundStage {
  constructor(
    private readonly sender: Sender,
    private readonly parts: CachingParts,
  ) {}

  /** Model calls made by guardrail checks never use the cache. */
  isUsed({ context, target }: AttemptCall): boolean {
    return (
      target.cache !== null &&
      context.madeFor === null &&
      context.upgrade === null &&
      isCacheableRequest(context)
    );
  }

  around(call: AttemptCall, next: Next): void {
    const { cache } = call.upstream.target;
    const { body } = call.built.request;
    // A spooled body is not in memory. It is not a prompt either: a body of that size is an upload.
    if (cache === null || !Buffer.isBuffer(body)) next.begin(call);
    else this.sendCached(call, cache, body);
  }

  private sendCached(
    { context, request: view, upstream, built, listener }: AttemptCall,
    cache: CompiledCache,
    body: Buffer,
  ): void {
    const { gw } = context;
    const skips = context.cache?.skips === true;
    const policy = cachePolicy(cache, skips ? { ...gw.cache, forceRefresh: true } : gw.cache);
    const embedder =
      policy.threshold === null || cache.embeddings === null
        ? null
        : this.parts.embeddings.of(context, cache.embeddings, listener.isApart === true);
    const response = new GatewayResponse(upstream, listener, context);
    const cached = { context, view, upstream, built, policy, embedder, response, listener };
    const request = cachedRequest(context, upstream, built, body, policy.namespace);
    const found = this.parts.cache.lookUp(request, policy, embedder && semanticOf(cached, embedder));
    if (!(found instanceof Promise)) {
      this.afterLookup(cached, found);
      return;
    }
    found
      .then((lookup) => {
        this.afterLookup(cached, lookup);
      })
      .catch((thrown: unknown) => {
        listener.refused(thrown);
      });
  }

  private afterLookup(cached: Cached, lookup: Lookup): void {
    const { context, response, embedder, listener } = cached;
    const use = new CacheUse(context, lookup, embedder?.call ?? null);
    response.cache = use;
    // The lookup of a call that lost a hedge may end after its request.
    if (context.clientGone || context.settled) {
      response.onError(new OutboundError('aborted', 'The request ended before the call was made.'));
      return;
    }
    if (lookup.response === null) this.callProvider(cached, lookup, use);
    else response.call = replayResponse(lookup.response, response);
    listener.callStarted(response);
  }

  private callProvider(cached: Cached, lookup: Lookup, use: CacheUse): void {
    const { context, upstream, built, policy, response, listener } = cached;
    // The second call of a hedge must not share the call that it is to overtake.
    if (!policy.coalesce || listener.isApart === true) {
      response.call = this.sender.call(
        context,
        upstream,
        built,
        this.recorder(cached, lookup, response, () => response),
      );
      return;
    }
    const joinedAt = performance.now();
    use.shared = this.parts.flights.join(flightOf(built, policy, lookup), response, (handler, owner) => {
      const recorder = this.recorder(cached, lookup, handler, owner);
      return this.sender.call(context, upstream, withTimeLeft(built, performance.now() - joinedAt), recorder);
    });
    response.call = use.shared;
  }

  /**
   * `owner`: returns who the call belongs to now, because a shared call changes hands when its
   * first client leaves.
   */
  private recorder(
    { context, upstream, policy }: Cached,
    lookup: Lookup,
    next: OutboundHandler,
    owner: () => OutboundHandler | null,
  ): ResponseRecorder {
    const { cache, memory, bodyBytesMax } = this.parts;
    const { workspace } = context.principal as GatewayPrincipal;
    return new ResponseRecorder(next, {
      bodyBytesMax,
      memory: memory.of(workspace.id, workspace.organisationId),
      check: (_status, headers) => checkOf(context.route.kind, upstream, headers, bodyBytesMax),
      onWhole: (whole) => {
        const response = owner();
        if (!(response instanceof GatewayResponse)) return;
        response.cache?.keepOnce(() => {
          cache.keep(lookup, policy, whole);
        });
      },
    });
  }
}

const isCacheableRequest = ({ method, route }: RequestContext): boolean =>
  isCacheable(method, route.kind, plainPath(route.upstreamPath));

/**
 * Semantic look-ups compare the client's body after guardrails and parameter rules, in the client's
 * dialect.
 */
const semanticOf = ({ view, built }: Cached, embedder: RequestEmbedder): SemanticSource => ({
  embedder,
  body: () => built.clientBody ?? view.json(parseJsonObject),
});

/**
 * Key of a shared call. Requests share a call only when their timeouts are equal. Requests for a
 * fresh response share only with each other: a call that is already in flight is fresh enough, a
 * stored response is not.
 */
function flightOf({ request }: BuiltRequest, { refresh }: CachePolicy, { key }: Lookup): string {
  const { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs } = request;
  return [key, refresh, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs].join(' ');
}

/**
 * Reduces the timeouts of a request that takes over a shared call by the time that it has already
 * waited.
 */
function withTimeLeft(built: BuiltRequest, waitedMs: number): BuiltRequest {
  const { request } = built;
  const left = (boundMs: number): number => (boundMs === 0 ? 0 : Math.max(1, Math.ceil(boundMs - waitedMs)));
  return {
    ...built,
    request: {
      ...request,
      headersTimeoutMs: left(request.headersTimeoutMs),
      totalTimeoutMs: left(request.totalTimeoutMs),
    },
  };
}
