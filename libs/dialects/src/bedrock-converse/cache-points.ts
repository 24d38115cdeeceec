import type { CacheMark, JsonObject } from '../call';
import type { LossLedger } from '../losses';
import { MARKS_MAX, surplusMarks, type PlacedMark } from '../values/cache-rules';

interface Placed extends PlacedMark {
  readonly list: JsonObject[];
  readonly element: JsonObject;
}

/**
 * Writes cache points and keeps their rules: at most four, and a longer lifetime comes before a
 * shorter one.
 */
export class CachePoints {
  private readonly placed: Placed[] = [];

  /** `hasTtl`: whether the model takes lifetimes. */
  constructor(
    private readonly losses: LossLedger,
    private readonly hasTtl: boolean,
  ) {}

  /**
   * Appends a point to a list, after the marked element. Points must come in the order of the
   * request: tools, system, messages.
   */
  add(list: JsonObject[], mark: CacheMark | undefined, path: string, isPrefix = false): void {
    if (mark === undefined) return;
    const isOwn = mark.ttl === '5m' || mark.ttl === '1h';
    const isKept = isOwn && this.hasTtl;
    if (mark.ttl !== undefined && !isKept && mark.ttl !== '5m')
      this.losses.note(path, 'approximated', 'cachePoint 5m');
    const element: JsonObject = {
      cachePoint: isKept ? { type: 'default', ttl: mark.ttl } : { type: 'default' },
    };
    list.push(element);
    this.placed.push({ list, element, path, ttl: isKept && mark.ttl === '1h' ? '1h' : '5m', isPrefix });
  }

  /**
   * Applies the rules to all points. Throws `validation_failed` for a longer lifetime after a
   * shorter one.
   */
  finish(): void {
    remove(surplusMarks(this.placed, MARKS_MAX, this.losses));
  }
}

/** Removes elements from their lists in one pass over each list. */
function remove(points: readonly Placed[]): void {
  const elements = new Set(points.map(({ element }) => element));
  for (const list of new Set(points.map((point) => point.list))) {
    let size = 0;
    for (const item of list) {
      if (elements.has(item)) continue;
      list[size] = item;
      size += 1;
    }
    list.length = size;
  }
}
