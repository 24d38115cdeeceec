import { useState } from 'react';

interface ColumnKeys {
  readonly keys: readonly number[];
  /** Names the column that the next shorter list lacks. */
  readonly remove: (place: number) => void;
}

/**
 * React keys of the columns, which have no ids. A column keeps its key, and so its state, when one
 * before it is removed.
 */
export function useColumnKeys(count: number): ColumnKeys {
  const [{ keys, next }, setKeys] = useState(() => ({ keys: numbersFrom(0, count), next: count }));
  const [removed, setRemoved] = useState<number | null>(null);
  if (keys.length !== count) {
    // The address changes after the click, so the removal is applied when the columns are fewer.
    const isRemoval = removed !== null && keys.length === count + 1;
    const kept = isRemoval ? keys.filter((_, at) => at !== removed) : keys.slice(0, count);
    const added = numbersFrom(next, count - kept.length);
    setKeys({ keys: [...kept, ...added], next: next + added.length });
    setRemoved(null);
  }
  return { keys, remove: setRemoved };
}

const numbersFrom = (first: number, length: number): readonly number[] =>
  Array.from({ length }, (_, at) => first + at);
