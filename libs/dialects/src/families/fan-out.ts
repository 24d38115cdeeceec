import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/**
 * Calls made from one request for embeddings, images or rerank. Their responses are joined to the
 * client's response.
 */
export interface FanOut {
  /** Calls of equal form; the caller sends at most eight at a time, and all must succeed. */
  readonly calls: readonly ProviderCall[];
}

/** Facts for encoding a request of a small family. */
export interface FamilyFacts {
  readonly target: Target;
  readonly losses: LossLedger;
}

/** Splits a list into runs of at most `size` items. */
export function chunksOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
