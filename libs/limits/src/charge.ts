import type { ChargeLine, Usage } from '@gw/contracts';
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
    return { charge: { ...estimate, requests }, flags };
  }
  const tokens = usage.inputTokens + usage.outputTokens;
  return { charge: { cost, tokens, requests }, flags: cost === null ? ['unpriced'] : [] };
}

/** Half of an entry: what leaves one account comes to another, so a journal always adds up to 0. */
export interface LedgerPosting {
  readonly account: string;
  /** Positive: came in. */
  readonly cost: number;
  readonly tokens: number;
}

/** The double entry of one charge: from the provider's account to each counter's, and back from the counters' common side. */
export function postingsOf(
  line: ChargeLine,
  provider: string,
  counters: readonly string[],
  { cost, tokens }: Charge,
): readonly LedgerPosting[] {
  const amount = cost ?? 0;
  return [
    { account: `provider:${provider}`, cost: 0 - amount, tokens: 0 - tokens },
    { account: `spend:${line}`, cost: amount, tokens },
    ...counters.flatMap((key) => [
      { account: `limit:${key}`, cost: amount, tokens },
      { account: `limits:${line}`, cost: 0 - amount, tokens: 0 - tokens },
    ]),
  ];
}
