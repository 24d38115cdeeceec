import { documentKey, type DocumentKey } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import type { Bucket, Estimate, TokenEstimate, TokenEstimator } from '@gw/limits';
import type { Provider } from '@gw/providers';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import { providerNamed, withoutSlug } from '../attempt/targeting';
import type { RequestContext } from '../core/request-context';
import type { PricedBy, TargetPricer } from './use';
import type { Documents, Principal } from '../auth/principals';
import { requestedAtMost, requestedOutput, refuseUnbounded, type Asking } from './requested-output';
import { sourceOf } from './learned-from';
import { isUnknowable } from './made-earlier';

/** What a spooled body or a form is taken for: its bytes are a file's. */
const OPAQUE_INPUT = 1_024;
/** Ten times the largest context window that a provider offers: more is not believed. */
const TOLD_MAX = 100_000_000;
/** Targets of a config whose price is requested. */
const TARGETS_MAX = 8;
const NOTHING: Estimate = { cost: 0, tokens: 0 };
/** A strict budget refuses it. */
const UNKNOWN: Estimate = { cost: null, tokens: null };
/** Up to here a bound is below the context window of every model, which need not be looked up then. */
const BOUND_SMALL = 4_096;

/** Where a request may go: what it costs there, and what is known of the answers. */
interface Seller extends PricedBy {
  /** Null: the request names none. */
  readonly model: string | null;
  readonly target: CompiledTarget;
}

/** What a request is taken for. */
interface Size extends TokenEstimate {
  /** Models that may answer in the place of the one that is named. */
  readonly others: readonly string[];
  /** A member that says how much output is requested and cannot be read; null: none. */
  readonly unread: string | null;
}
/** What an answer without counts is taken to have used. */
export interface Taken extends Estimate {
  readonly tokens: number;
}
const NONE: readonly string[] = Object.freeze([]);

/** Null: one of them has no price. */
const dearer = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** Of two targets. Where one has no price, the other counts. */
const dearerOf = (one: Estimate, other: Estimate): Estimate => ({
  cost: one.cost === null || other.cost === null ? (one.cost ?? other.cost) : Math.max(one.cost, other.cost),
  tokens: Math.max(one.tokens ?? 0, other.tokens ?? 0),
});

/** What requests are expected to use, as dear as their limits need to know it. */
export class Estimates {
  constructor(
    readonly tokens: TokenEstimator,
    private readonly pricer: TargetPricer,
    private readonly documents: Documents,
    private readonly providers: ReadonlyMap<string, Provider>,
  ) {}

  /** Before a target is picked: by the dearest of those that the config may pick. Null: what a price depends on must be read first. */
  ofRequest(context: RequestContext, buckets: readonly Bucket[]): Estimate | null {
    return this.estimate(context, buckets, true);
  }

  /** The same once all has been read: what could not be has no price. Never rejects. */
  async ofRequestAfterReading(context: RequestContext, buckets: readonly Bucket[]): Promise<Estimate> {
    const targets = context.config?.targets ?? [];
    await Promise.all(
      targets.slice(0, TARGETS_MAX).map(async (target) => {
        const key = providerKey(context, providerNamed(context, target));
        // The stage that picks the target reports what is wrong with it.
        if (key !== null) await this.documents.load(key).catch(() => undefined);
      }),
    );
    return this.estimate(context, buckets, false) ?? NOTHING;
  }

