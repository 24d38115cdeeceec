import type { ChargeRecord, Usage } from '@gw/contracts';
import type { Charge, Estimate } from './reservation';

export type UsageVerdict =
  | { readonly kind: 'usable'; readonly usage: Usage }
  /** Counts that no provider can mean: negative, fractional, or past any context window. */
  | { readonly kind: 'absurd' };

/** Ten times the largest context window that a provider offers. */
const TOKENS_MAX = 100_000_000;

/** A counter never goes down and never jumps by a provider's mistake: what is absurd is charged as the estimate and flagged. */
export function judgeUsage(usage: Usage): UsageVerdict {
  for (const count of Object.values(usage) as readonly unknown[]) {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0 || count > TOKENS_MAX) {
      return { kind: 'absurd' };
    }
  }
  return { kind: 'usable', usage };
}

/** Why a charge is not the provider's own count. */
export type ChargeFlag = 'estimated' | 'unpriced';

export interface Settled {
  readonly charge: Charge;
  readonly flags: readonly ChargeFlag[];
}

/**
 * What to charge for an attempt that reached a provider. `usage` null: an answer without counts, such as a stream that was cut, is charged as
 * the estimate, for it was not free. `cost` null: unpriced; tokens and requests still count.
 */
export function settledOf(
  usage: Usage | null,
  cost: number | null,
  estimate: Estimate,
  requests: 0 | 1 = 1,
): Settled {
  if (usage === null || judgeUsage(usage).kind === 'absurd') {
    const flags: ChargeFlag[] = estimate.cost === null ? ['estimated', 'unpriced'] : ['estimated'];
    return { charge: { ...estimate, tokens: estimate.tokens ?? 0, requests }, flags };
  }
  const tokens = usage.inputTokens + usage.outputTokens;
  return { charge: { cost, tokens, requests }, flags: cost === null ? ['unpriced'] : [] };
}

/** Half of an entry: what leaves one account comes to another, so a journal always adds up to 0. */
export interface LedgerPosting {
  readonly account: string;
  /** Unix milliseconds: the period of a budget, else the day. */
  readonly period: number;
  /** Positive: came in. */
  readonly cost: number;
  readonly tokens: number;
  readonly requests: number;
}

/** The double entry of one charge: from the provider's account to the spending, and from the limits' common side to each budget's. */
export function postingsOf(
  { line, provider, counters, cost, tokens, requests }: ChargeRecord,
  day: number,
): readonly LedgerPosting[] {
  const amount = { cost: cost ?? 0, tokens, requests };
  const less = { cost: 0 - amount.cost, tokens: 0 - tokens, requests: 0 - requests };
  return [
    { account: `provider:${provider}`, period: day, ...less },
    { account: `spend:${line}`, period: day, ...amount },
    ...counters.flatMap(([key, period]) => [
      { account: budgetAccount(key), period, ...amount },
      { account: `limits:${line}`, period: day, ...less },
    ]),
  ];
}

/** The double entry of what an answer from the cache has saved, 1e-8 USD: a separate line that no budget is charged with. */
export const savingPostings = (provider: string, cost: number, day: number): readonly LedgerPosting[] => [
  { account: `cache:${provider}`, period: day, cost: 0 - cost, tokens: 0, requests: -1 },
  { account: CACHE_SAVED, period: day, cost, tokens: 0, requests: 1 },
];

const CACHE_SAVED = 'cache_saved';
const BUDGET_ACCOUNT = 'limit:';

/** The account of a budget's counter. */
export const budgetAccount = (key: string): string => `${BUDGET_ACCOUNT}${key}`;

/** The counter's key; null: another account. */
export const counterOfAccount = (account: string): string | null =>
  account.startsWith(BUDGET_ACCOUNT) ? account.slice(BUDGET_ACCOUNT.length) : null;
