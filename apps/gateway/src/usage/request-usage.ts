import type { Usage } from '@gw/contracts';
import {
  tokensOf,
  type ExtraUse,
  type PendingCharge,
  type PricedEarlier,
  type RequestPrice,
  type SessionParts,
} from './use';

/** Usage and cost of one request. */
export class RequestUsage {
  /** Usage that the response reports; null when it reports none. */
  reported: Usage | null = null;
  price: RequestPrice | null = null;
  /** Cost in 1e-8 USD; null when not known. */
  cost: number | null = null;
  /** Estimated tokens of a response that reports no usage; `cost` is an estimate then. */
  estimatedTokens: number | null = null;
  /** Charges of a session's parts so far. */
  parts: SessionParts | null = null;
  /**
   * Charges of the response and of attempts whose responses no client received; null when the
   * record's `cost` is enough.
   */
  charges: PendingCharge[] | null = null;
  /**
   * Usage that responses to other requests report too, each charged once under its name; null when
   * the usage is the request's own.
   */
  earlier: readonly PricedEarlier[] | null = null;
  /**
   * Name of the work that the request has created and whose usage later responses report; the
   * request's own charge is a part of it. Null when there is no such work.
   */
  createdWork: string | null = null;
  /** Calls in addition to the one that responded; null when there are none. */
  extra: ExtraUse[] | null = null;

  /** Adds a call in addition to the one that responded. */
  addExtra(use: ExtraUse): void {
    (this.extra ??= []).push(use);
  }

  addCharge(charge: PendingCharge): void {
    (this.charges ??= []).push(charge);
  }

  /** Makes the log record list every charge, even if no budget applies. */
  keepCharges(): void {
    this.charges ??= [];
  }

  /** Adds the charges so far to the cost. */
  addChargesToCost(): void {
    for (const { cost } of this.charges ?? []) if (cost !== null) this.addCost(cost);
  }

  addCost(cost: number): void {
    this.cost = (this.cost ?? 0) + cost;
  }

  /**
   * Sets an estimate for a response without usage, in addition to the cost of other calls of the
   * request.
   */
  estimate(cost: number | null, tokens: number): void {
    if (cost !== null) this.addCost(cost);
    this.estimatedTokens = tokens + (this.reported === null ? 0 : tokensOf(this.reported));
  }

  /** Replaces the charges of the session's parts. */
  chargeParts(parts: SessionParts): void {
    this.parts = parts;
  }
}
