import { invalid, type LossLedger } from '../losses';

/** Maximum number of cache marks of a request to Claude. */
export const MARKS_MAX = 4;

/** A cache mark in the order of the request: tools, system, messages. */
export interface PlacedMark {
  readonly path: string;
  readonly ttl: '5m' | '1h';
  /** Whether the mark is on a tool or system text. */
  readonly isPrefix: boolean;
}

/**
 * Applies the rules of Claude's cache marks and returns the marks that must be removed. At most
 * `max` are kept: the first of the prefix and the last ones. Throws `validation_failed` for a
 * longer lifetime after a shorter one.
 */
export function surplusMarks<T extends PlacedMark>(
  marks: readonly T[],
  max: number,
  losses: LossLedger,
): T[] {
  const first = marks.find(({ isPrefix }) => isPrefix);
  const kept = new Set(marks.length <= max ? marks : marks.slice(-(first === undefined ? max : max - 1)));
  if (first !== undefined) kept.add(first);
  const surplus = marks.filter((mark) => !kept.has(mark));
  for (const { path } of surplus) losses.note(path);
  checkOrder(marks.filter((mark) => kept.has(mark)));
  return surplus;
}

function checkOrder(marks: readonly PlacedMark[]): void {
  let shortest: '5m' | '1h' = '1h';
  for (const { path, ttl } of marks) {
    if (ttl === '1h' && shortest === '5m')
      throw invalid(path, 'A cache mark with a ttl of 1h must not come after one with a ttl of 5m.');
    shortest = ttl;
  }
}
