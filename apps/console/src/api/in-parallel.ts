/**
 * Runs `work` for the items in their order, at most `width` at a time. Starts no further item after
 * `signal` aborts. Rejects with the first failure.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T, place: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    // All workers take items from the same iterator.
    for (const [place, item] of entries) {
      if (signal.aborted) return;
      await work(item, place);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
