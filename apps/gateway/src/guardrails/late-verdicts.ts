import type { GuardrailResult, GuardrailStage } from '@gw/guardrails';
import type { BackgroundChecks } from './background-checks';

type Start = () => Promise<readonly GuardrailResult[]> | null;

/** How long verdicts are waited for after the answer has left. Those that come later are lost. */
const WAIT_MS = 120_000;

/**
 * The asynchronous verdicts of one request. They hold nothing up: the log record is written with those that are in when the answer
 * ends, and written once more when all of them are.
 */
export class LateVerdicts {
  private running = 0;
  private isWatched = false;
  private endings: readonly (readonly [GuardrailStage, Start])[] = [];
  private complete: (() => void) | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly background: BackgroundChecks,
    private readonly note: (stage: GuardrailStage, results: readonly GuardrailResult[]) => void,
  ) {}

  watch(stage: GuardrailStage, start: Start): void {
    const running = this.background.run(start, (results) => {
      this.note(stage, results);
    });
    if (running === null) return;
    this.isWatched = true;
    this.running += 1;
    void running.then(() => {
      this.running -= 1;
      if (this.running === 0) this.conclude();
    });
  }

  /** Begins once nothing more of the answer comes. */
  atEnd(start: Start): void {
    this.endings = [...this.endings, ['output', start]];
  }

  /**
   * The answer is over. Gives what runs one turn of the event loop, which is all that checks without remote calls need; undefined: nothing
   * runs.
   */
  prepare(): Promise<void> | undefined {
    for (const [stage, start] of this.endings) this.watch(stage, start);
    this.endings = [];
    if (!this.isWatched) return undefined;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** Verdicts are still to come. */
  get isIncomplete(): boolean {
    return this.running > 0;
  }

  /** Calls back once all verdicts are in, or have been waited for long enough. */
  whenComplete(complete: () => void): void {
    this.complete = complete;
    this.timer = setTimeout(() => {
      this.conclude();
    }, WAIT_MS);
    this.timer.unref();
  }

  private conclude(): void {
    const { complete, timer } = this;
    if (timer !== null) clearTimeout(timer);
    this.complete = null;
    complete?.();
  }
}
