import type { PriceLine } from '@gw/contracts';
import type { PriceCard, Unit, UnitPrice, UnitPrices } from './catalogue';
import { costOf } from './money';
import type { BillableUsage } from './usage';

type Quantities = Readonly<Record<Exclude<Unit, 'requests'>, number>>;

/**
 * Splits a usage into disjoint quantities.
 * Totals include cached, audio, image and reasoning tokens; each kind is taken out of its total if
 * it has its own price, and stays in it otherwise. Never negative, whatever the provider reported.
 */
export function splitUsage(usage: BillableUsage, prices: UnitPrices): Quantities {
  let input = usage.inputTokens;
  let output = usage.outputTokens;
  const fromInput = (unit: Unit, tokens: number): number => {
    const taken = prices[unit] === undefined ? 0 : Math.max(0, Math.min(tokens, input));
    input -= taken;
    return taken;
  };
  const fromOutput = (unit: Unit, tokens: number): number => {
    const taken = prices[unit] === undefined ? 0 : Math.max(0, Math.min(tokens, output));
    output -= taken;
    return taken;
  };
  const cachedAudio = usage.cacheReadAudioTokens ?? 0;
  const cacheReadAudio = fromInput('cache_read_audio', cachedAudio);
  const cacheRead = fromInput('cache_read', usage.cacheReadTokens - cacheReadAudio);
  const hour = fromInput('cache_write_1h', usage.cacheWrite1hTokens ?? 0);
  const cacheWrite = fromInput('cache_write', usage.cacheWriteTokens - hour);
  // Cached audio without its own price is part of the cached input above.
  const takenAudio = Math.min(cachedAudio, cacheReadAudio + cacheRead);
  const inputAudio = fromInput('input_audio', usage.inputAudioTokens - takenAudio);
  const inputImage = fromInput('input_image', usage.inputImageTokens ?? 0);
  const reasoning = fromOutput('output_reasoning', usage.reasoningTokens);
  const outputAudio = fromOutput('output_audio', usage.outputAudioTokens);
  const outputImage = fromOutput('output_image', usage.outputImageTokens ?? 0);
  return {
    input,
    cache_read: cacheRead,
    cache_read_audio: cacheReadAudio,
    cache_write: cacheWrite,
    cache_write_1h: hour,
    input_audio: inputAudio,
    input_image: inputImage,
    output,
    output_reasoning: reasoning,
    output_audio: outputAudio,
    output_image: outputImage,
  };
}

/** Returns the factor of a unit's price, in millionths. */
export type Factor = (unit: string) => number;

/**
 * Returns one line per quantity other than 0; null when one of them has no price, so that nothing
 * is free by mistake.
 */
export function priceLines(
  usage: BillableUsage,
  card: PriceCard,
  factor: Factor | null = null,
): PriceLine[] | null {
  const lines: PriceLine[] = [];
  const add = (unit: string, quantity: number, price: number): void => {
    lines.push(line(unit, quantity, factor === null ? price : costOf(price, factor(unit))));
  };
  const { units } = card;
  const quantities = splitUsage(usage, units);
  for (const unit of TOKEN_UNITS) {
    const quantity = quantities[unit];
    if (quantity === 0) continue;
    const price = units[unit];
    if (price === undefined) return null;
    add(unit, quantity, priceFor(price, usage.inputTokens));
  }
  if (units.requests !== undefined) add('requests', 1, priceFor(units.requests, usage.inputTokens));
  const counted = usage.images !== undefined || usage.additionalUnits !== undefined;
  return !counted || addPieces(usage, card, add) ? lines : null;
}

/**
 * Returns the sum of `priceLines` for text tokens only, without creating the lines; null when one
 * of them has no price.
 */
export function priceOfText(
  { units }: PriceCard,
  input: number,
  output: number,
  factor: Factor | null = null,
): number | null {
  const each = (unit: 'input' | 'output' | 'requests', quantity: number): number | null => {
    const price = units[unit];
    if (price === undefined) return null;
    const base = priceFor(price, input);
    return costOf(quantity, factor === null ? base : costOf(base, factor(unit)));
  };
  const forInput = input === 0 ? 0 : each('input', input);
  const forOutput = output === 0 ? 0 : each('output', output);
  if (forInput === null || forOutput === null) return null;
  return forInput + forOutput + (each('requests', 1) ?? 0);
}

/** Adds a line for each kind of image and additional unit; returns false when one has no price. */
function addPieces(
  usage: BillableUsage,
  card: PriceCard,
  add: (unit: string, quantity: number, price: number) => void,
): boolean {
  for (const { unit, count, price } of piecesOf(usage, card)) {
    if (count <= 0) continue;
    if (price === undefined) return false;
    add(unit, count, price);
  }
  return true;
}

const piecesOf = (
  { images = [], additionalUnits = {} }: BillableUsage,
  card: PriceCard,
): { readonly unit: string; readonly count: number; readonly price: number | undefined }[] => [
  ...images.map(({ quality, size, count }) => ({
    unit: `image:${quality}:${size}`,
    count,
    price: imagePrice(card, quality, size),
  })),
  ...Object.entries(additionalUnits).map(([name, count]) => ({
    unit: `additional:${name}`,
    count,
    price: ownValue(card.additional, name),
  })),
];

function imagePrice({ images }: PriceCard, quality: string, size: string): number | undefined {
  const sizes = ownValue(images, quality) ?? ownValue(images, 'default');
  return sizes && (ownValue(sizes, size) ?? ownValue(sizes, 'default'));
}

const ownValue = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const TOKEN_UNITS = [
  'input',
  'cache_read',
  'cache_read_audio',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'input_image',
  'output',
  'output_reasoning',
  'output_audio',
  'output_image',
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
