import type { GuardrailResult, GuardrailStage } from '@gw/guardrails';
import type { BackgroundChecks } from './background-checks';

type Start = () => Promise<readonly GuardrailResult[]> | null;

/** Milliseconds to wait for verdicts after the response has been sent. Later verdicts are lost. */
const WAIT_MS = 120_000;

/**
 * The asynchronous verdicts of one request. They do not delay the response: the log record is
 * written with the verdicts that have arrived when the response ends, and written again when all
 * have.
 */
export class LateVerdicts {
  private running = 0;
  private isWatched = false;
  private runsAtEnd: readonly (readonly [GuardrailStage, Start])[] = [];
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

  /** Registers a run that starts when the response has ended. */
  runAtEnd(start: Start): void {
    this.runsAtEnd = [...this.runsAtEnd, ['output', start]];
  }

  /**
   * Called when the response has ended. Resolves after one turn of the event loop, in which checks
   * without remote calls finish; undefined when nothing runs.
   */
  prepare(): Promise<void> | undefined {
    for (const [stage, start] of this.runsAtEnd) this.watch(stage, start);
    this.runsAtEnd = [];
    if (!this.isWatched) return undefined;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** True while verdicts are missing. */
  get isIncomplete(): boolean {
    return this.running > 0;
  }

  /** Calls `complete` once all verdicts have arrived, or after `WAIT_MS`. */
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
