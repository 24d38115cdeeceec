import { documentKey, type DocumentKey } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import type { Bucket, Estimate, TokenEstimate, TokenEstimator } from '@gw/limits';
import type { JsonObject, Provider } from '@gw/providers';
import { parseJsonObject } from '../http/json-body';
import { isTooLarge } from '../http/read-whole';
import { providerNamed, withoutSlug } from '../pipeline/attempt/targeting';
import type { Exchange } from '../pipeline/exchange';
import type { PricedBy, Pricer } from '../pipeline/settlement';
import type { Documents, Principal } from '../state/principals';
import { isUnknowable } from './made-earlier';
import { outputBoundOf } from './output-bound';
import { otherModelsOf } from './other-models';

/** What a spooled body or a form is taken for: its bytes are a file's. */
const OPAQUE_INPUT = 1_024;
/** Ten times the largest context window that a provider offers: more is not believed. */
const TOLD_MAX = 100_000_000;
/** Targets of a config whose price is asked for. */
const TARGETS_MAX = 8;
const NOTHING: Estimate = { cost: 0, tokens: 0 };
/** A strict budget refuses it. */
const UNKNOWN: Estimate = { cost: null, tokens: null };
/** The cost of a target whose provider is not known yet. */
const UNREAD = -1;

/** What a request is taken for. */
interface Size extends TokenEstimate {
  /** Models that may answer in the place of the one that is named. */
  readonly others: readonly string[];
}
/** What an answer without counts is taken to have used. */
export interface Taken extends Estimate {
  readonly tokens: number;
}
const NONE: readonly string[] = Object.freeze([]);

/** Null: one of them has no price. */
const dearer = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** What requests are expected to use, as dear as their limits need to know it. */
export class Estimates {
  constructor(
    readonly tokens: TokenEstimator,
    private readonly pricer: Pricer,
    private readonly documents: Documents,
    private readonly providers: ReadonlyMap<string, Provider>,
  ) {}

  /** Before a target is picked: by the dearest of those that the config may pick. Null: what a price depends on must be read first. */
  ofRequest(exchange: Exchange, buckets: readonly Bucket[]): Estimate | null {
    const estimate = this.estimate(exchange, buckets);
    return estimate.cost === UNREAD ? null : estimate;
  }

  /** The same once all has been read: what could not be has no price. Never rejects. */
  async ofRequestAfterReading(exchange: Exchange, buckets: readonly Bucket[]): Promise<Estimate> {
    const targets = exchange.config?.targets ?? [];
    await Promise.all(
      targets.slice(0, TARGETS_MAX).map(async (target) => {
        const key = providerKey(exchange, providerNamed(exchange, target));
        // Whoever picks the target tells the caller what is wrong with it.
        if (key !== null) await this.documents.load(key).catch(() => undefined);
      }),
    );
    return this.estimate(exchange, buckets, null);
  }

