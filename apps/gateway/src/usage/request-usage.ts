import type { Usage } from '@gw/contracts';
import {
  tokensOf,
  type ExtraUse,
  type MadeCharge,
  type PricedEarlier,
  type RequestPrice,
  type SessionParts,
} from './use';

/** What one request used, and what that costs. */
export class RequestUsage {
  /** As the response reports it; null: it reports none. */
  reported: Usage | null = null;
  price: RequestPrice | null = null;
  /** 1e-8 USD; null: not known. */
  cost: number | null = null;
  /** Tokens that a response without a report is taken to have used; `cost` is an estimate then. */
  estimatedTokens: number | null = null;
  /** What the parts of a session were charged already. */
  parts: SessionParts | null = null;
  /** Of attempts whose responses no client got, then of the response; null: the record's `cost` says it all. */
  charges: MadeCharge[] | null = null;
  /** Uses that other requests report too, each charged once under its name; null: the use is the request's own. */
  earlier: readonly PricedEarlier[] | null = null;
  /** Name of the work that the request has begun, whose use later responses report; its own charge is a part of that. */
  begun: string | null = null;
  /** Calls besides the one that answered; null: there was none. */
  extra: ExtraUse[] | null = null;

  /** Adds a call besides the one that answers. */
  addExtra(use: ExtraUse): void {
    (this.extra ??= []).push(use);
  }

  addCharge(charge: MadeCharge): void {
    (this.charges ??= []).push(charge);
  }

  /** Every charge is kept, also where no budget is concerned. */
  keepCharges(): void {
    this.charges ??= [];
  }

  /** The charges so far become a part of the cost. */
  addChargesToCost(): void {
    for (const { cost } of this.charges ?? []) if (cost !== null) this.addCost(cost);
  }

  addCost(cost: number): void {
    this.cost = (this.cost ?? 0) + cost;
  }

  /** Takes an estimate for a response that reports nothing, next to what other calls of the request have cost. */
  estimate(cost: number | null, tokens: number): void {
    if (cost !== null) this.addCost(cost);
    this.estimatedTokens = tokens + (this.reported === null ? 0 : tokensOf(this.reported));
  }

  /** Replaces what the parts of the session were charged. */
  chargeParts(parts: SessionParts): void {
    this.parts = parts;
  }
}
