import { Buffer } from 'node:buffer';
import type { Embedder } from '@gw/cache';
import type { CompiledEmbeddings } from '@gw/routing';
import type { CacheEmbedding } from '@gw/contracts';
import { shallowScan, type JsonObject } from '@gw/providers';
import type { RequestContext, RequestView } from '../core/request-context';
import { routeOf } from '../routes/route-table';
import { EmbeddingsCall, type EmbeddingsParts } from './embeddings-call';
import { requestCacheOf } from './request-cache';
import { RequestEmbeddings, type RequestEmbeddingsCall } from './request-embeddings';

export interface RequestEmbedder extends Embedder {
  /** The call that returned the vector; null until its response has arrived. */
  readonly call: CacheEmbedding | null;
}

/**
 * Creates embeddings of texts for the semantic cache, through the embeddings target of a config.
 */
export class Embeddings {
  constructor(private readonly parts: EmbeddingsParts) {}

  /**
   * Returns the embedder of one attempt. The attempts of a request share their vectors, and the
   * request pays for each call. `isApart`: the attempt does not wait for a call of another attempt.
   */
  of(context: RequestContext, settings: CompiledEmbeddings, isApart: boolean): RequestEmbedder {
    const { target, dimensions } = settings;
    let call: RequestEmbeddingsCall | null = null;
    return {
      id: target.endpoint,
      get call() {
        return call?.record ?? null;
      },
      embed: async (texts) => {
        const cache = requestCacheOf(context);
        cache.embeddings ??= new RequestEmbeddings();
        const key = JSON.stringify([target.endpoint, dimensions, texts]);
        call = cache.embeddings.of(key, isApart, () => this.start(context, settings, texts));
        return await call.vectors;
      },
    };
  }

  private start(
    context: RequestContext,
    settings: CompiledEmbeddings,
    texts: readonly string[],
  ): RequestEmbeddingsCall {
    const request = embeddingOf(context, settings, texts);
    return new EmbeddingsCall(this.parts, context, request, settings.target, texts);
  }
}

const TIMEOUT_MS = 5_000;

/**
 * A request of the gateway on behalf of the caller. Of what the caller sent, the provider gets only
 * the texts: no header, query or key. The target's rules set the model.
 */
function embeddingOf(
  context: RequestContext,
  { target }: CompiledEmbeddings,
  texts: readonly string[],
): RequestView {
  const parsed: JsonObject = { input: texts.length === 1 ? texts[0] : texts };
  const body = Buffer.from(JSON.stringify(parsed));
  const ownMs = target.requestTimeoutMs ?? TIMEOUT_MS;
  return {
    gw: {
      ...context.gw,
      provider: null,
      virtualKey: null,
      customHost: null,
      forwardHeaders: NONE,
      providerKey: null,
      requestTimeoutMs: Math.min(ownMs, context.gw.requestTimeoutMs ?? ownMs),
    },
    req: { rawHeaders: HEADERS, headers: {} },
    method: 'POST',
    query: '',
    upgrade: null,
    route: ROUTE,
    principal: context.principal,
    config: context.config,
    configSource: context.configSource,
    metadata: context.metadata,
    startedWallMs: context.startedWallMs,
    body,
    spooled: null,
    scan: shallowScan(body),
    attempts: NO_ATTEMPTS,
    isParsed: false,
    json: () => parsed,
  };
}

const NONE: readonly string[] = [];
const NO_ATTEMPTS = { partial: null };
const HEADERS = ['accept', 'application/json'];
const ROUTE = routeOf('POST', '/embeddings');
