import { documentKey, type DocumentKey } from '@gw/contracts';
import type { CompiledTarget } from '@gw/routing';
import {
  BYTES_PER_TOKEN,
  CREDIBLE_TOKENS_MAX,
  type Bucket,
  type Estimate,
  type TokenEstimate,
  type TokenEstimator,
} from '@gw/limits';
import type { Provider } from '@gw/providers';
import type { Upstream } from '../core/upstream';
import { calledModel, providerNamed, withoutSlug } from '../attempt/targeting';
import type { RequestContext } from '../core/request-context';
import type { PricedBy, TargetPricer } from './use';
import type { Documents } from '../auth/documents';
import type { GatewayPrincipal } from '../auth/principals';
import { refuseUnbounded, requestedAtMost, requestedOutput, requestedWhenSent } from './requested-output';
import { sourceOf } from './learned-from';
import { isUnknowable } from './made-earlier';

/** Input tokens assumed for a spooled body or a form, because most of its bytes are a file. */
const OPAQUE_INPUT = 1_024;
/** Maximum number of targets of a config whose prices are compared. */
const TARGETS_MAX = 8;
const NOTHING: Estimate = { cost: 0, tokens: 0 };
/** An unknown estimate; a strict budget refuses it. */
const UNKNOWN: Estimate = { cost: null, tokens: null };
/**
 * Output bounds up to this many tokens are below every model's context window, so the window need
 * not be looked up.
 */
const BOUND_SMALL = 4_096;

/**
 * A target that a request may reach, with the provider and model whose prices and typical responses
 * apply.
 */
interface PricedCandidate extends PricedBy {
  /** Null: the request names no model. */
  readonly model: string | null;
  readonly target: CompiledTarget;
}

/** A target that a request may reach, whose provider or model is unknown. */
interface UnpricedCandidate {
  readonly target: CompiledTarget;
}

/** The estimated size of a request. */
interface Size extends TokenEstimate {
  /** Models that may respond instead of the named one. */
  readonly others: readonly string[];
  /** Name of the member that requests the output, when its value cannot be read; otherwise null. */
  readonly unread: string | null;
}
/** Estimated usage of a response that reports none. */
export interface UsageEstimate extends Estimate {
  readonly tokens: number;
}
const NONE: readonly string[] = Object.freeze([]);

/** Returns the larger cost; null: one of them is unknown. */
const higherCost = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** Returns the more expensive of two targets' estimates. If one has no price, the other is used. */
const higherEstimate = (one: Estimate, other: Estimate): Estimate => ({
  cost: one.cost === null || other.cost === null ? (one.cost ?? other.cost) : Math.max(one.cost, other.cost),
  tokens: Math.max(one.tokens ?? 0, other.tokens ?? 0),
});

/** Estimates the usage of requests, as precisely as their limits require. */
export class Estimates {
  constructor(
    readonly tokens: TokenEstimator,
    private readonly pricer: TargetPricer,
    private readonly documents: Documents,
    private readonly providers: ReadonlyMap<string, Provider>,
  ) {}

  /**
   * Estimates a request before a target is selected, by the most expensive target that the config
   * may select. Returns null when a document that the price depends on must be loaded first.
   */
  ofRequest(context: RequestContext, buckets: readonly Bucket[]): Estimate | null {
    return this.estimate(context, buckets, true);
  }

  /**
   * Like `ofRequest`, after loading the documents; a target whose document cannot be loaded has no
   * price. Never rejects.
   */
  async ofRequestAfterReading(context: RequestContext, buckets: readonly Bucket[]): Promise<Estimate> {
    const targets = context.config?.targets ?? [];
    await Promise.all(
      targets.slice(0, TARGETS_MAX).map(async (target) => {
        const key = providerKey(context, providerNamed(context, target));
        // The stage that selects the target reports the error.
        if (key !== null) await this.documents.load(key).catch(() => undefined);
      }),
    );
    return this.estimate(context, buckets, false) ?? NOTHING;
  }

