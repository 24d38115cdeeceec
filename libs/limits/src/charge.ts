import type { ChargeRecord, Usage } from '@gw/contracts';
import type { Charge, Estimate } from './reservation';

export type UsageVerdict =
  | { readonly kind: 'usable'; readonly usage: Usage }
  /** Counts that no provider can mean: negative, fractional, or larger than any context window. */
  | { readonly kind: 'absurd' };

/**
 * Maximum of a token count in one response that is credible: ten times the largest context window
 * that a provider offers.
 */
export const CREDIBLE_TOKENS_MAX = 100_000_000;

/**
 * Checks the token counts that a provider reported. Absurd counts are charged as the estimate and
 * flagged.
 */
export function judgeUsage(usage: Usage): UsageVerdict {
  for (const count of Object.values(usage) as readonly unknown[]) {
    if (
      typeof count !== 'number' ||
      !Number.isSafeInteger(count) ||
      count < 0 ||
      count > CREDIBLE_TOKENS_MAX
    ) {
      return { kind: 'absurd' };
    }
  }
  return { kind: 'usable', usage };
}

/** Why a charge differs from the provider's own count. */
export type ChargeFlag = 'estimated' | 'unpriced';

export interface Settled {
  readonly charge: Charge;
  readonly flags: readonly ChargeFlag[];
}

/**
 * Computes the charge for an attempt that reached a provider.
 * Without `usage` (null: a response without counts, such as a cut stream) the estimate is charged,
 * because the attempt was not free. Without `cost` (null: no price) tokens and requests still
 * count.
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

/**
 * One side of a double entry. Every amount leaves one account and enters another, so that all
 * postings add up to 0.
 */
export interface LedgerPosting {
  readonly account: string;
  /** Unix milliseconds: start of the budget's period, or of the day for other accounts. */
  readonly period: number;
  /** 1e-8 USD; positive when the amount enters the account. */
  readonly cost: number;
  readonly tokens: number;
  readonly requests: number;
}

/**
 * Returns the double entry of one charge: from the provider's account to the spending, and from the
 * shared limits account to each budget.
 */
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

/**
 * Returns the double entry for the cost that a cached response saved, in 1e-8 USD. No budget is
 * charged with it.
 */
export const savingPostings = (provider: string, cost: number, day: number): readonly LedgerPosting[] => [
  { account: `cache:${provider}`, period: day, cost: 0 - cost, tokens: 0, requests: -1 },
  { account: CACHE_SAVED, period: day, cost, tokens: 0, requests: 1 },
];

const CACHE_SAVED = 'cache_saved';
const BUDGET_ACCOUNT = 'limit:';

/** Returns the account name of a budget's counter. */
export const budgetAccount = (key: string): string => `${BUDGET_ACCOUNT}${key}`;

/** Returns the counter key of a budget account; null for other accounts. */
export const counterOfAccount = (account: string): string | null =>
  account.startsWith(BUDGET_ACCOUNT) ? account.slice(BUDGET_ACCOUNT.length) : null;
