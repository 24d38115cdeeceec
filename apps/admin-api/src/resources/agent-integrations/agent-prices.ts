import type { AgentPrices } from '@gw/contracts';
import { UNITS_PER_USD, type ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { CALL_PRICE_FAULT, callPrice } from '../../platform/common/call-prices';
import type { AgentPricingDto } from './agent-integrations.dto';

/**
 * Returns the prices in their stored form, integers of 1e-8 USD; null for none. Throws
 * `validation_failed` with all faults.
 */
export function readAgentPrices(input: AgentPricingDto | null): AgentPrices | null {
  if (input === null) return null;
  const faults: ErrorDetail[] = [];
  const priced = (name: 'per_message_usd' | 'per_task_usd'): number => {
    const units = callPrice(input[name] ?? 0);
    if (units === null) faults.push({ path: `pricing.${name}`, message: CALL_PRICE_FAULT });
    return units ?? 0;
  };
  const prices = { perMessage: priced('per_message_usd'), perTask: priced('per_task_usd') };
  if (faults.length > 0) throw validationFailed(faults);
  return prices;
}

/** Returns stored prices in USD, as requests and responses contain them; null without prices. */
export const shownAgentPrices = (
  prices: AgentPrices | null,
): { readonly per_message_usd: number; readonly per_task_usd: number } | null =>
  prices && {
    per_message_usd: prices.perMessage / UNITS_PER_USD,
    per_task_usd: prices.perTask / UNITS_PER_USD,
  };