  /** `waits`: null as long as something has not been read; else what was not read has no price. */
  private estimate(context: RequestContext, buckets: readonly Bucket[], waits: boolean): Estimate | null {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(context)) return UNKNOWN;
    if (!usesModel(context)) return NOTHING;
    const targets = context.config?.targets ?? [];
    let dearest: Estimate = { cost: (needs & NEEDS_COST) === 0 ? 0 : null, tokens: 0 };
    for (let at = 0; at < targets.length && at < TARGETS_MAX; at += 1) {
      const target = targets[at] as CompiledTarget;
      const seller = this.sellerAt(context, target);
      if (seller === undefined && waits) return null;
      dearest = dearerOf(dearest, this.estimateAt(context, seller ?? { target }, needs));
    }
    return dearest;
  }

  private estimateAt(context: RequestContext, seller: Seller | Asking, needs: number): Estimate {
    const size = this.sizeFor(context, seller, needs);
    const tokens = size.input + size.output;
    if ((needs & NEEDS_COST) === 0) return { cost: 0, tokens };
    return { cost: 'provider' in seller ? this.costOf(context, seller, size) : null, tokens };
  }

  ofAttempt(context: RequestContext, upstream: Upstream, buckets: readonly Bucket[]): Estimate {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(context)) return UNKNOWN;
    if (!usesModel(context)) return NOTHING;
    return this.estimateAt(context, upstream, needs);
  }

  /** What the answer to a request says of the next ones to the same target. */
  learn(context: RequestContext, upstream: Upstream, outputTokens: number): void {
    const source = sourceOf(upstream);
    if (source === null) return;
    const requested = requestedOutput(context, upstream.target);
    this.tokens.learn({ source, requested, modelMax: this.modelMaxOf(upstream, requested) }, outputTokens);
  }

  /** Of an answer without reported usage: its input, and as much output as can be in what was received. */
  ofUncounted(context: RequestContext, upstream: Upstream): Taken {
    const size = this.sizeOf(context, upstream, false);
    const input = inputTold(context) ?? size.input;
    const output = context.reply.bytes === 0 ? size.output : Math.ceil(context.reply.bytes / 3);
    const used = { ...size, input, output: Math.min(size.output, output) };
    return { cost: this.costOf(context, upstream, used), tokens: used.input + used.output };
  }

  /** Of what is made in the background: its input, and all the output that it may come to. */
  ofBegun(context: RequestContext, upstream: Upstream, model: string | null): Taken {
    const input = inputTold(context) ?? this.sizeOf(context, upstream, false).input;
    const used = { ...this.sizeOf(context, { ...upstream, model }, true), input };
    return { cost: this.costOf(context, { ...upstream, model }, used), tokens: input + used.output };
  }

  /** Tokens that an answer to a request is likely not to pass. */
  likelyOutput(context: RequestContext, upstream: Upstream): number {
    return this.sizeOf(context, upstream, false).output;
  }

  /** Null: no price is known. */
  private costOf(
    { startedWallMs }: RequestContext,
    seller: Omit<Seller, 'target'>,
    { input, output, others }: Size,
  ): number | null {
    const { model } = seller;
    if (model === null) return null;
    const costOfOne = (name: string): number | null =>
      this.pricer.priceOfText(seller, name, input, output, startedWallMs);
    return others.length === 0 ? costOfOne(model) : [model, ...others].map(costOfOne).reduce(dearer);
  }

  /** Null: it has none that is known. Undefined: it was not read yet. */
  private sellerAt(context: RequestContext, target: CompiledTarget): Seller | null | undefined {
    const named = providerNamed(context, target);
    const override = context.route.call === null ? target.overrideParams?.['model'] : undefined;
    const requested = typeof override === 'string' ? override : requestedModel(context);
    if (named === null || requested === null) return null;
    const model = withoutSlug(requested);
    const key = providerKey(context, named);
    if (key === null) return this.sellerBy(named, null, model, target);
    const saved = this.documents.get(key);
    if (saved === undefined) return undefined;
    return saved?.kind === 'provider' ? this.sellerBy(saved.providerId, saved, model, target) : null;
  }

  private sellerBy(
    providerId: string,
    saved: PricedBy['saved'],
    model: string,
    target: CompiledTarget,
  ): Seller | null {
    const provider = this.providers.get(providerId);
    return provider ? { provider, saved, model, target } : null;
  }

  /** Throws `body_invalid` for output that a strict limit cannot bound. */
  private sizeFor(context: RequestContext, seller: Seller | Asking, needs: number): Size {
    const isStrict = (needs & NEEDS_MOST) !== 0;
    const size = this.sizeOf(context, seller, isStrict);
    if (isStrict) refuseUnbounded(size.unread);
    return size;
  }

  private sizeOf(context: RequestContext, seller: Seller | Asking, most: boolean): Size {
    const { target } = seller;
    const requested = most
      ? requestedAtMost(context, target)
      : { ...requestedOutput(context, target), others: NONE };
    const by = 'provider' in seller ? seller : null;
    const source = by === null ? null : sourceOf(by);
    const modelMax = by === null ? null : this.modelMaxOf(by, requested);
    const size = { bytes: context.body.length, requested, modelMax, source };
    const { input, output } = most ? this.tokens.most(size) : this.tokens.likely(size);
    const { unread, others } = requested;
    const sold = context.route.call?.kind === 'vectors' ? 0 : output;
    return { input: isOpaque(context) ? OPAQUE_INPUT : input, output: sold, others, unread };
  }

  private modelMaxOf(
    by: Omit<Seller, 'target'>,
    { bound }: { readonly bound: number | null },
  ): number | null {
    if (by.model === null || (bound !== null && bound <= BOUND_SMALL)) return null;
    return this.pricer.contextTokens(by, by.model);
  }
}

/** What a stream that was cut has said of its input. */
function inputTold({ reply }: RequestContext): number | null {
  const tokens = reply.meter?.begun?.()?.inputTokens ?? null;
  return tokens !== null && tokens <= TOLD_MAX ? tokens : null;
}

/** Its bytes are a file's. */
const isOpaque = ({ scan, spooled }: RequestContext): boolean =>
  spooled !== null || scan === null || scan.isForm === true;

/** Of a saved provider; null: it is none. */
function providerKey({ principal }: RequestContext, named: string | null): DocumentKey | null {
  if (named?.startsWith('@') !== true) return null;
  const slash = named.indexOf('/');
  const slug = slash === -1 ? named.slice(1) : named.slice(1, slash);
  return documentKey.provider((principal as Principal).workspace.id, slug);
}

/** Whether a model answers, which the provider charges for. */
export const usesModel = ({ method, route, scan, upgrade, madeFor }: RequestContext): boolean =>
  // Whatever its path, a model may answer over a WebSocket.
  upgrade !== null ||
  // Checks ask nothing but models, some by the name that their config knows.
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
