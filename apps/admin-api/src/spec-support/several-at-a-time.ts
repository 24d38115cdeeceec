const AT_A_TIME = 6;

/**
 * Runs `work` for every item, several concurrently and in no fixed order. Rejects at the first
 * failure.
 */
export async function severalAtATime<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
