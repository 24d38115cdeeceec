import type { GuardrailResult } from '@gw/guardrails';

/** Runs of asynchronous guardrails that are under way at a time; further ones are not begun. */
const RUNNING_MAX = 1_000;

/** Bounds what runs beside requests. */
export class Beside {
  private running = 0;

  constructor(
    /** Told of verdicts that came after the request's record was written. */
    private readonly late: (requestId: string, results: readonly GuardrailResult[]) => void,
  ) {}

  /** Null: nothing runs, since there is nothing to run or too much runs already. Never rejects. */
  run(
    start: () => Promise<readonly GuardrailResult[]> | null,
    done: (results: readonly GuardrailResult[]) => boolean,
    requestId: string,
  ): Promise<void> | null {
    if (this.running >= RUNNING_MAX) return null;
    const started = start();
    if (started === null) return null;
    this.running += 1;
    return started.then(
      (results) => {
        this.running -= 1;
        if (!done(results)) this.late(requestId, results);
      },
      () => {
        this.running -= 1;
      },
    );
  }
}