  /**
   * When a document is not loaded, returns null if `waits` is true; otherwise its target has no
   * price.
   */
  private estimate(context: RequestContext, buckets: readonly Bucket[], waits: boolean): Estimate | null {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(context)) return UNKNOWN;
    if (!callsModel(context)) return NOTHING;
    const targets = context.config?.targets ?? [];
    let highest: Estimate = { cost: (needs & NEEDS_COST) === 0 ? 0 : null, tokens: 0 };
    for (let at = 0; at < targets.length && at < TARGETS_MAX; at += 1) {
      const target = targets[at] as CompiledTarget;
      const candidate = this.candidateAt(context, target);
      if (candidate === undefined && waits) return null;
      highest = higherEstimate(highest, this.estimateAt(context, candidate ?? { target }, needs));
    }
    return highest;
  }

  private estimateAt(
    context: RequestContext,
    candidate: PricedCandidate | UnpricedCandidate,
    needs: number,
  ): Estimate {
    const size = this.sizeFor(context, candidate, needs);
    const tokens = size.input + size.output;
    if ((needs & NEEDS_COST) === 0) return { cost: 0, tokens };
    return { cost: 'provider' in candidate ? this.costOf(context, candidate, size) : null, tokens };
  }

  ofAttempt(context: RequestContext, upstream: Upstream, buckets: readonly Bucket[]): Estimate {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(context)) return UNKNOWN;
    if (!callsModel(context)) return NOTHING;
    return this.estimateAt(context, upstream, needs);
  }

  /** Learns from a response for later requests to the same target. */
  learn(context: RequestContext, upstream: Upstream, outputTokens: number): void {
    const source = sourceOf(upstream);
    if (source === null) return;
    const requested = requestedOutput(context, upstream.target);
    this.tokens.learn({ source, requested, modelMax: this.modelMaxOf(upstream, requested) }, outputTokens);
  }

  /**
   * Estimates a response without reported usage: its input, and at most as much output as the
   * received bytes can contain.
   */
  ofUncounted(context: RequestContext, upstream: Upstream): UsageEstimate {
    const size = this.sizeOf(context, upstream, false);
    const input = reportedInput(context) ?? size.input;
    const output = context.reply.bytes === 0 ? size.output : Math.ceil(context.reply.bytes / BYTES_PER_TOKEN);
    const used = { ...size, input, output: Math.min(size.output, output) };
    return { cost: this.costOf(context, upstream, used), tokens: used.input + used.output };
  }

  /** Estimates background work that was created: its input, and the maximum output. Never throws. */
  ofBackgroundWork(context: RequestContext, upstream: Upstream, model: string | null): UsageEstimate {
    const input = reportedInput(context) ?? this.sizeOf(context, upstream, false).input;
    const by = { ...upstream, model };
    const used = { ...this.sizeOf(context, by, true, requestedWhenSent(context, by.target)), input };
    return { cost: this.costOf(context, by, used), tokens: input + used.output };
  }

  /** Returns the number of output tokens that a response is unlikely to exceed. */
  likelyOutput(context: RequestContext, upstream: Upstream): number {
    return this.sizeOf(context, upstream, false).output;
  }

  /** Returns the cost in 1e-8 USD; null when no price is known. */
  private costOf(
    { startedWallMs }: RequestContext,
    candidate: Omit<PricedCandidate, 'target'>,
    { input, output, others }: Size,
  ): number | null {
    const { model } = candidate;
    if (model === null) return null;
    const costOfOne = (name: string): number | null =>
      this.pricer.priceOfText(candidate, name, input, output, startedWallMs);
    return others.length === 0 ? costOfOne(model) : [model, ...others].map(costOfOne).reduce(higherCost);
  }

  /**
   * Returns the candidate for a target; null when the provider or the model is unknown, undefined
   * when the provider's document is not loaded yet.
   */
  private candidateAt(context: RequestContext, target: CompiledTarget): PricedCandidate | null | undefined {
    const named = providerNamed(context, target);
    const requested = calledModel(context, target);
    if (named === null || requested === null) return null;
    const model = withoutSlug(requested);
    const key = providerKey(context, named);
    if (key === null) return this.candidateBy(named, null, model, target);
    const saved = this.documents.get(key);
    if (saved === undefined) return undefined;
    return saved?.kind === 'provider' ? this.candidateBy(saved.providerId, saved, model, target) : null;
  }

  private candidateBy(
    providerId: string,
    saved: PricedBy['saved'],
    model: string,
    target: CompiledTarget,
  ): PricedCandidate | null {
    const provider = this.providers.get(providerId);
    return provider ? { provider, saved, model, target } : null;
  }

  /**
   * Estimates the size of a request. Throws `body_invalid` when a strict limit applies and the
   * requested output cannot be read.
   */
  private sizeFor(
    context: RequestContext,
    candidate: PricedCandidate | UnpricedCandidate,
    needs: number,
  ): Size {
    const isStrict = (needs & NEEDS_MOST) !== 0;
    const size = this.sizeOf(context, candidate, isStrict);
    if (isStrict) refuseUnbounded(size.unread);
    return size;
  }

  private sizeOf(
    context: RequestContext,
    candidate: PricedCandidate | UnpricedCandidate,
    most: boolean,
    requested = most
      ? requestedAtMost(context, candidate.target)
      : { ...requestedOutput(context, candidate.target), others: NONE },
  ): Size {
    const priced = 'provider' in candidate ? candidate : null;
    const source = priced === null ? null : sourceOf(priced);
    const modelMax = priced === null ? null : this.modelMaxOf(priced, requested);
    const size = { bytes: context.body.length, requested, modelMax, source };
    const { input, output } = most ? this.tokens.most(size) : this.tokens.likely(size);
    const { unread, others } = requested;
    const billed = context.route.call?.kind === 'vectors' ? 0 : output;
    return { input: isOpaque(context) ? OPAQUE_INPUT : input, output: billed, others, unread };
  }

  private modelMaxOf(
    by: Omit<PricedCandidate, 'target'>,
    { bound }: { readonly bound: number | null },
  ): number | null {
    if (by.model === null || (bound !== null && bound <= BOUND_SMALL)) return null;
    return this.pricer.contextTokens(by, by.model);
  }
}

