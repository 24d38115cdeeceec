import type { StoredToolPrices } from '@gw/entities';
import { UNITS_PER_USD, type ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { CALL_PRICE_FAULT, callPrice } from '../../platform/common/call-prices';
import type { McpPricingDto } from './mcp-integrations.dto';

const TOOLS_MAX = 1_000;
const TOOL_NAME_MAX = 255;

/**
 * Returns the prices in their stored form; null for none. Throws `validation_failed` with all
 * faults.
 */
export function readPrices(input: McpPricingDto | null): StoredToolPrices | null {
  if (input === null) return null;
  const faults: ErrorDetail[] = [];
  const priced = (usd: unknown, path: string): number => {
    const units = callPrice(usd);
    if (units === null) faults.push({ path, message: CALL_PRICE_FAULT });
    return units ?? 0;
  };
  const { default_usd: fallback = 0, tools = {} } = input;
  const entries = Object.entries(tools);
  if (entries.length > TOOLS_MAX)
    faults.push({ path: 'pricing.tools', message: `must have at most ${String(TOOLS_MAX)} tools` });
  const long = entries.find(([name]) => name.length > TOOL_NAME_MAX);
  if (long !== undefined)
    faults.push({
      path: 'pricing.tools',
      message: `must have names of at most ${String(TOOL_NAME_MAX)} characters`,
    });
  const prices = {
    default: priced(fallback, 'pricing.default_usd'),
    tools: Object.fromEntries(
      entries
        .slice(0, TOOLS_MAX)
        .map(([name, usd]) => [name, priced(usd, `pricing.tools.${name.slice(0, 64)}`)]),
    ),
  };
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
  return prices;
}

/** Returns stored prices in USD, as requests and responses contain them; null without prices. */
export const shownPrices = (
  prices: StoredToolPrices | null,
): { readonly default_usd: number; readonly tools: Readonly<Record<string, number>> } | null =>
  prices && {
    default_usd: prices.default / UNITS_PER_USD,
    tools: Object.fromEntries(
      Object.entries(prices.tools).map(([name, units]) => [name, units / UNITS_PER_USD]),
    ),
  };
