import { CheckError } from './check-error';
import type { Eventually } from './eventually';
import { GUARDRAIL_LIMITS } from './bounds';

/** Units of work of one event-loop turn. A unit is one character read, 1 µs in the worst case. */
const TURN_UNITS = 16_384;
/**
 * Maximum units of a piece of a stream, because streams are judged in the turn in which they
 * arrive.
 */
const PIECE_UNITS_MAX = 1_000_000;

/** Paces a check's work: one step after the other, with other work of the event loop in between. */
export interface Pace {
  /**
   * Call it before each step, with the number of characters that the step reads. Returns a promise
   * when other work goes first. Throws or rejects with `CheckError` when the request's work is used
   * up or the check's time is over.
   */
  step(units: number): Eventually<true>;
}

/**
 * Distributes event-loop turns for work of checks: one step per turn, round-robin over the waiting
 * owners, so that one workspace's checks take no more of the process than another's.
 */
export class Turns {
  private readonly waiting = new Map<string, (() => void)[]>();
  private isScheduled = false;

  next(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.waiting.get(owner);
      if (queue) queue.push(resolve);
      else this.waiting.set(owner, [resolve]);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.grant();
      if (this.waiting.size > 0) this.schedule();
    });
  }

  private grant(): void {
    for (const [owner, queue] of this.waiting) {
      this.waiting.delete(owner);
      const resume = queue.shift();
      if (queue.length > 0) this.waiting.set(owner, queue);
      resume?.();
      return;
    }
  }
}

const TURNS = new Turns();

/**
 * The work budget of all checks of one request, over all its guardrails, input and output,
 * including streams.
 */
export class Work {
  private left = GUARDRAIL_LIMITS.workMax;
  private turnUnits = 0;

  /** `owner` is the workspace that shares turns with others. */
  constructor(
    readonly owner: string,
    private readonly turns: Pick<Turns, 'next'> = TURNS,
  ) {}

  step(units: number): Eventually<true> {
    this.spend(units);
    this.turnUnits += units;
    if (this.turnUnits <= TURN_UNITS) return true;
    this.turnUnits = units;
    return this.turns.next(this.owner).then(() => true);
  }

  /**
   * Counts work that cannot wait. `before` is the number of units used in the same turn. Returns
   * the new total. Throws `CheckError` when the turn or the request has used up its units.
   */
  spendNow(units: number, before: number): number {
    this.spend(units);
    const all = before + units;
    if (all <= PIECE_UNITS_MAX) return all;
    throw new CheckError('A piece of the stream is longer than the checks of this request can read.');
  }

  private spend(units: number): void {
    this.left -= units;
    if (this.left >= 0) return;
    throw new CheckError(
      `The checks of a request can read at most ${String(GUARDRAIL_LIMITS.workMax)} characters in total.`,
    );
  }
}

/** A pace without pauses, for work that belongs to no check and is bounded by other means. */
export const UNPACED: Pace = { step: () => true };
