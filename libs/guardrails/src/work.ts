import { CheckError } from './check-error';
import type { Eventually } from './eventually';
import { GUARDRAIL_LIMITS } from './bounds';

/** Units of work of one turn of the event loop: a unit is a character that is gone through, 1 µs at worst. */
const TURN_UNITS = 16_384;
/** Units that a piece of a stream may take at once, since streams are judged in the turn in which they come. */
const AT_ONCE_UNITS = 1_000_000;

/** How a check goes through its texts: one step after the other, with other work of the event loop in between. */
export interface Pace {
  /**
   * To be called before each step, with the characters that it goes through. Returns a promise where other work goes first. Throws
   * or rejects with `CheckError` when the work of the request is used up, or the check's time is over.
   */
  step(units: number): Eventually<true>;
}

/**
 * Turns of the event loop for work of checks: one step in each, in rotation over the owners that wait, so that one workspace's
 * checks take no more of the process than another's.
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

/** The work of all checks of one request: its guardrails of all origins, input and output, streams too. */
export class Work {
  private left = GUARDRAIL_LIMITS.workMax;
  private inTurn = 0;

  /** `owner`: who shares turns with others, a workspace. */
  constructor(
    readonly owner: string,
    private readonly turns: Pick<Turns, 'next'> = TURNS,
  ) {}

  step(units: number): Eventually<true> {
    this.spend(units);
    this.inTurn += units;
    if (this.inTurn <= TURN_UNITS) return true;
    this.inTurn = units;
    return this.turns.next(this.owner).then(() => true);
  }

  /** For work that cannot wait. `before`: units that were spent in the same turn; returns them with the new ones. */
  atOnce(units: number, before: number): number {
    this.spend(units);
    const all = before + units;
    if (all <= AT_ONCE_UNITS) return all;
    throw new CheckError('A piece of the stream is longer than the checks of this request can go through.');
  }

  private spend(units: number): void {
    this.left -= units;
    if (this.left >= 0) return;
    throw new CheckError(
      `The checks of a request go through ${String(GUARDRAIL_LIMITS.workMax)} characters in sum at most.`,
    );
  }
}

/** For work that belongs to no check and whose size is bounded otherwise. */
export const UNPACED: Pace = { step: () => true };
