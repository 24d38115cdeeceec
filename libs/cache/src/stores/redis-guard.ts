export interface RedisGuardOptions {
  /** The longest wait for a reply; 50 ms when absent. */
  readonly timeoutMs?: number;
  /** How long Redis is not used after it failed to reply; 1 s when absent. */
  readonly coolDownMs?: number;
  /** Returns milliseconds on any scale that only increases. */
  readonly now?: () => number;
}

/** Result when no reply arrived. */
export const NO_REPLY = Symbol('Redis did not reply in time');

/**
 * Sends commands to Redis without depending on it: every command resolves within `timeoutMs`, if
 * need be to `NO_REPLY`. After a failure nothing is sent for `coolDownMs`, so that a hanging Redis
 * costs one wait per cool-down instead of one per request.
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

  /** Runs a command. Resolves to `NO_REPLY` after an error or a timeout; never rejects. */
  run<Reply>(command: () => Promise<Reply>): Promise<Reply | typeof NO_REPLY> {
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
