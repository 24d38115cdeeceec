import type { ResponseOf } from '../../api';
import { limits } from '../../messages';
import { count, e8OfUsd, humanMoney } from '../../ui/format';

type Key = ResponseOf<'apiKeys_get'>;
export type UsageLimit = NonNullable<Key['usage_limits']>;
export type RateLimit = Key['rate_limits'][number];

/** Formats an amount of a budget in tokens, in requests, or else in US dollars. */
export function amountWords(type: string | undefined, amount: number): string {
  if (type === 'tokens') return limits.tokens(count(amount));
  return type === 'requests' ? limits.requests(count(amount)) : humanMoney(e8OfUsd(amount) ?? 0n);
}

/** Formats a budget, such as `$500.00 a month`. `shown` comes from a form or from the API. */
export function budgetWords(
  shown:
    | (Partial<Pick<UsageLimit, 'type' | 'periodic_reset' | 'periodic_reset_days'>> & {
        /** Null while the field of a form is empty. */
        readonly credit_limit?: number | null;
      })
    | null
    | undefined,
): string {
  if (shown?.credit_limit === undefined || shown.credit_limit === null) return limits.noBudget;
  const { type, credit_limit, periodic_reset = null, periodic_reset_days: days } = shown;
  // A form has '' for the days while their field is empty.
  return limits.budgetWords(
    amountWords(type, credit_limit),
    periodic_reset,
    typeof days === 'number' ? days : null,
  );
}

/** Formats the unused rest of a budget, such as `$6.00 left`. */
export function leftWords({ type, credit_limit, current_usage = 0 }: UsageLimit): string {
  if (type === 'tokens' || type === 'requests')
    return limits.left(amountWords(type, Math.max(0, credit_limit - current_usage)));
  const left = (e8OfUsd(credit_limit) ?? 0n) - (e8OfUsd(current_usage) ?? 0n);
  return limits.left(humanMoney(left > 0n ? left : 0n));
}

/** Formats rate limits, such as `600 requests a minute, 8 requests at the same time`. */
export const ratesWords = (
  rates:
    | readonly (Pick<RateLimit, 'type' | 'value'> & { readonly unit?: RateLimit['unit'] | undefined })[]
    | null
    | undefined,
): string =>
  rates === null || rates === undefined || rates.length === 0
    ? limits.noRates
    : rates.map(({ type, value, unit }) => limits.rateWords(count(value), type, unit ?? null)).join(', ');
