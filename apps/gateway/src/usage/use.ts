import type { ChargeRecord, PriceLine, Usage } from '@gw/contracts';
import type { Reservation } from '@gw/limits';
import type { BillableUsage } from '@gw/pricing';
import type { Upstream } from '../core/upstream';

/**
 * Converts usage to money. `atMs` is in Unix milliseconds. The methods return null when the price
 * is not known.
 */
export interface TargetPricer {
  /** Returns the price of a usage. `responded`: the model that the response names; null: none. */
  price(by: PricedTarget, responded: string | null, usage: BillableUsage, atMs: number): Priced | null;
  /** Returns the price of text tokens in 1e-8 USD. */
  priceOfText(by: PricedBy, model: string, input: number, output: number, atMs: number): number | null;
  /** Returns the size of the model's context window in tokens; null: not known. */
  contextTokens(by: PricedBy, model: string): number | null;
}

/** The provider that a usage is priced by; prices of its integration take precedence. */
export type PricedBy = Pick<Upstream, 'saved' | 'provider'>;
/** The provider and the requested model that a usage is priced by. */
export type PricedTarget = Pick<Upstream, 'saved' | 'provider' | 'model'>;

/** The price of a usage, as a `TargetPricer` returns it. */
export interface Priced {
  /** The model whose price was used. */
  readonly model: string;
  /** Where the price comes from: `custom`, `configured` or `catalogue`. */
  readonly source: string;
  readonly lines: readonly PriceLine[];
  /** 1e-8 USD. */
  readonly total: number;
}

/** The price of a request in its log record. */
export interface RequestPrice {
  readonly source: string;
  /** Null: the lines have prices of several models, or the model has no name. */
  readonly model: string | null;
  readonly lines: readonly PriceLine[];
}

/**
 * Usage of a call other than the one that responded: an earlier part of a continued stream, or the
 * losing call of a hedge.
 */
export interface ExtraUse {
  readonly upstream: Upstream;
  /** The model that the call's response names; null: none. */
  readonly model: string | null;
  /**
   * Null: the call was cancelled before it reported usage, so its input is assumed to be that of
   * the call that responded.
   */
  readonly usage: Usage | null;
  /** The call has not reported all of its usage. */
  readonly isEstimate?: boolean;
}

/** Usage that the lines of a batch's output report, as far as the client has read it. */
export interface BatchOutput {
  readonly usage: Usage;
  /**
   * Cost of the lines whose model has a price, each at its own, in 1e-8 USD; null: none has one.
   */
  readonly cost: number | null;
  /** The model of at least one line has no price. */
  readonly isUnpriced: boolean;
  /**
   * The usage of at least one line could not be read, so it is estimated from the line's length.
   */
  readonly isEstimate: boolean;
  readonly price: RequestPrice | null;
}

/** Prices one response of a batch; null: no price is known. */
export type LinePricer = (model: string | null, usage: Usage) => Priced | null;

/**
 * Usage of work that one request creates and the response of a later one reports, such as a batch
 * or a background response (`docs/decisions/0048`).
 */
export interface EarlierUse {
  /**
   * The name under which the usage is charged. All charges of a name together are the maximum that
   * any response reports, whichever keys request it and however often.
   */
  readonly once: string;
  readonly isBatch: boolean;
  readonly usage: Usage;
  readonly model: string | null;
  /**
   * The output of a batch, whose lines are already priced one by one. Absent: `usage` has no price
   * yet.
   */
  readonly output?: BatchOutput;
}

/** Usage of earlier work, with its cost. */
export interface PricedEarlier extends EarlierUse {
  /** 1e-8 USD; null: unpriced. */
  readonly cost: number | null;
}

/** A charge before it is logged. */
export interface PendingCharge extends Omit<ChargeRecord, 'counters'> {
  /** The reservations that it settles; the log record names their counters. */
  readonly from: readonly Reservation[];
}

/** Sums of the charges so far for the parts of a realtime session, such as its responses. */
export interface SessionParts {
  /** The usage that the provider has reported; null: none. */
  readonly usage: Usage | null;
  /** 1e-8 USD; null: no part has a price. */
  readonly cost: number | null;
  readonly tokens: number;
  readonly isEstimate: boolean;
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
