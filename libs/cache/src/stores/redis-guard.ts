export interface RedisGuardOptions {
  /** The longest wait for a reply; 50 ms when absent. */
  readonly timeoutMs?: number;
  /** How long Redis is left alone after it failed to reply; 1 s when absent. */
  readonly coolDownMs?: number;
  /** Milliseconds on any scale that only goes forward. */
  readonly now?: () => number;
}

/** Result when no reply came. */
export const NO_REPLY = Symbol('Redis did not reply in time');

/**
 * Asks Redis without depending on it: an answer comes within `timeoutMs`, or none does. After a failure nothing is sent for
 * `coolDownMs`, so that a Redis that hangs costs one wait in that time and not one for each request.
 */
export class RedisGuard {
  private closedUntil = -Infinity;
  private readonly timeoutMs: number;
  private readonly coolDownMs: number;
  private readonly now: () => number;

  constructor({ timeoutMs = 50, coolDownMs = 1_000, now = () => performance.now() }: RedisGuardOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.coolDownMs = coolDownMs;
    this.now = now;
  }

  /** Never rejects. */
  ask<Reply>(command: () => Promise<Reply>): Promise<Reply | typeof NO_REPLY> {
    if (this.now() < this.closedUntil) return Promise.resolve(NO_REPLY);
    return new Promise((resolve) => {
      const fail = (): void => {
        clearTimeout(timer);
        this.closedUntil = this.now() + this.coolDownMs;
        resolve(NO_REPLY);
      };
      const timer = setTimeout(fail, this.timeoutMs);
      command().then((reply) => {
        clearTimeout(timer);
        resolve(reply);
      }, fail);
    });
  }
}
