import type { CacheMark, JsonObject } from '../call';
import type { LossLedger } from '../losses';
import { MARKS_MAX, surplusMarks, type PlacedMark } from '../values/cache-rules';

interface Marked extends PlacedMark {
  readonly block: JsonObject;
}

/**
 * Writes cache marks and keeps their rules: at most four, and a longer lifetime comes before a
 * shorter one.
 */
export class CacheMarks {
  private readonly marked: Marked[] = [];

  constructor(private readonly losses: LossLedger) {}

  /** Marks a block. Blocks must come in the order of the request: tools, system, messages. */
  add(block: JsonObject, mark: CacheMark | undefined, path: string, isPrefix = false): void {
    if (mark === undefined) return;
    // OpenAI has only breakpoints of 30 minutes; they become Anthropic's default of five minutes.
    if (mark.ttl === '30m') this.losses.note(path, 'approximated', 'ephemeral 5m');
    const ttl = mark.ttl === '1h' ? '1h' : '5m';
    block['cache_control'] = mark.ttl === '5m' || mark.ttl === '1h' ? { type: 'ephemeral', ttl } : EPHEMERAL;
    this.marked.push({ block, path, ttl, isPrefix });
  }

  /**
   * Applies the rules to all marks. `automatic` tells whether the request has a mark for its last
   * block.
   */
  finish(automatic: boolean): void {
    const max = automatic ? MARKS_MAX - 1 : MARKS_MAX;
    for (const { block } of surplusMarks(this.marked, max, this.losses)) delete block['cache_control'];
  }
}

const EPHEMERAL: JsonObject = { type: 'ephemeral' };
