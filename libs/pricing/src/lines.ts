import type { PriceLine, Usage } from '@gw/contracts';
import type { Unit, UnitPrice, UnitPrices } from './catalogue';
import { costOf } from './money';

type Quantities = Readonly<Record<Exclude<Unit, 'requests'>, number>>;

/**
 * Splits a usage into disjoint quantities: totals include cached, audio and reasoning tokens, so each is taken out of its total
 * where it has a price of its own, and stays in it where it has none. Never negative, whatever the provider reported.
 */
export function splitUsage(usage: Usage, prices: UnitPrices): Quantities {
  let input = usage.inputTokens;
  let output = usage.outputTokens;
  const fromInput = (unit: Unit, tokens: number): number => {
    const taken = prices[unit] === undefined ? 0 : Math.min(tokens, input);
    input -= taken;
    return taken;
  };
  const fromOutput = (unit: Unit, tokens: number): number => {
    const taken = prices[unit] === undefined ? 0 : Math.min(tokens, output);
    output -= taken;
    return taken;
  };
  const cacheRead = fromInput('cache_read', usage.cacheReadTokens);
  const hour = fromInput('cache_write_1h', usage.cacheWrite1hTokens ?? 0);
  const cacheWrite = fromInput('cache_write', usage.cacheWriteTokens - hour);
  const inputAudio = fromInput('input_audio', usage.inputAudioTokens);
  const reasoning = fromOutput('output_reasoning', usage.reasoningTokens);
  const outputAudio = fromOutput('output_audio', usage.outputAudioTokens);
  return {
    input,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: hour,
    input_audio: inputAudio,
    output,
    output_reasoning: reasoning,
    output_audio: outputAudio,
  };
}

/** One line for each quantity that is not 0; null when one of them has no price, so that nothing is taken for free. */
export function priceLines(usage: Usage, prices: UnitPrices): PriceLine[] | null {
  const quantities = splitUsage(usage, prices);
  const lines: PriceLine[] = [];
  for (const unit of TOKEN_UNITS) {
    const quantity = quantities[unit];
    if (quantity === 0) continue;
    const price = prices[unit];
    if (price === undefined) return null;
    lines.push(line(unit, quantity, priceFor(price, usage.inputTokens)));
  }
  if (prices.requests !== undefined) {
    lines.push(line('requests', 1, priceFor(prices.requests, usage.inputTokens)));
  }
  return lines;
}

const TOKEN_UNITS = [
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'output',
  'output_reasoning',
  'output_audio',
] as const satisfies readonly (keyof Quantities)[];

function priceFor({ base, tiers }: UnitPrice, inputTokens: number): number {
  let price = base;
  for (const tier of tiers) if (inputTokens > tier.start) ({ price } = tier);
  return price;
}

export const line = (unit: string, quantity: number, pricePerMillion: number): PriceLine => ({
  unit,
  quantity,
  pricePerMillion,
  cost: costOf(quantity, pricePerMillion),
});
