import { modelPath } from '../bedrock-converse/model-path';
import { baseId } from '../bedrock-converse/models';
import { readCount } from '../values/counts';
import type { FamilyFacts } from './fan-out';

/**
 * Numbers of dimensions by prefix of the model's id; a model without a row has one number only.
 * Source: AWS's guide, November 2026.
 */
const DIMENSIONS: readonly (readonly [prefix: string, numbers: readonly number[]])[] = [
  ['amazon.titan-embed-text-v2', [256, 512, 1024]],
  ['amazon.titan-embed-image', [256, 384, 1024]],
  ['amazon.nova', [256, 384, 1024, 3072]],
  ['cohere.embed-v4', [256, 512, 1024, 1536]],
];

/** Returns the wanted dimensions; refuses those that the model does not have. */
export function dimensionsFor(
  dimensions: number | undefined,
  { target, losses }: FamilyFacts,
): number | undefined {
  if (dimensions === undefined) return undefined;
  const id = baseId(target.model);
  const numbers = DIMENSIONS.find(([prefix]) => id.startsWith(prefix))?.[1] ?? [];
  if (!numbers.includes(dimensions)) {
    const known = numbers.length === 0 ? 'one number of dimensions' : `the dimensions ${numbers.join(', ')}`;
    losses.refuse('dimensions', `The model has ${known} only.`);
  }
  return dimensions;
}

/** Returns the path of InvokeModel. */
export const invokePath = ({ target, losses }: FamilyFacts): string =>
  modelPath(target.model, 'invoke', {}, losses);

/** Reads the tokens of an InvokeModel call, which are in a header; undefined when it is missing. */
export function invokeTokens(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const given = headers['x-amzn-bedrock-input-token-count'];
  return given === undefined || given === '' ? undefined : (readCount(Number(given)) ?? undefined);
}
