import { cancelled, UpstreamError, type TimeoutPhase } from '../upstream-error';

export interface CallClockLimits {
  /** Milliseconds for the whole call. */
  readonly totalMs: number;
  /** Milliseconds between two signs of life of the upstream. */
  readonly idleMs: number;
  /** Milliseconds that the call may wait for input; 0: it never waits. */
  readonly inputMs?: number;
}

/**
 * The deadlines of one call, over all HTTP requests that it takes. `signal` aborts with an
 * `UpstreamError` as its reason: `timeout`, or `cancelled` when the caller's signal aborts.
 */
export class CallClock {
  private readonly controller = new AbortController();
  private total: NodeJS.Timeout | null = null;
  private idle: NodeJS.Timeout | null = null;
  private input: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private leftMs: number;
  private holds = 0;
  private isEnded = false;
  private readonly onAbort = (): void => this.controller.abort(cancelled(true));

  constructor(
    private readonly limits: CallClockLimits,
    private readonly caller: AbortSignal | null = null,
  ) {
    this.leftMs = limits.totalMs;
    if (caller?.aborted === true) this.onAbort();
    caller?.addEventListener('abort', this.onAbort, { once: true });
    this.run();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** A sign of life of the upstream. */
  touch(): void {
    this.idle?.refresh();
  }

  /** Stops the deadlines while the call waits for input; `inputMs` limits the wait. May nest. */
  hold(): void {
    this.holds += 1;
    if (this.holds > 1 || this.isEnded) return;
    this.leftMs -= performance.now() - this.startedAt;
    this.clear();
    this.input = this.after(this.limits.inputMs ?? 0, 'input');
  }

  release(): void {
    this.holds -= 1;
    if (this.holds > 0 || this.isEnded) return;
    this.clear();
    this.run();
  }

  /** Aborts the call. */
  abort(reason: UpstreamError): void {
    this.controller.abort(reason);
  }

  /** Must be called when the call has ended, or its timers live on. */
  end(): void {
    this.isEnded = true;
    this.clear();
    this.caller?.removeEventListener('abort', this.onAbort);
  }

  private run(): void {
    this.startedAt = performance.now();
    this.total = this.after(Math.max(0, this.leftMs), 'total');
    this.idle = this.after(this.limits.idleMs, 'idle');
  }

  private after(ms: number, phase: TimeoutPhase): NodeJS.Timeout {
    // A process that ends does not wait for its calls: their sockets keep it alive while it serves.
    return setTimeout(() => this.controller.abort(timedOut(phase, ms)), ms).unref();
  }

  private clear(): void {
    for (const timer of [this.total, this.idle, this.input]) if (timer !== null) clearTimeout(timer);
    [this.total, this.idle, this.input] = [null, null, null];
  }
}

const WAITED_FOR: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'a connection',
  headers: 'the head of the response',
  idle: 'the next sign of the upstream',
  total: 'the end of the call',
  input: 'input that the upstream requested',
};

/** The error of a time limit. A call without a connection was surely not executed. */
export const timedOut = (phase: TimeoutPhase, ms: number): UpstreamError =>
  new UpstreamError(
    'timeout',
    `Timed out after ${String(Math.round(ms))} ms of waiting for ${WAITED_FOR[phase]}.`,
    {
      mayHaveExecuted: phase !== 'connect',
      phase,
    },
  );
