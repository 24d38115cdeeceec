import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { DIMENSIONS_MAX } from '@gw/cache';
import type { CompiledTarget } from '@gw/routing';
import type { CacheEmbedding, Usage } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { BYTES_PER_TOKEN } from '@gw/limits';
import { OutboundError, type OutboundHandler } from '@gw/outbound';
import type { JsonObject } from '@gw/providers';
import type { BuiltRequest, RequestBuilder } from '../attempt/request/request-builder';
import { translationContext } from '../attempt/response-shape';
import type { Sender } from '../attempt/sender';
import type { Targeting } from '../attempt/targeting';
import { parseJsonObject } from '../bodies/json-body';
import type { RequestContext, RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { Accounts } from '../limits/accounts';
import { isImplausible } from '../usage/absurd-use';
import type { TargetPricer } from '../usage/use';
import type { RequestEmbeddingsCall, Vectors } from './request-embeddings';

/** Maximum bytes of an embeddings response. */
const RESPONSE_BYTES_MAX = 1_048_576;

export interface EmbeddingsParts {
  readonly targeting: Targeting;
  readonly builder: RequestBuilder;
  readonly sender: Sender;
  readonly pricer: TargetPricer;
  readonly accounts: Pick<Accounts, 'chargeEmbedding'>;
}

/**
 * One call of an embeddings target for a request. The request is charged once for a call that the
 * target accepted: with the reported usage, or with an estimate if the call is cut, its response
 * cannot be read, or it reports no plausible usage. A call that failed otherwise costs nothing.
 */
export class EmbeddingsCall implements RequestEmbeddingsCall {
  readonly vectors: Promise<Vectors>;
  record: CacheEmbedding | null = null;
  /** The target of the call, and a function that aborts it; null before the call is sent. */
  private sent: { readonly upstream: Upstream; abort(): void } | null = null;
  private isCharged = false;

  constructor(
    private readonly parts: EmbeddingsParts,
    private readonly context: RequestContext,
    private readonly request: RequestView,
    target: CompiledTarget,
    private readonly texts: readonly string[],
  ) {
    this.vectors = this.make(target);
  }

  cut(): void {
    if (this.sent === null) return;
    this.charge(this.sent.upstream, null);
    this.sent.abort();
  }

  private async make(target: CompiledTarget): Promise<Vectors> {
    const upstream = await this.parts.targeting.pick(this.request, target);
    const { settled, clientGone } = this.context;
    if (settled || clientGone)
      throw new OutboundError('aborted', 'The request ended before the embeddings call was made.');
    const startedMs = performance.now();
    const collector = new Collector();
    try {
      const built = this.parts.builder.build(this.request, upstream);
      const body = parseJsonObject(await this.send(upstream, built, collector));
      const response = this.translated(upstream, built, body);
      const usage = plausible(upstream.provider.usage(response));
      this.record = {
        provider: upstream.provider.id,
        credential: upstream.saved?.slug ?? null,
        model: upstream.model,
        inputTokens: usage?.inputTokens ?? null,
        cost: this.charge(upstream, usage),
        durationMs: performance.now() - startedMs,
      };
      return vectorsOf(response, this.texts.length);
    } catch (thrown) {
      if (collector.isAccepted) this.charge(upstream, null);
      throw thrown;
    }
  }

  private send(upstream: Upstream, built: BuiltRequest, collector: Collector): Promise<Buffer> {
    const { context } = this;
    collector.call = this.parts.sender.call(context, upstream, built, collector);
    this.sent = { upstream, abort: () => collector.call?.abort() };
    const ended = context.alsoWhenClientGone({ clientGone: () => this.cut() });
    return collector.body.finally(() => {
      this.sent = null;
      ended();
    });
  }

  private translated(upstream: Upstream, { clientBody }: BuiltRequest, body: JsonObject): JsonObject {
    const { support } = upstream;
    if (support?.via !== 'translated') return body;
    const sent = clientBody === null ? upstream : { ...upstream, clientBody };
    return support.translator.response(body, translationContext(this.context, sent));
  }

  /**
   * Charges the call if it is not charged yet. `usage` null: charges an estimate. Returns the cost;
   * null: no price is known.
   */
  private charge(upstream: Upstream, usage: Usage | null): number | null {
    const { context } = this;
    const { pricer, accounts } = this.parts;
    const cost =
      usage === null
        ? this.estimate(upstream)
        : (pricer.price(upstream, null, usage, context.startedWallMs)?.total ?? null);
    if (!this.isCharged && cost !== 0) accounts.chargeEmbedding(context, upstream, cost, usage === null);
    this.isCharged = true;
    return cost;
  }

  /** Estimates the cost from the length of the texts, in 1e-8 USD; null: no price is known. */
  private estimate(upstream: Upstream): number | null {
    const { model } = upstream;
    if (model === null) return null;
    const tokens = Math.ceil(this.texts.reduce(byteSum, 0) / BYTES_PER_TOKEN);
    return this.parts.pricer.priceOfText(upstream, model, tokens, 0, this.context.startedWallMs);
  }
}

const byteSum = (sum: number, text: string): number => sum + Buffer.byteLength(text);

const plausible = (usage: Usage | null): Usage | null =>
  usage === null || isImplausible(usage) ? null : usage;

/**
 * Returns the first `count` vectors of a response. Refuses vectors that are longer than the cache
 * compares.
 */
function vectorsOf({ data }: JsonObject, count: number): Vectors {
  if (!Array.isArray(data)) throw new GatewayError('provider_answer_invalid');
  return data.slice(0, count).map((item: unknown) => {
    const vector = (item as JsonObject | null)?.['embedding'];
    if (!Array.isArray(vector) || vector.length > DIMENSIONS_MAX || !vector.every(isNumber))
      throw new GatewayError('provider_answer_invalid');
    return vector;
  });
}

const isNumber = (component: unknown): component is number => typeof component === 'number';

/** Reads one successful response whole. */
class Collector implements OutboundHandler {
  call: { abort(): void } | null = null;
  /** The target responded with a success status, so it bills the call. */
  isAccepted = false;
  private resolve!: (body: Buffer) => void;
  private reject!: (error: Error) => void;
  readonly body = new Promise<Buffer>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  onHeaders(status: number): void {
    this.isAccepted = status >= 200 && status <= 299;
    if (!this.isAccepted) this.stop();
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