/** Returns the input tokens that a cut stream has reported; null: none, or not a credible number. */
function reportedInput({ reply }: RequestContext): number | null {
  const tokens = reply.meter?.initialUsage?.()?.inputTokens ?? null;
  return tokens !== null && tokens <= CREDIBLE_TOKENS_MAX ? tokens : null;
}

/** Whether most of the body's bytes are a file. */
const isOpaque = ({ scan, spooled }: RequestContext): boolean =>
  spooled !== null || scan === null || scan.isForm === true;

/** Returns the document key of a saved provider; null when `named` is not a saved provider. */
function providerKey({ principal }: RequestContext, named: string | null): DocumentKey | null {
  if (named?.startsWith('@') !== true) return null;
  const slash = named.indexOf('/');
  const slug = slash === -1 ? named.slice(1) : named.slice(1, slash);
  return documentKey.provider((principal as GatewayPrincipal).workspace.id, slug);
}

/** Whether a model responds, so that the provider bills the request. */
export const callsModel = ({ method, route, scan, upgrade, madeFor }: RequestContext): boolean =>
  // On any path, a model may respond over a WebSocket.
  upgrade !== null ||
  // Checks call models only, some by a name from their config.
  madeFor !== null ||
  (route.call === null
    ? method === 'POST' && scan !== null && scan.model !== null
    : route.call.kind === 'answer' || route.call.kind === 'vectors');

const NEEDS_NOTHING = 0;
const NEEDS_TOKENS = 1;
const NEEDS_COST = 2;
const NEEDS_MOST = 4;

function needsOf(buckets: readonly Bucket[]): number {
  let needs = NEEDS_NOTHING;
  for (let at = 0; at < buckets.length; at += 1) {
    const { measure, strict } = buckets[at] as Bucket;
    if (measure !== 'cost' && measure !== 'tokens') continue;
    needs |= (measure === 'cost' ? NEEDS_COST : NEEDS_TOKENS) | (strict ? NEEDS_MOST : 0);
  }
  return needs;
}
