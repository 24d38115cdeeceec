/** Maximum number of asynchronous guardrail runs at one time; further ones are not started. */
const RUNNING_MAX = 1_000;

/** Bounds the background work of requests. */
export class BackgroundChecks {
  private running = 0;

  /**
   * Starts a run and calls `done` with its result. Returns null when there is nothing to run or
   * `RUNNING_MAX` runs are active. The promise never rejects.
   */
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
