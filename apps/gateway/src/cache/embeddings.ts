import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Embedder } from '@gw/cache';
import type { CompiledEmbeddings } from '@gw/routing';
import type { CacheEmbedding } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { OutboundError, OutboundHandler } from '@gw/outbound';
import { shallowScan, type JsonObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import { routeOf } from '../routes/route-table';
import type { Upstream } from '../core/upstream';
import { translationContext } from '../attempt/response-shape';
import type { RequestBuilder } from '../attempt/request/request-builder';
import type { Sender } from '../attempt/sender';
import type { Targeting } from '../attempt/targeting';
import type { RequestView, RequestContext } from '../core/request-context';
import type { TargetPricer } from '../usage/use';

/** The embedding call as the decision record shows it. */
export type EmbeddingCall = CacheEmbedding;

export interface RequestEmbedder extends Embedder {
  /** The embedding call made for the request; null until one is made. */
  readonly call: EmbeddingCall | null;
}

/** Creates embeddings of texts for the semantic cache, through the embeddings target of a config. */
export class Embeddings {
  constructor(
    private readonly targeting: Targeting,
    private readonly builder: RequestBuilder,
    private readonly sender: Sender,
    private readonly pricer: TargetPricer,
  ) {}

  /** Returns the embedder of one request, which pays for its call. */
  of(context: RequestContext, settings: CompiledEmbeddings): RequestEmbedder {
    const embedder: { -readonly [K in keyof RequestEmbedder]: RequestEmbedder[K] } = {
      id: settings.target.endpoint,
      call: null,
      embed: async (texts) => {
        const request = embeddingOf(context, settings, texts);
        const upstream = await this.targeting.pick(request, settings.target);
        const startedMs = performance.now();
        const response = await this.ask(context, request, upstream);
        embedder.call = this.noted(upstream, response, performance.now() - startedMs);
        return vectorsOf(response);
      },
    };
    return embedder;
  }

  private async ask(context: RequestContext, request: RequestView, upstream: Upstream): Promise<JsonObject> {
    const built = this.builder.build(request, upstream);
    let ended = (): void => undefined;
    const body = await new Promise<Buffer>((resolve, reject) => {
      const collector = new Collector(resolve, reject);
      collector.call = this.sender.call(context, upstream, built, collector);
      ended = context.alsoWhenClientGone({ clientGone: () => collector.call?.abort() });
    }).finally(() => ended());
    const parsed = parseJsonObject(body);
    const { support } = upstream;
    if (support?.via !== 'translated') return parsed;
    const sent = built.clientBody === null ? upstream : { ...upstream, clientBody: built.clientBody };
    return support.translator.response(parsed, translationContext(context, sent));
  }

  private noted(upstream: Upstream, response: JsonObject, durationMs: number): EmbeddingCall {
    const usage = upstream.provider.usage(response);
    const priced = usage && this.pricer.price(upstream, null, usage, Date.now());
    return {
      provider: upstream.provider.id,
      credential: upstream.saved?.slug ?? null,
      model: upstream.model,
      inputTokens: usage?.inputTokens ?? null,
      cost: priced?.total ?? null,
      durationMs,
    };
  }
}

/** Maximum bytes of an embeddings response. */
const RESPONSE_BYTES_MAX = 1_048_576;
const TIMEOUT_MS = 5_000;

/**
 * A request of the gateway on behalf of the caller. Of what the caller sent, the provider gets only the texts: no header,
 * query or key. The target's rules set the model.
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

function vectorsOf({ data }: JsonObject): readonly ArrayLike<number>[] {
  if (!Array.isArray(data)) throw new GatewayError('provider_answer_invalid');
  return data.map((item: unknown) => {
    const vector = (item as JsonObject | null)?.['embedding'];
    if (!Array.isArray(vector) || !vector.every((component) => typeof component === 'number'))
      throw new GatewayError('provider_answer_invalid');
    return vector;
  });
}

/** Reads one successful response whole. */
class Collector implements OutboundHandler {
  call: { abort(): void } | null = null;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly resolve: (body: Buffer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  onHeaders(status: number): void {
    if (status < 200 || status > 299) this.stop();
  }

  onData(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > RESPONSE_BYTES_MAX) this.stop();
    else this.chunks.push(chunk);
  }

  onEnd(): void {
    this.resolve(Buffer.concat(this.chunks));
  }

  onError(error: OutboundError): void {
    this.reject(error);
  }

  private stop(): void {
    this.reject(new GatewayError('provider_answer_invalid'));
    this.call?.abort();
  }
}