  /** `unread`: the cost of what was not read. */
  private estimate(
    exchange: Exchange,
    buckets: readonly Bucket[],
    unread: typeof UNREAD | null = UNREAD,
  ): Estimate {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(exchange)) return UNKNOWN;
    if (!usesModel(exchange)) return NOTHING;
    const size = this.sizeOf(exchange, (needs & NEEDS_MOST) !== 0);
    const tokens = size.input + size.output;
    if ((needs & NEEDS_COST) === 0) return { cost: 0, tokens };
    return { cost: this.dearest(exchange, size, unread), tokens };
  }

  ofAttempt(exchange: Exchange, by: PricedBy, model: string | null, buckets: readonly Bucket[]): Estimate {
    const needs = needsOf(buckets);
    if (needs === NEEDS_NOTHING) return NOTHING;
    if (isUnknowable(exchange)) return UNKNOWN;
    if (!usesModel(exchange)) return NOTHING;
    const size = this.sizeOf(exchange, (needs & NEEDS_MOST) !== 0);
    const tokens = size.input + size.output;
    return { cost: (needs & NEEDS_COST) === 0 ? 0 : this.costOf(exchange, by, model, size), tokens };
  }

  /** Of an answer that nobody counted: its input, and as much output as can be in what was received. */
  ofUncounted(exchange: Exchange, by: PricedBy, model: string | null): Taken {
    const size = this.sizeOf(exchange, false);
    const input = inputTold(exchange) ?? size.input;
    const output = exchange.responseBytes === 0 ? size.output : Math.ceil(exchange.responseBytes / 3);
    const used = { ...size, input, output: Math.min(size.output, output) };
    return { cost: this.costOf(exchange, by, model, used), tokens: used.input + used.output };
  }

  /** Of what is made in the background: its input, and all the output that it may come to. */
  ofBegun(exchange: Exchange, by: PricedBy, model: string | null): Taken {
    const input = inputTold(exchange) ?? this.sizeOf(exchange, false).input;
    const used = { ...this.sizeOf(exchange, true), input };
    return { cost: this.costOf(exchange, by, model, used), tokens: input + used.output };
  }

  /** Tokens that an answer to a request is likely not to pass. */
  likelyOutput(exchange: Exchange): number {
    return this.sizeOf(exchange, false).output;
  }

  /** Null: no price is known. */
  private costOf(
    { startedWallMs }: Exchange,
    by: PricedBy,
    model: string | null,
    { input, output, others }: Size,
  ): number | null {
    if (model === null) return null;
    const costOfOne = (name: string): number | null =>
      this.pricer.priceOfText(by, name, input, output, startedWallMs);
    return others.length === 0 ? costOfOne(model) : [model, ...others].map(costOfOne).reduce(dearer);
  }

  private dearest(exchange: Exchange, size: Size, unread: typeof UNREAD | null): number | null {
    const targets = exchange.config?.targets ?? [];
    let dearest: number | null = null;
    for (let at = 0; at < targets.length && at < TARGETS_MAX; at += 1) {
      const cost = this.costAt(exchange, targets[at] as CompiledTarget, size, unread);
      if (cost === UNREAD) return UNREAD;
      if (cost !== null && (dearest === null || cost > dearest)) dearest = cost;
    }
    return dearest;
  }

  private costAt(
    exchange: Exchange,
    target: CompiledTarget,
    size: Size,
    unread: typeof UNREAD | null,
  ): number | null {
    const named = providerNamed(exchange, target);
    const override = target.overrideParams?.['model'];
    const asked = typeof override === 'string' ? override : (exchange.scan?.model ?? null);
    if (named === null || asked === null) return null;
    if (!named.startsWith('@')) return this.costBy(exchange, named, null, asked, size);
    const key = providerKey(exchange, named);
    const saved = key === null ? null : this.documents.get(key);
    if (saved === undefined) return unread;
    return saved?.kind === 'provider' ? this.costBy(exchange, saved.providerId, saved, asked, size) : null;
  }

  private costBy(
    exchange: Exchange,
    providerId: string,
    saved: PricedBy['saved'],
    asked: string,
    size: Size,
  ): number | null {
    const provider = this.providers.get(providerId);
    return provider ? this.costOf(exchange, { provider, saved }, withoutSlug(asked), size) : null;
  }

  private sizeOf(exchange: Exchange, most: boolean): Size {
    const { scan, spooled, body } = exchange;
    const model = modelNameOf(exchange);
    if (spooled !== null || scan === null || scan.isForm === true) {
      return {
        input: OPAQUE_INPUT,
        output: this.tokens.likely({ bytes: 0, maxOutputTokens: null, model }).output,
        others: NONE,
      };
    }
    if (!most) {
      const likely = { bytes: body.length, maxOutputTokens: scan.outputBound, model };
      return { ...this.tokens.likely(likely), others: NONE };
    }
    const asked = askedOf(exchange);
    const bound = asked === null ? null : outputBoundOf(asked);
    const others = asked === null ? NONE : otherModelsOf(asked);
    return { ...this.tokens.most({ bytes: body.length, maxOutputTokens: bound, model }), others };
  }
}

/** What a stream that was cut has said of its input. */
function inputTold({ meter }: Exchange): number | null {
  const tokens = meter?.begun?.()?.inputTokens ?? null;
  return tokens !== null && tokens <= TOLD_MAX ? tokens : null;
}

/** Of a saved provider; null: it is none. */
function providerKey({ principal }: Exchange, named: string | null): DocumentKey | null {
  if (named?.startsWith('@') !== true) return null;
  const slash = named.indexOf('/');
  const slug = slash === -1 ? named.slice(1) : named.slice(1, slash);
  return documentKey.provider((principal as Principal).workspace.id, slug);
}

/** What the estimator knows answers by. */
export const modelNameOf = ({ scan }: Exchange): string => scan?.model ?? '';

/** Whether a model answers, which the provider charges for. */
export const usesModel = ({ method, scan, upgrade, madeFor }: Exchange): boolean =>
  // Whatever its path, a model may answer over a WebSocket.
  upgrade !== null ||
  // Checks ask nothing but models, some by the name that their config knows.
  madeFor !== null ||
  (method === 'POST' && scan !== null && scan.model !== null);

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

function askedOf(exchange: Exchange): JsonObject | null {
  try {
    return exchange.json(parseJsonObject);
  } catch (error) {
    if (isTooLarge(error)) throw error;
    // A body that can't be read is refused later, by whoever must read it.
    return null;
  }
}
