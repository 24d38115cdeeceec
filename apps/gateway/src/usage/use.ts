import type { ChargeRecord, PriceLine, Usage } from '@gw/contracts';
import type { Reservation } from '@gw/limits';
import type { BillableUsage } from '@gw/pricing';
import type { Upstream } from '../core/upstream';

/** Usage to money at a time, in milliseconds since 1970; null: the price is not known. */
export interface TargetPricer {
  /** `answered`: the model that the answer names; null: none. */
  price(by: PricedTarget, answered: string | null, usage: BillableUsage, atMs: number): Priced | null;
  /** The total of so many text tokens, 1e-8 USD. */
  priceOfText(by: PricedBy, model: string, input: number, output: number, atMs: number): number | null;
  /** Tokens of the model's context window; null: not known. */
  contextTokens(by: PricedBy, model: string): number | null;
}

/** What decides about a price. */
export type PricedBy = Pick<Upstream, 'saved' | 'provider'>;
export type PricedTarget = Pick<Upstream, 'saved' | 'provider' | 'model'>;

export interface Priced {
  /** Whose price it is. */
  readonly model: string;
  readonly source: string;
  readonly lines: readonly PriceLine[];
  /** 1e-8 USD. */
  readonly total: number;
}

/** The price of a request in its log record. */
export interface RequestPrice {
  readonly source: string;
  readonly model: string | null;
  readonly lines: readonly PriceLine[];
}

/** What a call besides the one that answered has used: an earlier part of a continued stream, or the loser of a hedge. */
export interface ExtraUse {
  readonly upstream: Upstream;
  /** As its answer names it, if it does. */
  readonly model: string | null;
  /** Null: it was cancelled before it could tell, so it is taken to have read what the one that answered has read. */
  readonly usage: Usage | null;
  /** It has not said all that it used. */
  readonly isEstimate?: boolean;
}

/** What all lines of an output that were read report together. */
export interface BatchOutput {
  readonly usage: Usage;
  /** Of the lines whose model has a price, each at its own, 1e-8 USD; null: none has one. */
  readonly cost: number | null;
  /** A line's model has no price. */
  readonly isUnpriced: boolean;
  /** The last line was cut before its usage. */
  readonly isEstimate: boolean;
  readonly price: {
    readonly source: string;
    readonly model: string | null;
    readonly lines: PriceLine[];
  } | null;
}

/** The price of one answer of a batch; null: none is known. */
export type LinePricer = (model: string | null, usage: Usage) => Priced | null;

/** The use of something that is made by one request and reported by another. */
export interface EarlierUse {
  /** What its use is charged as: together no more than the most that any answer tells, however often and by whomever it is requested. */
  readonly once: string;
  readonly isBatch: boolean;
  readonly usage: Usage;
  readonly model: string | null;
  /** Of the lines of an output, which were priced one by one. */
  readonly output?: BatchOutput;
}

/** An earlier use with its cost. */
export interface PricedEarlier extends EarlierUse {
  /** 1e-8 USD; null: unpriced. */
  readonly cost: number | null;
}

/** A charge as the log has it: its counters are those of the budgets that it was reserved in. */
export interface MadeCharge extends Omit<ChargeRecord, 'counters'> {
  readonly from: readonly Reservation[];
}

/** What the parts of a session were charged so far. */
export interface SessionParts {
  /** What the provider has reported; null: nothing. */
  readonly usage: Usage | null;
  /** 1e-8 USD; null: no part has a price. */
  readonly cost: number | null;
  readonly tokens: number;
  readonly isEstimated: boolean;
  readonly price: RequestPrice | null;
}

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
});

export const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

export const sumOf = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  ...((one.cacheWrite1hTokens !== undefined || other.cacheWrite1hTokens !== undefined) && {
    cacheWrite1hTokens: (one.cacheWrite1hTokens ?? 0) + (other.cacheWrite1hTokens ?? 0),
  }),
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  inputAudioTokens: one.inputAudioTokens + other.inputAudioTokens,
  outputAudioTokens: one.outputAudioTokens + other.outputAudioTokens,
});
