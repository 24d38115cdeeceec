/** Runs of asynchronous guardrails that are under way at a time; further ones are not begun. */
const RUNNING_MAX = 1_000;

/** Bounds what runs in the background of requests. */
export class BackgroundChecks {
  private running = 0;

  /** Null: nothing runs, since there is nothing to run or too much runs already. Never rejects. */
  run<T>(start: () => Promise<T> | null, done: (result: T) => void): Promise<void> | null {
    if (this.running >= RUNNING_MAX) return null;
    const started = start();
    if (started === null) return null;
    this.running += 1;
    return started
      .then(done)
      .catch(() => undefined)
      .finally(() => {
        this.running -= 1;
      });
  }
}
