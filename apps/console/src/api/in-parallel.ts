/**
 * Does `work` for each item in their order, at most `width` at once. Items that have not begun when `signal` aborts are left out.
 * Rejects with the first failure.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T, place: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const lane = async (): Promise<void> => {
    // All lanes take from one iterator.
    for (const [place, item] of entries) {
      if (signal.aborted) return;
      await work(item, place);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
